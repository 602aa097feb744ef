"""Looks at candidates on the Benchmark page: preflight, changed queries, latency, trust."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import jobs
from labelkit.bench import panels
from labelkit.retrieval import default_candidates
from labelkit.retrieval.embed import silent
from labelkit.store import Workspace

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/benchmark.py"
BM25, WORDLLAMA = default_candidates()[:2]
FILE = b"""
[[candidate]]
name = "theirs"
kind = "endpoint"
model = "m"
service = { base_url = "http://127.0.0.1:9/v1", key_variable = "SOME_KEY" }
chunking = { scheme = "function", function = "os:system" }
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A frozen release and no run."""
    return measured.frozen(tmp_path / "workspace")


def test_what_the_looks_find_is_kept_and_shown(workspace: Workspace, open_page: Open) -> None:
    """The jobs' own functions, then the page: each kind behind its title, with its figures."""
    wide = {**WORDLLAMA.as_dict(), "name": "too-wide", "dimensions": 9999}
    asked = {"release": "v1", "candidates": [BM25.as_dict(), WORDLLAMA.as_dict(), wide]}
    for kind in panels.KINDS:
        jobs.handler(kind)(workspace, asked, silent)
        assert panels.latest(workspace, kind, "v1") is not None
    assert panels.latest(workspace, "preflight", "v2") is None
    app = open_page(workspace, PAGE, measured.LEAD)
    shown = words(app)
    for expected in (
        "would be stopped", "asks for 9999 dimensions; the model has 256", "encodes nothing",
        "no prompt", "nDCG@10 as it stands", "dropped word", "16 at once",
        "first answer after a start", "queries a second", "Measured on",
    ):  # fmt: skip
        assert expected in shown, expected
    assert shown.count("too-wide: asks for 9999 dimensions") >= 2
    assert not app.exception


def test_look_first_starts_a_job_and_shows_its_progress(
    workspace: Workspace, open_page: Open
) -> None:
    """The form's release and candidates are the job's; nothing else can be started meanwhile."""
    app = open_page(workspace, PAGE, measured.LEAD)
    app.multiselect[0].set_value(["bm25"])
    press(app, "Look first")
    (job,) = jobs.list_jobs(workspace, "preflight")
    assert [one["name"] for one in job.arguments["candidates"]] == ["bm25"]
    jobs.cancel(workspace, job.job_id)


def test_a_file_that_reaches_outside_is_run_only_when_trusted(
    workspace: Workspace, open_page: Open
) -> None:
    """Code, addresses and keys are named before anything starts."""
    app = open_page(workspace, PAGE, measured.LEAD)
    app.file_uploader[0].set_value(("theirs.toml", FILE, "application/toml")).run()
    shown = words(app)
    assert "theirs runs the Python function os:system" in shown
    assert "theirs sends documents and queries to http://127.0.0.1:9/v1" in shown
    assert "theirs sends the content of the environment variable SOME_KEY there" in shown
    press(app, "Look first")
    assert "Say first that you trust the candidate file." in said(app)
    assert not jobs.list_jobs(workspace, "preflight")
