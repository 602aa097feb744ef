"""The lead's question in one call: agreement whole and in parts, for leads only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner

from labelkit.cli import cli
from labelkit.errors import NotAllowed
from labelkit.judging.agreeing import agreement_report
from labelkit.judging.trust import trust, trust_text
from labelkit.store import Workspace


@pytest.fixture
def judged(tmp_path: Path) -> Workspace:
    """Forty pairs with two labels; the second person is off on every fourth."""
    workspace = small.build(tmp_path / "w", query_count=8, document_count=5, quota=2)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(
        workspace,
        small.BO,
        lambda task: 0 if task.pair_id % 4 == 0 else task.pair_id % 3,
    )
    return workspace


def test_every_part_is_there_and_the_parts_sum_to_the_whole(judged: Workspace) -> None:
    told = trust(judged, small.LEAD)
    assert told.report == agreement_report(judged)
    assert [part.units for part in told.halves] == [20, 20]
    assert [part.units for part in told.drift] == [10, 10, 10, 10]
    assert [(part.name, part.units) for part in told.query_sources] == [("log", 40)]
    assert told.document_types[0].name == "no type"
    assert told.rater_pairs[small.ANN, small.BO].alpha == pytest.approx(told.report.alpha)
    people, mixed, models = told.kinds
    assert people.alpha == pytest.approx(told.report.alpha)
    assert (mixed.alpha, models.alpha) == (None, None)
    assert [one.rater for one in told.raters] == [small.ANN, small.BO]
    assert all(one.n == 40 for one in told.raters)
    assert told.plan.present == 40


def test_notes_on_raters_are_for_leads_only(judged: Workspace) -> None:
    with pytest.raises(NotAllowed):
        trust(judged, small.ANN)


def test_an_empty_project_has_reasons_instead_of_figures(tmp_path: Path) -> None:
    told = trust(small.build(tmp_path / "w"), small.LEAD)
    assert told.report.undefined == "no_overlap"
    assert told.plan.assumed
    assert "0 pairs have two labels" in trust_text(told)


def test_the_command_draws_the_sample_that_the_plan_asks_for(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    command = ["second-labels", "--size", "4", "--workspace", str(workspace.path)]
    told = CliRunner().invoke(cli, command)
    assert told.exit_code == 0, told.output
    assert "4 pairs wait for a second label" in told.output
    assert len(small.work_through(workspace, small.BO)) == 4


def test_the_command_prints_all_parts(judged: Workspace) -> None:
    where = ["--full", "--workspace", str(judged.path)]
    told = CliRunner().invoke(cli, ["agreement", *where])
    assert told.exit_code == 0, told.output
    assert "by rater pair:" in told.output
    assert "too few" in told.output
    as_json = json.loads(CliRunner().invoke(cli, ["agreement", "--json", *where]).output)
    assert len(as_json["kinds"]) == 3
