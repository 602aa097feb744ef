"""Queries that people bring: production misses, pasted or from a file, and one by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import intake
from labelkit.formats.tables import Problem
from labelkit.intake import TYPES, Incoming
from labelkit.intake.misses import NAMES
from labelkit.ui import drafts, heading, notice, querying_review, tables
from labelkit.ui.frame import Here
from labelkit.ui.querying_files import match_columns, options, read_once, upload

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

MISSES, BY_HAND = "lk_misses", "lk_by_hand"


def misses(here: Here) -> None:
    """Ask for what failed in production, with a note and a link, and bring it in."""
    heading.note(
        "What users searched for and did not find. Each becomes a query of the source failure; "
        "the note and the link to the run or event stay with it."
    )
    said = _words(here, "Queries that failed, one a line", MISSES, 120)
    note, link, language = st.columns([4, 4, 2])
    turn = querying_review.turn()
    why = note.text_input("What went wrong", key=f"lk_miss_note_{turn}")
    where = link.text_input("Run, event or ticket", key=f"lk_miss_link_{turn}")
    spoken = language.text_input(
        "Language", key=f"lk_miss_language_{turn}", placeholder="such as en"
    )
    if said.strip():
        items = intake.pasted(
            said, note=why or "", link=where or "", language=(spoken or "").strip()
        )
        querying_review.preview(items)
        querying_review.bring_in(here, items, None, typed_in=MISSES)
        return
    file = upload("Or a file of misses: text, note, link, expected document, language")
    if file is not None:
        headers = match_columns(NAMES, ("text",), file)
        if headers is not None:
            _from_file(here, file, headers)


def _from_file(here: Here, file: UploadedFile, headers: dict[str, str]) -> None:
    items, problems = read_once(file, headers, _read)
    if problems:
        notice.show("error", "Nothing is brought in until every row can be read.")
        tables.show(
            ("line", "column", "problem"),
            [(one.line, one.column, one.message) for one in problems[:20]],
            label="Problems",
            numbers=("line",),
        )
        return
    querying_review.preview(items)
    querying_review.bring_in(here, items, None)


def _read(
    file: UploadedFile, headers: Mapping[str, str]
) -> tuple[list[Incoming], tuple[Problem, ...]]:
    return intake.read_misses(file.name, file.getvalue(), headers=headers, options=options(file))


def by_hand(here: Here) -> None:
    """Ask for one query, its need, language and types, and bring it in."""
    said = _words(here, "The query, as a user would type it", BY_HAND, 68)
    turn = querying_review.turn()
    need = st.text_input("What the user needs, in one sentence", key=f"lk_hand_need_{turn}")
    language, types = st.columns([2, 6])
    spoken = language.text_input(
        "Language", key=f"lk_hand_language_{turn}", placeholder="such as en"
    )
    chosen = types.multiselect(
        "Types (the rules suggest them where you choose none)",
        list(TYPES),
        key=f"lk_hand_types_{turn}",
        placeholder="as the rules say",
    )
    if not said.strip():
        return
    one = intake.by_hand(
        said, need=need or "", language=(spoken or "").strip(), types=chosen or None
    )
    querying_review.preview([one])
    querying_review.bring_in(here, [one], None, typed_in=BY_HAND)


def _words(here: Here, label: str, key: str, height: int) -> str:
    """A text area that outlives a refresh, until its queries are in."""
    done = querying_review.is_done(key)
    if done:
        st.session_state[key] = ""
    return drafts.text_area(
        label,
        key=key,
        scope=here.draft_scope,
        stored=False,
        forget=[key] if done else [],
        height=height,
    )
