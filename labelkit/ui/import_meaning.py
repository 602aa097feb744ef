"""What an uploaded file means: which column is what, and what its grades and ids are read as."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labelkit import importing
from labelkit.importing import Matching, scales
from labelkit.importing.scales import Grade, Levels
from labelkit.ui import heading, notice, tables
from labelkit.wording import counted

LEVELS = ("0", "1", "2", scales.UNJUDGED)
NOTHING_KNOWN = "No column is known by its name."
OWN_ID = {"documents": "doc_id", "queries": "query_id"}


def columns(kind: str, matching: Matching, file_id: str) -> dict[str, str]:
    """Let a person match columns; what is remembered or matched by name stands there already."""
    required = importing.REQUIRED[kind]
    incomplete = any(name not in matching.headers for name in required)
    with st.expander("Columns", expanded=incomplete):
        slots = st.columns(4)
        chosen = {
            name: slots[at % 4].selectbox(
                f"{name} (required)" if name in required else name,
                matching.columns,
                index=_place(matching, name),
                placeholder="no column",
                key=f"lk_column_{name}_{file_id}",
            )
            for at, name in enumerate(importing.NAMES[kind])
        }
    headers = {name: header for name, header in chosen.items() if header is not None}
    said = ", ".join(f"{ours} from “{theirs}”" for ours, theirs in headers.items())
    heading.note(f"{_how(matching, headers)}: {said}." if said else NOTHING_KNOWN)
    return headers


def _how(matching: Matching, headers: dict[str, str]) -> str:
    if headers != matching.headers:
        return "As chosen here"
    return "As in the last file with this header" if matching.remembered else "Matched by name"


def _place(matching: Matching, name: str) -> int | None:
    header = matching.headers.get(name)
    return matching.columns.index(header) if header in matching.columns else None


def ids(kind: str, headers: dict[str, str], file_id: str) -> str:
    """Whether ids are made out of the content, asked where no column holds them."""
    if OWN_ID.get(kind, "") in headers or kind not in OWN_ID:
        return "given"
    made = st.checkbox(
        "There are no ids: make them out of the content (the same content gives the same id)",
        key=f"lk_ids_{file_id}",
    )
    return "from-text" if made else "given"


def pointing(file_id: str) -> tuple[str, str]:
    """How judgments name their queries, and what becomes of those that point to nothing."""
    with st.expander("Ids that the judgments point to"):
        position = st.checkbox(
            "The query numbers count the queries, in the order in which they were imported",
            key=f"lk_position_{file_id}",
        )
        skip = st.checkbox(
            "Leave out rows that point to queries or documents which are not here",
            key=f"lk_skip_{file_id}",
        )
    return ("by-position" if position else "exact", "skip" if skip else "refuse")


def grades(found: Sequence[Grade], file_id: str) -> Levels | None:
    """Ask what each grade of the file is read as; None while they are our own levels or open."""
    asked = scales.question(found, False)
    unknown = any(not grade.known for grade in found)
    with st.expander("Grades", expanded=unknown or bool(asked)):
        if asked:
            heading.note("Say what each grade of the file means here; nothing but 0 is assumed.")
        slots = st.columns(4)
        chosen = {
            grade.value: slots[at % 4].selectbox(
                f"{grade.name} ({counted(grade.count, 'row')}) is read as",
                LEVELS,
                index=_level(grade, bool(asked)),
                placeholder="not said",
                key=f"lk_grade_{grade.value}_{file_id}",
            )
            for at, grade in enumerate(found)
        }
    if any(level is None for level in chosen.values()):
        return None
    mapping = {value: scales.level_of(str(level)) for value, level in chosen.items()}
    same = all(str(level) == value for value, level in mapping.items())
    return None if same and not asked else mapping


def _level(grade: Grade, asked: bool) -> int | None:
    """The place of a grade's own level among the choices; only a 0 is clear on any scale."""
    clear = grade.known and grade.level is not None and (not asked or grade.value == "0")
    return grade.level if clear else None


def open_question(looked_at: importing.ImportPreview) -> bool:
    """Whether it still has to be said what the grades mean."""
    return bool(scales.question(looked_at.grades, looked_at.options.levels is not None))


def read_as(found: Sequence[Grade]) -> None:
    """Show what each grade is read as."""
    tables.show(
        ("grade", "rows", "read as"),
        [(grade.name, f"{grade.count:,}", grade.words) for grade in found],
        label="Grades of the file",
        numbers=("rows",),
    )


def missing(kind: str, headers: dict[str, str], ids_: str) -> bool:
    """Say which column is still needed, if any is; a table may hold one column a rater."""
    needed = importing.missing(kind, headers, ids_from_text=ids_ == "from-text")
    needed = [name for name in needed if (kind, name) != ("judgments", "level")]
    if needed:
        notice.show("warning", f"Say which column holds {', '.join(needed)}.")
    return bool(needed)
