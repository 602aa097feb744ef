"""The demo as `make demo` builds it: real documents, real models, our labels."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from labelkit import judging, releases
from labelkit.store import Workspace

JUDGED_IN_FULL = ("bm25", "wordllama", "all-MiniLM-L6-v2", "minilm-turns")


def run_demo(path):
    """`labelkit demo` in a process of its own; its figures and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "labelkit.cli", "demo", "--workspace", str(path), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's workspace with its summary, built once."""
    path = tmp_path_factory.mktemp("demo") / "workspace"
    summary, _ = run_demo(path)
    return Workspace.open(path), summary


def metric(summary, name, metric):
    candidate = next(one for one in summary["candidates"] if one["name"] == name)
    return candidate["metrics"]["2"][metric]


class TestDemo:
    """One build, many looks at it."""

    def test_every_document_that_the_three_retrievers_rank_was_judged(self, demo):
        _, summary = demo
        for name in JUDGED_IN_FULL:
            assert metric(summary, name, "judged@10")["mean"] == 1.0, name

    def test_a_candidate_that_did_not_fill_the_pool_shows_its_holes(self, demo):
        _, summary = demo
        assert metric(summary, "wordllama-64", "judged@10")["mean"] < 0.9
        assert "wordllama-64" in summary["decision"]

    def test_at_least_sixty_queries_are_frozen_and_the_release_verifies(self, demo):
        workspace, _ = demo
        release = releases.load(releases.find(workspace, "v1"), workspace)
        assert len(release.queries) >= 60
        assert sum(map(len, release.qrels.values())) == 1739

    def test_alpha_stands_on_the_second_labels_as_they_fell(self, demo):
        workspace, _ = demo
        report = judging.agreement_report(workspace)
        assert report.pairable_units == 160
        assert report.alpha == pytest.approx(0.957, abs=0.001)
        assert len(report.conflicts) == 6
        check = judging.agreement_report(workspace, rounds=("first", "check"))
        assert check.pairable_units == 30

    def test_every_figure_says_that_the_labels_are_the_demos_own(self, demo):
        workspace, summary = demo
        assert any("not by domain experts" in line for line in summary["warnings"])
        manifest = releases.load(releases.find(workspace, "v1"), workspace).manifest
        assert any("not by domain experts" in line for line in manifest["warnings"])
        assert set(manifest["provenance"]["judgments"]) == {"demo"}

    def test_drafts_wait_for_review_and_pairs_for_labels(self, demo):
        workspace, _ = demo
        counts = judging.count(judging.load(workspace))
        assert counts.queries_draft >= 30
        assert counts.pairs_unjudged > 500

    def test_a_second_build_reuses_the_first_and_says_the_same(self, demo):
        workspace, summary = demo
        again, said = run_demo(workspace.path)
        assert again == summary
        assert "Using the demo" in said
