"""The Failures page: two candidates side by side, and holes sent to be judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import markup, press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.bench import Outcome, failures, load_run
from labelkit.releases import load
from labelkit.store import Workspace

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/failures.py"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A finished run."""
    return measured.benched(tmp_path_factory.mktemp("benched") / "workspace")


def test_counts_and_lists_are_those_of_the_report(workspace: Workspace, open_page: Open) -> None:
    """The five counts, the first query by difference, its need and both ranked lists."""
    app = open_page(workspace, PAGE, measured.LEAD)
    a, b = (app.selectbox(key=f"lk_{side}").value for side in "ab")
    report = failures(load_run(workspace.runs / "v1-first"), load(workspace.releases / "v1"), a, b)
    shown = words(app)
    names = {Outcome.ONLY_A: f"only {a} answers", Outcome.ONLY_B: f"only {b} answers"}
    counted = " ".join(f"{names.get(one, one.value)} {n}" for one, n in report.counts.items())
    assert counted in shown
    first = report.queries[0]
    assert first.text in shown
    for name in (a, b):
        for one in report.ranking(name, first.query_id):
            assert f"{one.rank} {one.title}" in shown
            assert all(reason.reason in shown for reason in one.reasons[:1])


def test_winning_chunk_is_marked_in_its_document(workspace: Workspace, open_page: Open) -> None:
    """The windowed candidate marks its chunk; the whole-document one marks nothing."""
    app = open_page(workspace, PAGE, measured.LEAD)
    page = markup(app)
    assert "<mark>" in page
    assert page.count("<mark>") < page.count("lk-hit")
    assert '<details class="lk-hit" open' not in page
    app.toggle[0].set_value(True).run()
    assert '<details class="lk-hit" open' in markup(app)


def test_hole_is_sent_with_one_click(tmp_path: Path, open_page: Open) -> None:
    """The pair waits on the Label page, and the list says so instead of offering it again."""
    workspace = measured.benched(tmp_path / "workspace")
    app = open_page(workspace, PAGE, measured.LEAD)
    before = judging.count(judging.load(workspace)).pairs
    offered = [b for b in app.button if b.label == "Send to the labeling queue"]
    offered[0].click().run()
    assert "On the Label page now" in said(app)
    assert judging.count(judging.load(workspace)).pairs == before + 1
    assert "in the queue now" in words(app)
    left = [b for b in app.button if b.label == "Send to the labeling queue"]
    assert len(left) < len(offered)


def test_all_holes_of_a_query_are_sent_together(tmp_path: Path, open_page: Open) -> None:
    """One button for every document that nobody judged for this query."""
    app = open_page(measured.benched(tmp_path / "workspace"), PAGE, measured.LEAD)
    every = next(b for b in app.button if b.label.startswith("Send all"))
    every.click().run()
    assert not [b for b in app.button if b.label.startswith("Send ")]


def test_next_previous_and_the_address(workspace: Workspace, open_page: Open) -> None:
    """The address names run, candidates and query, so that a link shows the same."""
    app = open_page(workspace, PAGE, measured.LEAD)
    press(app, "Next")
    second = app.query_params["query"]
    assert {"run", "a", "b", "query"} <= set(app.query_params)
    press(app, "Previous")
    assert app.query_params["query"] != second
    other = open_page(workspace, PAGE, measured.LEAD)
    other.query_params["query"] = second
    other.run()
    assert second in words(other)


def test_candidates_are_never_compared_with_themselves(
    workspace: Workspace, open_page: Open
) -> None:
    """Choosing the other one as first leaves the first as second."""
    app = open_page(workspace, PAGE, measured.LEAD)
    a, b = (app.selectbox(key=f"lk_{side}").value for side in "ab")
    app.selectbox(key="lk_a").select(b).run()
    assert app.selectbox(key="lk_b").value == a
    assert not app.exception


def test_without_a_run_the_page_points_to_the_benchmark(tmp_path: Path, open_page: Open) -> None:
    """Nothing to compare yet: what to do first."""
    app = open_page(measured.judged(tmp_path / "workspace"), PAGE, measured.LEAD)
    assert "once a benchmark run has finished" in words(app)
