"""A file for the Queries page: uploaded, its columns matched, read once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from labelkit.formats.options import ReadOptions
from labelkit.intake import columns
from labelkit.ui import heading, import_preview, import_reading, notice, querying_review

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

ENDINGS = [
    "csv",
    "tsv",
    "txt",
    "psv",
    "jsonl",
    "ndjson",
    "json",
    "xlsx",
    "xls",
    "parquet",
    "gz",
    "zip",
]
Made = TypeVar("Made")


def upload(label: str) -> UploadedFile | None:
    """Ask for a file; a new place to drop one appears once its queries are in."""
    return st.file_uploader(label, ENDINGS, key=f"lk_intake_file_{querying_review.turn()}")


def options(file: UploadedFile) -> ReadOptions:
    """How the file is read, where a person said so."""
    said: ReadOptions = st.session_state.get(_options_key(file), ReadOptions())
    return said


def _options_key(file: UploadedFile) -> str:
    return f"lk_intake_read_{file.file_id}"


def match_columns(
    names: columns.Names, required: Sequence[str], file: UploadedFile, *, instead: str = ""
) -> dict[str, str] | None:
    """Let a person match columns; None while one is missing that nothing can be read without.

    Where the column `instead` is there, none is required.
    """
    said = import_reading.ask("", file)
    if said is None:
        return None
    st.session_state[_options_key(file)] = said
    found = once("columns", (file.file_id, said), lambda: _columns(file))
    known = columns.match(names, found)
    incomplete = instead not in known and any(name not in known for name in required)
    with st.expander("Columns", expanded=incomplete):
        chosen = _ask_columns(names, () if instead else required, file, found, known)
    headers = {name: header for name, header in chosen.items() if header is not None}
    missing = [name for name in required if name not in headers]
    if missing and instead not in headers:
        other = f", or {instead}" if instead else ""
        notice.show("warning", f"Say which column holds {', '.join(missing)}{other}.")
        import_preview.unmatched_rows(columns.opened(file.name, file.getvalue(), said))
        return None
    read_as = ", ".join(f"{ours} from “{theirs}”" for ours, theirs in headers.items())
    heading.note(f"Read as: {read_as}.")
    return headers


def _ask_columns(
    names: columns.Names,
    required: Sequence[str],
    file: UploadedFile,
    found: Sequence[str],
    known: Mapping[str, str],
) -> dict[str, str | None]:
    slots = st.columns(4)
    return {
        name: slots[at % 4].selectbox(
            f"{name} (required)" if name in required else name,
            found,
            index=found.index(known[name]) if name in known else None,
            placeholder="no column",
            key=f"lk_intake_column_{name}_{file.file_id}",
        )
        for at, name in enumerate(names)
    }


def _columns(file: UploadedFile) -> tuple[str, ...]:
    return columns.of(columns.opened(file.name, file.getvalue(), options(file)))


def read_once(
    file: UploadedFile,
    headers: Mapping[str, str],
    read: Callable[[UploadedFile, Mapping[str, str]], Made],
) -> Made:
    """What the file holds, read again only when the file or the matching changed."""
    name = (file.file_id, options(file), tuple(sorted(headers.items())))
    return once("file", name, lambda: read(file, headers))


def once(slot: str, name: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` gives, made again only under another name; a slot holds one thing."""
    key = f"lk_intake_{slot}"
    held = st.session_state.get(key)
    if held is None or held[0] != name:
        with st.spinner("Reading"):
            held = st.session_state[key] = (name, make())
    made: Made = held[1]
    return made
