"""The releases that there are: as a table, and one of them to verify and take away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from labelkit import releases
from labelkit.errors import LabelkitError
from labelkit.releases import ReleaseRow
from labelkit.ui import clock, heading, navigation, notice, origins, releasing, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element

FORMS = {
    "trec": ("TREC qrels", "qrels.txt with the resolved levels, and one file for each rater."),
    "beir": ("BEIR", "corpus.jsonl, queries.jsonl and qrels/test.tsv."),
    "mteb": ("MTEB task", "The BEIR files and task.py, a retrieval task of the mteb package."),
    "jsonl": ("JSONL", "Every judgment with reason and evidence, and the resolved levels."),
    "csv": ("CSV", "The same for a spreadsheet; what it would run as a formula is defused."),
    "parquet": ("Parquet", "The same with types."),
}
BREAK = "overflow-wrap: anywhere"
"""A hash of 64 signs is wider than a phone."""
NONE_YET = "None yet. A release is what candidates are compared on; it never changes."


def table(held: Sequence[ReleaseRow]) -> None:
    """Draw all releases, newest first."""
    tables.show(
        ("release", "content", "frozen", "queries", "judged pairs", "documents", "alpha", "rubric",
         "rule", "judgments by origin"),
        [_row(row) for row in held],
        label="Releases",
        numbers=("queries", "judged pairs", "documents"),
        wide=True,
    )  # fmt: skip


def _row(row: ReleaseRow) -> list[Any]:
    counts, agreement = row.manifest["counts"], row.manifest["agreement"]
    alpha = spans.figure(agreement["alpha"], 3)
    if agreement["low"] is not None:
        alpha += f" ({spans.between(agreement['low'], agreement['high'])})"
    texts = "" if row.manifest.get("texts", True) else " (no texts)"
    return [
        row.tag,
        row.content_sha256[:12],
        element("span", clock.day(row.frozen_at), cls="lk-keep"),
        f"{counts['queries_judged']:,}",
        f"{counts['pairs_resolved']:,}",
        f"{counts['documents']:,}{texts}",
        _undefined(agreement["undefined"]) or alpha,
        f"v{row.manifest['rubric']['version']}",
        row.manifest["resolution"]["rule"] or "none",
        origins.mix(row.manifest["provenance"]["judgments"]),
    ]


def _undefined(why: str | None) -> str:
    return f"undefined: {why.replace('_', ' ')}" if why else ""


def one(here: Here, held: Sequence[ReleaseRow]) -> None:
    """Ask for one release, and show, verify or download it."""
    if not held:
        heading.note(NONE_YET)
        return
    tags = [row.tag for row in held]
    tag = st.selectbox("Release", tags, key=releasing.LOOKED_AT, bind="query-params", width=220)
    row = next(row for row in held if row.tag == tag)
    origins.note_release(here.workspace, row.tag)
    draw(element("p", f"content {row.content_sha256}", cls="lk-note", style=BREAK))
    if row.manifest["warnings"]:
        releasing.points("Recorded at the freeze", row.manifest["warnings"], "lk-chip")
    if _verified(here, row):
        _downloads(here, row)
    navigation.link("benchmark", "Compare candidates on a release")


def _verified(here: Here, row: ReleaseRow) -> bool:
    """Read every file again, each time, before anything of the release is given out."""
    asked = st.button("Verify", key=f"lk_verify_{row.tag}")
    checked = releases.verify(releases.find(here.workspace, row.tag), here.workspace)
    if not checked.ok:
        said = " ".join(checked.problems)
        notice.show("error", f"{row.tag} is not as it was frozen: {said}")
        heading.note(
            "Nothing is given out of a release that changed. Put its folder back from git or from "
            "a download; the one that was frozen has the content hash above."
        )
    elif asked:
        notice.show("success", f"{row.tag} is byte for byte as it was frozen.")
    return checked.ok


def _downloads(here: Here, row: ReleaseRow) -> None:
    missing = _texts_missing(here, row)
    folder = releases.find(here.workspace, row.tag)
    with st.container(horizontal=True, gap="small"):
        _download(
            "Download (zip)",
            partial(releases.archive, folder, here.workspace),
            row.tag,
            f"lk_download_{row.tag}",
            "The release as it was frozen: for git, for a colleague, for labelkit adopt.",
        )
        for form, (label, what) in FORMS.items():
            if missing is None or form not in releases.NEED_TEXTS:
                file = partial(_export, here, row.tag, form)
                _download(label, file, f"{row.tag}-{form}", f"lk_{form}_{row.tag}", what)
    if missing is not None:
        heading.note(f"BEIR and MTEB need the documents' texts. {missing}")


def _download(label: str, data: Callable[[], bytes], name: str, key: str, what: str) -> None:
    st.download_button(
        label,
        data=data,
        file_name=f"{name}.zip",
        mime="application/zip",
        on_click="ignore",
        key=key,
        help=what,
    )


def _export(here: Here, tag: str, form: str) -> bytes:
    release = releases.load(releases.find(here.workspace, tag), here.workspace)
    if form in releases.NEED_TEXTS:
        release = releases.complete(release, workspace=here.workspace)
    return releases.export_zip(release, form)


def _texts_missing(here: Here, row: ReleaseRow) -> str | None:
    """Why the texts of a release that was frozen without them cannot be put back here."""
    if row.manifest.get("texts", True):
        return None
    try:
        found = releases.load(releases.find(here.workspace, row.tag), here.workspace)
        releases.complete(found, workspace=here.workspace)
    except LabelkitError as error:
        return str(error)
    return None
