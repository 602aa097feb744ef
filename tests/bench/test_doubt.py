"""The winner under doubt: a run and its release in, figures that can be checked out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_release import LEVELS, judgment, small_release

from labelkit import measures
from labelkit.bench import RunResult
from labelkit.bench import doubt as doubting
from labelkit.bench.doubt_figures import Doubt
from labelkit.bench.doubt_text import doubt_text
from labelkit.bench.label_views import given_levels
from labelkit.cli import cli
from labelkit.errors import InputError, NotReady
from labelkit.releases import Release

SPLIT = ("q1", "csv.reader")


@pytest.fixture(scope="module")
def doubled(release: Release) -> Release:
    """The small release with a second rater on all but q4, who differs on one pair, settled."""
    second = [
        {**judgment(query, doc, 2 if (query, doc) == SPLIT else level), "rater": "rater-02"}
        for query, row in LEVELS.items()
        for doc, level in row.items()
        if query != "q4"
    ]
    final = {**judgment(*SPLIT, 1), "rater": "rater-03", "role": "adjudicator"}
    return replace(release, judgments=[*release.judgments, *second, final])


@pytest.fixture(scope="module")
def found(result: RunResult, doubled: Release) -> Doubt:
    """What the analysis says of it."""
    return doubting.doubt(result, doubled, draws=200)


def test_figures_stand_on_the_published_ones(result: RunResult, found: Doubt) -> None:
    """Means are those of the run; chances sum to 1; differences agree with the means."""
    published = {
        one["name"]: one["metrics"]["2"]["ndcg@10"]["mean"]
        for one in result.candidates
        if one["state"] == "completed"
    }
    means = {one.name: one.mean for one in found.candidates}
    assert means == pytest.approx(published)
    assert found.leader == max(means, key=lambda name: means[name])
    for kind in ("labels", "queries", "both"):
        assert sum(getattr(one, kind) for one in found.candidates) == pytest.approx(1)
    for gap in found.differences:
        assert gap.difference == pytest.approx(means[gap.a] - means[gap.b])
        assert gap.labels[0] <= gap.labels[1]
    assert sum(found.tau.counts.values()) == 200
    assert found.pairs == {
        "judged once": 2,
        "judged twice or more": 9,
        "adjudicated": 1,
        "with a second label": 10,
    }


def test_changing_the_named_judgments_changes_the_winner(
    result: RunResult, doubled: Release, found: Doubt
) -> None:
    """The set does what it says when the run is scored with it, by the usual scorer."""
    assert found.flip is not None
    qrels = {query: dict(row) for query, row in doubled.qrels.items()}
    for one in found.flip.judgments:
        assert qrels[one.query_id][one.doc_id] == one.now
        qrels[one.query_id][one.doc_id] = one.flips_at
    after = {}
    for name in result.completed:
        values = measures.evaluate(qrels, result.run(name), ["ndcg@10"]).values[:, 0]
        after[name] = values[values == values].mean()
    assert after[found.flip.rival] > after[found.leader]


def test_views_by_rater_and_by_rule(found: Doubt) -> None:
    """Each rater who judged enough has a line; rules differ where the raters did."""
    lines = {one.name: one for one in (*found.raters, *found.rules)}
    assert list(lines) == ["rater-01", "rater-02", "min", "median", "max"]
    assert (lines["rater-01"].changed, lines["rater-02"].changed) == (0, 1)
    assert (lines["rater-01"].tau, lines["rater-01"].means) == (1, lines["rater-01"].published)
    assert [lines[rule].changed for rule in ("min", "median", "max")] == [0, 0, 1]
    assert lines["rater-02"].pairs == 10


def test_the_newest_rubric_counts_and_checks_do_not() -> None:
    """Of a rater's levels the one under the newest rubric; checks and causes are left out."""

    def said(rater: str, level: int | None, **more: Any) -> Mapping[str, Any]:
        return {**judgment("q", "d", 0), "rater": rater, "level": level, **more}

    rows = [
        said("a", 2, rubric_version=2),
        said("a", 0, rubric_version=1),
        said("b", None, cause="rubric_gap"),
        said("c", 1, round="check"),
        said("d", 1, role="adjudicator"),
    ]
    assert given_levels(rows) == {("q", "d"): {"a": 2}}


def test_without_second_labels_nothing_is_stated(result: RunResult, release: Release) -> None:
    """Nothing is known of errors then: the refusal says what to do."""
    with pytest.raises(NotReady, match="draw a sample for second labels"):
        doubting.doubt(result, release)


def test_another_release_is_refused(result: RunResult, doubled: Release) -> None:
    """The run has to be of this release."""
    with pytest.raises(InputError, match="the run is of release"):
        doubting.doubt(result, replace(doubled, content_sha256="0" * 64))


def test_few_second_labels_are_said_so(found: Doubt) -> None:
    """Ten second labels: the prior speaks, and the text says it."""
    assert any("Only 10 pairs were judged by two people" in one for one in found.warnings)
    text = doubt_text(found.as_dict())
    assert "right 8 times in 10" in text
    assert "labels in doubt" in text


def test_same_seed_same_figures_and_kept_as_json(
    result: RunResult, doubled: Release, found: Doubt, tmp_path: Path
) -> None:
    """What is kept reads back as it was."""
    assert doubting.doubt(result, doubled, draws=200) == found
    copy = RunResult(tmp_path, result.manifest, result.summary)
    assert doubting.kept(copy) is None
    doubting.keep(copy, found)
    assert doubting.kept(copy) == json.loads(json.dumps(found.as_dict()))


def test_command_refuses_a_release_judged_once(result: RunResult, tmp_path: Path) -> None:
    """`labelkit doubt` takes a release folder without a workspace, and says why it cannot."""
    folder = small_release(tmp_path / "v1").folder
    arguments = ["doubt", str(result.folder), "--release", str(folder), "--workspace", "nowhere"]
    said = CliRunner().invoke(cli, arguments)
    assert isinstance(said.exception, NotReady)
