"""How an uploaded file is read: what is detected, and what a person may say instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from labelkit.formats import reading
from labelkit.formats.encodings import USUAL
from labelkit.formats.options import BY_NAME, FORMATS, ReadOptions
from labelkit.formats.source import from_bytes
from labelkit.ui import heading, import_words, notice

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

DETECTED = "detected"
ENCODINGS = ("utf-8", "utf-16", *USUAL)
QUOTES = {"double quotes": '"', "single quotes": "'", "none": ""}


def ask(kind: str, file: UploadedFile) -> ReadOptions | None:
    """What is said of a file's form; None while its encoding has to be said first."""
    question = reading.not_unicode(from_bytes(file.name, file.getvalue()), kind)
    asked = st.empty()  # above the fields that answer it
    with st.expander("How the file is read", expanded=question is not None):
        said = _fields(file, question.guess if question else "")
    if question is not None and said.encoding is None:
        notice.show("error", import_words.on_page(str(question)), asked)
        heading.note("Once the encoding is chosen, the rows are shown before any is imported.")
        return None
    return said


def _fields(file: UploadedFile, guess: str) -> ReadOptions:
    first, second, third = st.columns(3)
    encodings = dict.fromkeys([*([guess] if guess else []), *ENCODINGS])
    encoding = _choice(first, "Encoding", list(encodings), file.file_id, open_=True)
    delimiter = _choice(second, "Delimiter", list(BY_NAME), file.file_id)
    quote = _choice(third, "Quotes", list(QUOTES), file.file_id)
    form = _choice(first, "Format", list(FORMATS), file.file_id)
    header = second.number_input(
        "Header line (0: there is none)",
        0,
        value=None,
        key=f"lk_read_header_{file.file_id}",
        placeholder=DETECTED,
    )
    return ReadOptions(
        format=form,
        encoding=encoding,
        delimiter=BY_NAME[delimiter] if delimiter else None,
        quote=QUOTES[quote] if quote else None,
        header_row=None if header is None else int(header),
        sheet=_sheet(third, file),
    )


def _sheet(slot: st.delta_generator.DeltaGenerator, file: UploadedFile) -> str | None:
    if ".xls" not in file.name.lower():
        return None
    name = slot.text_input("Sheet", key=f"lk_read_sheet_{file.file_id}", placeholder=DETECTED)
    return name or None


def _choice(
    slot: st.delta_generator.DeltaGenerator,
    label: str,
    choices: list[str],
    file_id: str,
    *,
    open_: bool = False,
) -> str | None:
    """One thing to be said of a file; nothing chosen means that it is detected."""
    chosen = slot.selectbox(
        label,
        choices,
        index=None,
        placeholder=DETECTED,
        accept_new_options=open_,
        key=f"lk_read_{label}_{file_id}",
    )
    return str(chosen) if chosen else None
