"""From conversations: which turns of the user become queries, and what would come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import intake
from labelkit.intake import CHOICES, Conversations
from labelkit.intake.conversations import NAMES
from labelkit.ui import heading, querying_review, querying_rewrite, tables
from labelkit.ui.frame import Here
from labelkit.ui.querying_files import match_columns, options, read_once, upload

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def show(here: Here) -> None:
    """Bring conversations in, and let a model rewrite the follow-ups that are here."""
    _bring_in(here)
    querying_rewrite.show(here)


def _bring_in(here: Here) -> None:
    """Ask for conversations, choose turns, review them, and bring them in."""
    file = upload("Conversations: a row a turn, or a row a conversation with its list of turns")
    if file is None:
        heading.note(
            "Read are: conversation, role, text (and turn where rows are not in order), or turns "
            "as a list of role with text or content. The query is a turn of the user, as typed; "
            "the turns before it come along."
        )
        return
    headers = match_columns(NAMES, ("conversation", "role", "text"), file, instead="turns")
    if headers is None:
        return
    role = st.text_input(
        "The role that is the user's, where it is not called user, customer or the like",
        key="lk_user_role",
        width=420,
    )
    read = read_once(file, {**headers, "user role": (role or "").strip()}, _read)
    _facts(read)
    which, size, seed = _ask_choice(read)
    items, source = intake.from_conversations(read, which, size=size, seed=seed)
    if not items:
        heading.note("No turn is chosen that way.")
        return
    querying_review.preview(items)
    querying_review.bring_in(here, items, source)


def _read(file: UploadedFile, headers: Mapping[str, str]) -> Conversations:
    named = {name: header for name, header in headers.items() if name != "user role"}
    return intake.read_conversations(
        file.name,
        file.getvalue(),
        headers=named,
        user_role=headers["user role"],
        options=options(file),
    )


def _facts(read: Conversations) -> None:
    leaning = sum(turn.lean is not None for turn in read.user_turns)
    tables.facts(
        [
            ("conversations", f"{read.conversations:,}"),
            ("turns", f"{read.turns:,}"),
            ("of the user", f"{len(read.user_turns):,}"),
            ("follow-ups among them", f"{leaning:,}"),
            ("turns without text", f"{read.empty:,}"),
        ],
        label="What the file holds",
    )


def _ask_choice(read: Conversations) -> tuple[str, int | None, int]:
    heading.section("The choice")
    which, size, seed = st.columns([4, 2, 2])
    chosen = which.selectbox(
        "Which turns", list(CHOICES), format_func=lambda one: CHOICES.get(one, one)
    )
    most = max(1, len(read.user_turns))
    number = size.number_input("At most", 1, most, min(100, most), key="lk_talk_size")
    return chosen, int(number), int(seed.number_input("Seed", 0, None, 0, key="lk_talk_seed"))
