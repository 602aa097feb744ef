"""A release that somebody sent: looked at here, made a project of on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import releases
from labelkit.releases import MergeConflict, Release, ReleaseRow
from labelkit.ui import heading, paging, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

SHOWN = 20
_HELD = "lk_colleague"


def show(here: Here, held: Sequence[ReleaseRow]) -> None:
    """Take a zip, verify it, list what it and a release of ours disagree about, say what to do."""
    heading.note(
        "Somebody's release becomes a project of its own, or is merged with one of yours into a "
        "new project. A server holds one project, so the last step is a command in a terminal; "
        "here you see beforehand what it would meet. Nothing of the upload is kept."
    )
    file = st.file_uploader("A release as a zip", type="zip", key="lk_colleague_file")
    if file is None:
        st.session_state.pop(_HELD, None)
        _command("A project of its own, in a folder that does not exist yet", ["RELEASE.zip"])
        return
    theirs = _read(file)
    _facts(theirs)
    if not theirs.texts:
        heading.note("It holds no texts, so no project can be made of it: ask for a whole one.")
        return
    _command("Make a project of it", [file.name])
    _command("Then open it", [], "serve")
    if held:
        _merge(here, held, theirs, file.name)


def _read(file: UploadedFile) -> Release:
    """The release in an upload, verified; read once."""
    kept = st.session_state.get(_HELD)
    if kept is not None and kept[0] == file.file_id:
        found: Release = kept[1]
        return found
    st.session_state.pop(_HELD, None)
    with TemporaryDirectory() as empty:
        found = releases.load(releases.unpack(file, Path(empty) / "release", file.name))
    st.session_state[_HELD] = (file.file_id, found)
    return found


def _facts(theirs: Release) -> None:
    raters = {row["rater"] for row in theirs.judgments if row["role"] == "rater"}
    tables.facts(
        [
            ("release", theirs.tag),
            ("content, verified", theirs.content_sha256[:12]),
            ("queries", f"{len(theirs.queries):,}"),
            ("judged pairs", f"{sum(map(len, theirs.qrels.values())):,}"),
            ("documents", f"{len(theirs.hashes):,}"),
            ("raters", f"{len(raters):,}"),
        ],
        label="What the zip holds",
    )


def _merge(here: Here, held: Sequence[ReleaseRow], theirs: Release, name: str) -> None:
    tag = st.selectbox("Merge it with", [row.tag for row in held], key="lk_merge_with", width=220)
    folder = releases.find(here.workspace, tag)
    ours = releases.load(folder, here.workspace)
    if not ours.texts:
        heading.note(f"{tag} holds no texts: choose one that does.")
        return
    conflicts = releases.merge_conflicts(ours, theirs)
    _conflicts(conflicts, tag)
    chosen = ["--prefer", "first"] if any(one.blocks for one in conflicts) else []
    _command(f"Merge {tag} with it", [*chosen, str(folder), name])
    if chosen:
        heading.note(f"--prefer first takes the words of {tag}, --prefer second the upload's.")


def _conflicts(conflicts: Sequence[MergeConflict], tag: str) -> None:
    if not conflicts:
        heading.note("The two say nothing differently: they merge without a choice.")
        return
    blocking = sum(one.blocks for one in conflicts)
    levels = len(conflicts) - blocking
    heading.note(
        f"{blocking:,} {'needs' if blocking == 1 else 'need'} a choice of side (documents, "
        f"queries, rubric); {levels:,} {'is a level that differs and stays' if levels == 1 else ''}"
        f"{'' if levels == 1 else 'are levels that differ and stay'} open to be settled in the "
        "new project."
    )
    start = paging.ask(len(conflicts), SHOWN, "lk_conflict_page", what="conflicts")
    tables.show(
        ("what", "which", tag, "the upload"),
        [(one.kind, one.item, one.first, one.second) for one in conflicts[start : start + SHOWN]],
        label="Conflicts",
        wide=True,
    )


def _command(title: str, words: Sequence[str], verb: str = "adopt") -> None:
    draw(element("p", f"{title}:", cls="lk-note"))
    st.code(
        shlex.join(["labelkit", verb, "--workspace", "NEW-FOLDER", *words]),
        language=None,
        wrap_lines=True,
    )
