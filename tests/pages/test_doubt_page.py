"""The winner under doubt on the Benchmark page: asked for, kept, and a second look asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from click.testing import CliRunner
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import releases
from labelkit.bench import doubt as doubting
from labelkit.bench import load_run, run_benchmark
from labelkit.cli import cli
from labelkit.judging.second_looks import Look, second_looks
from labelkit.model import Role
from labelkit.retrieval import Candidate
from labelkit.store import Workspace, people

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/benchmark.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A finished run of two that differ, on a release with every second pair judged twice."""
    workspace = measured.frozen(tmp_path / "workspace")
    run_benchmark(
        releases.load(releases.find(workspace, "v1"), workspace),
        [Candidate("bm25", "bm25"), Candidate("wordllama", "static", model="wordllama")],
        workspace.runs / "v1-first",
        cache_dir=workspace.cache,
    )
    return workspace


def test_doubt_is_asked_for_once_and_kept(workspace: Workspace, open_page: Open) -> None:
    """The button computes it; from then on the figures stand on the page."""
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "Labels can be wrong" in words(app)
    press(app, "Doubt the labels")
    shown = words(app)
    assert "versions of the labels that the second labels leave possible" in shown
    assert "wins, both in doubt" in shown
    assert "Kendall's tau" in shown
    assert "pairs were judged by two people: the raters' errors are mostly what the prior" in shown
    assert "fooled with the cube of a rater's odds" in shown
    again = words(open_page(workspace, PAGE, measured.LEAD))
    assert "wins, both in doubt" in again
    assert "Labels can be wrong" not in again


def test_a_lead_asks_for_a_second_look(workspace: Workspace, open_page: Open) -> None:
    """One press asks for another label on the named pairs; then the page says so."""
    app = open_page(workspace, PAGE, measured.LEAD)
    press(app, "Doubt the labels")
    found = doubting.kept(load_run(workspace.runs / "v1-first"))
    assert found is not None
    keys = [(row["query_id"], row["doc_id"]) for row in found["flip"]["judgments"]]
    before = second_looks(workspace, measured.LEAD, keys)
    possible = [key for key in keys if before[key].look == Look.POSSIBLE]
    assert possible
    many = len(possible) > 1
    press(app, f"Ask for another label on all {len(possible)}" if many else "Ask for another label")
    assert "Another label was asked for on" in said(app)
    after = second_looks(workspace, measured.LEAD, possible)
    assert {one.look for one in after.values()} == {Look.ASKED}
    assert "another label: asked for" in [one.value for one in app.caption]


def test_a_reviewer_reads_and_asks_for_nothing(workspace: Workspace, open_page: Open) -> None:
    """No button to ask; the levels are shown to someone who does not rate."""
    rea = people.add(workspace, "Rea Viewer", [Role.REVIEWER]).person_id
    app = open_page(workspace, PAGE, rea)
    press(app, "Doubt the labels")
    assert "flips at" in words(app)
    assert not [button for button in app.button if button.label.startswith("Ask for another")]


def test_command_prints_the_same_figures(workspace: Workspace) -> None:
    """`labelkit doubt` says in text and JSON what the page says."""
    arguments = ["doubt", str(workspace.runs / "v1-first"), "--workspace", str(workspace.path)]
    text = CliRunner().invoke(cli, arguments)
    assert text.exit_code == 0, text.output
    assert "versions of the labels" in text.output
    figures = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).output)
    assert {one["name"] for one in figures["candidates"]} == {"bm25", "wordllama"}
    assert figures["draws"] == 1_000
