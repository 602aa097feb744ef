"""The Benchmark page: figures with intervals, nothing that disappears, and how a run begins."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import markup, press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import jobs
from labelkit.bench import load_run
from labelkit.store import Workspace
from labelkit.store import jobs as records

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/benchmark.py"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A finished run of four candidates: two with results, one failed, one excluded."""
    return measured.benched(tmp_path_factory.mktemp("benched") / "workspace")


def test_run_shows_decision_figures_and_what_did_not_run(
    workspace: Workspace, open_page: Open
) -> None:
    """Decision first; each figure with n and interval; failed and excluded ones with why."""
    run = load_run(workspace.runs / "v1-first")
    app = open_page(workspace, PAGE, measured.LEAD)
    shown = words(app)
    assert run.decision in shown
    assert "release v1 · 6 queries" in shown
    assert "relevant = level 2 · primary nDCG@10" in shown
    for head in ("nDCG@10 (n = 6)", "Recall@10 (n = ", "MRR@10 (n = ", "judged@10", "p95 ms"):
        assert head.lower() in shown.lower(), head
    figure = run.candidate("bm25")["metrics"]["2"]["ndcg@10"]
    assert f"{figure['mean']:.3f}" in shown
    assert "too-wide is failed: stopped before it ran: asks for 9999 dimensions" in shown
    assert "dear is excluded: costs too much" in shown
    assert "cannot be told apart" in shown
    assert markup(app).count("lk-dot") >= 6


def test_pairs_levels_and_what_ran_stand_behind_the_table(
    workspace: Workspace, open_page: Open
) -> None:
    """Differences pair by pair, the other threshold, the chunking of each candidate."""
    shown = words(open_page(workspace, PAGE, measured.LEAD))
    assert "bm25 against bm25-windows" in shown or "bm25-windows against bm25" in shown
    assert "windows of 400 characters, overlap 100" in shown
    assert "whole document" in shown


def test_the_shortlist_stands_on_paper_before_a_run_and_an_uploaded_file_stays_chosen(
    workspace: Workspace, open_page: Open
) -> None:
    """A job hides the form and with it the upload; what was chosen comes back with it."""
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "wordllama MIT this machine unknown unknown 64, 128, 256 -" in words(app)
    file = (
        b'[[candidate]]\nname = "short"\nkind = "static"\nmodel = "wordllama"\ndimensions = 100\n'
    )
    app.session_state["lk_bench_kept_file"] = ("mine.toml", file)
    shown = words(app.run())
    assert "Still chosen: mine.toml" in shown
    assert "short MIT this machine" in shown
    assert "cut to 100 dimensions, which is not documented for this model" in shown
    press(app, "Leave mine.toml out")
    assert "Still chosen" not in words(app)


def test_parts_of_the_queries_have_their_own_lines(workspace: Workspace, open_page: Open) -> None:
    """A part can be chosen; all queries stand beside it."""
    app = open_page(workspace, PAGE, measured.LEAD)
    by = next(box for box in app.selectbox if box.label == "By")
    by.select("turns").run()
    assert "all queries 6" in words(app)
    assert "follow-up turn 1" in words(app)


def test_unfinished_run_can_go_on(workspace: Workspace, open_page: Open) -> None:
    """A run whose process is gone shows how far it came and goes on in the same folder."""
    folder = workspace.runs / "v1-second"
    folder.mkdir()
    for name in ("manifest.json", "summary.json"):
        text = (workspace.runs / "v1-first" / name).read_text(encoding="utf-8")
        half = text.replace('"state": "completed"', '"state": "running"', 1)
        (folder / name).write_text(half, encoding="utf-8")
    app = open_page(workspace, PAGE, measured.LEAD)
    app.selectbox(key="lk_run").select("v1-second").run()
    assert "This run did not finish" in words(app)
    press(app, "Go on with this run")
    [job] = [job for job in jobs.list_jobs(workspace, "bench") if not job.ended]
    jobs.cancel(workspace, job.job_id)
    assert job.arguments["out"] == str(folder)
    assert job.arguments["release"] == "v1"


def test_start_needs_a_candidate(workspace: Workspace, open_page: Open) -> None:
    """Refused before anything runs."""
    app = open_page(workspace, PAGE, measured.LEAD)
    app.multiselect[0].set_value([])
    press(app, "Start the run")
    assert "Choose at least one candidate." in said(app)


def test_failed_job_says_why(tmp_path: Path, open_page: Open) -> None:
    """The reason of the last failure stands above the form to start again."""
    workspace = measured.frozen(tmp_path / "workspace")
    job_id = records.create(workspace, "bench", {"release": "v1"})
    records.end(workspace, job_id, "failed", "The release is not as it was frozen.")
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "The last one failed: The release is not as it was frozen." in said(app)
    assert any(button.label == "Start the run" for button in app.button)


def test_without_a_release_the_page_points_to_one(tmp_path: Path, open_page: Open) -> None:
    """Nothing frozen: what to do first, and no form."""
    app = open_page(measured.judged(tmp_path / "workspace"), PAGE, measured.LEAD)
    assert "nothing is frozen yet" in words(app)
    assert not any(button.label == "Start the run" for button in app.button)


def test_a_run_begun_here_is_shown_once_it_is_there(
    workspace: Workspace, tmp_path: Path, open_page: Open
) -> None:
    """Its folder may come later than the page's next run; until then the older run is shown."""
    mine = Workspace.open(shutil.copytree(workspace.path, tmp_path / "w"))
    app = open_page(mine, PAGE, measured.LEAD)
    app.session_state["lk_begun_run"] = "v1-later"
    app.run()
    assert app.selectbox(key="lk_run").value != "v1-later"
    shutil.copytree(mine.runs / "v1-first", mine.runs / "v1-later")
    app.run()
    assert app.selectbox(key="lk_run").value == "v1-later"
    assert "lk_begun_run" not in app.session_state
