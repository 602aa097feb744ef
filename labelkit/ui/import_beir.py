"""A BEIR data set as one upload: corpus, queries and one set of qrels, all of it or nothing."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import importing
from labelkit.formats.source import from_bytes
from labelkit.importing import ImportOptions, beir, large
from labelkit.importing.counting import of_kind
from labelkit.ui import heading, import_large, import_meaning, import_preview, session
from labelkit.ui.frame import Here

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def look(here: Here, file: UploadedFile) -> bool:
    """Show what the archive holds and offer its import; whether it was imported."""
    files = beir.in_zip(from_bytes(file.name, file.getvalue()))
    splits = [PurePosixPath(name).stem for name in files if name.startswith("qrels/")]
    split = None
    if splits:
        at = splits.index("test") if "test" in splits else 0
        split = st.selectbox("Qrels", splits, index=at, key=f"lk_split_{file.file_id}")
    qrels = beir.choose(files, split, file.name)
    if files["corpus.jsonl"].size >= large.LARGE:
        import_large.offer(here, file, ImportOptions(), kind="beir", split=split)
        return False
    looked_at = beir.look(here.workspace, files, qrels)
    levels = import_meaning.grades(looked_at[2].grades, file.file_id) if qrels else None
    if levels is not None:
        looked_at = beir.look(here.workspace, files, qrels, ImportOptions(levels=levels))
    wrong = [one for one in looked_at if one.problems]
    for one in wrong[:1]:
        heading.note(f"In {one.file}:")
        import_preview.problems(one)
    return False if wrong else _offer(here, looked_at, file)


def _offer(here: Here, looked_at: list[importing.ImportPreview], file: UploadedFile) -> bool:
    for one in looked_at:
        import_preview.notes(one)
    what = ", ".join(of_kind(len(one.items), one.kind) for one in looked_at)
    if not st.button(f"Import {what}", type="primary", key=f"lk_beir_{file.file_id}"):
        return False
    reports = importing.write_all(here.workspace, looked_at, by=here.person.name)
    session.say("success", " ".join(report.sentence for report in reports))
    return True
