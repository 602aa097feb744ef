"""From a log: how it is read, how it is drawn from, and what would come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import intake
from labelkit.formats.tables import Problem
from labelkit.intake import METHODS, STRATA, Draw, QueryLog, Settings
from labelkit.intake.logs import NAMES
from labelkit.ui import heading, notice, querying_review, tables
from labelkit.ui.frame import Here
from labelkit.ui.querying_files import match_columns, once, options, read_once, upload
from labelkit.wording import counted

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

CALLED = {
    "frequency": "By frequency",
    "stratified": "Stratified",
    "bands": "Head, torso and tail",
}


def show(here: Here) -> None:
    """Ask for a log, draw from it, review what was drawn, and bring it in."""
    file = upload("A search or support log: one row a search, or one a query with its count")
    if file is None:
        heading.note(
            "Read are: the text (required), count, clicked document, session, time, filters, "
            "language. Texts are kept as typed; one form in lower case and plain width is only "
            "for counting. Nothing is stored before you bring queries in, and of the log only "
            "what was drawn. Sessions are counted, not kept."
        )
        return
    headers = match_columns(NAMES, ("text",), file)
    if headers is None:
        return
    log = read_once(file, headers, _read)
    _facts(log)
    leave_out = _problems(log.problems)
    if log.problems and not leave_out:
        return
    settings = _ask_settings()
    drawn, items, source = once(
        "draw",
        (file.file_id, options(file), tuple(headers.items()), settings, leave_out),
        lambda: intake.from_log(log, settings, leave_out_unreadable=leave_out),
    )
    _strata(drawn)
    querying_review.preview(items)
    clicks = sum(bool(one.clicks) for one in items)
    if clicks:
        heading.note(
            f"{clicks:,} of them have clicked documents. Those that are here are proposed for "
            "judging, and look like any other pair; a click is never a judgment."
        )
    querying_review.bring_in(here, items, source)


def _read(file: UploadedFile, headers: Mapping[str, str]) -> QueryLog:
    return intake.read_log(file.name, file.getvalue(), headers=headers, options=options(file))


def _facts(log: QueryLog) -> None:
    tables.facts(
        [
            ("rows", f"{log.rows:,}"),
            ("searches", f"{log.searches:,}"),
            ("distinct queries", f"{len(log.groups):,}"),
            ("rows without text", f"{log.empty:,}"),
            ("with clicks", f"{sum(bool(group.clicks) for group in log.groups):,}"),
        ],
        label="What the log holds",
    )


def _problems(problems: Sequence[Problem]) -> bool:
    """Show rows that cannot be read; returns whether they are to be left out."""
    if not problems:
        return False
    found = counted(len(problems), "problem")
    notice.show("warning", f"{found}: mend the file, or leave these rows out.")
    tables.show(
        ("line", "column", "problem"),
        [(one.line, one.column, one.message) for one in problems[:10]],
        label="Rows that cannot be read",
        numbers=("line",),
    )
    return st.checkbox("Leave these rows out", key="lk_log_leave_out")


def _ask_settings() -> Settings:
    heading.section("The draw")
    how, size, seed, by = st.columns([4, 2, 2, 3])
    method = how.selectbox(
        "How", list(METHODS), format_func=lambda one: CALLED.get(one, one), key="lk_draw_method"
    )
    number = size.number_input("Queries", 1, 10_000, 100, key="lk_draw_size")
    chosen_seed = seed.number_input("Seed", 0, None, 0, key="lk_draw_seed")
    strata = "type"
    if method == "stratified":
        strata = by.selectbox("Strata by", list(STRATA), key="lk_draw_strata")
    heading.note(
        f"{METHODS[method].capitalize()}. The same log and seed give the same draw; all of this "
        "is recorded with it."
    )
    return Settings(method, int(number), int(chosen_seed), strata)


def _strata(drawn: Draw) -> None:
    if len(drawn.strata) > 1:
        tables.show(
            ("stratum", "distinct queries", "searches", "drawn"),
            [
                (one.name, f"{one.queries:,}", f"{one.searches:,}", one.drawn)
                for one in drawn.strata[:20]
            ],
            label="Strata of the log",
            numbers=("distinct queries", "searches", "drawn"),
        )
