"""The winner under doubt in a real browser: one press to doubt, one to ask for a second look."""

from __future__ import annotations

from pathlib import Path

import harness
import measured
from playwright.sync_api import BrowserContext
from test_access import faults

from labelkit import releases
from labelkit.bench import doubt as doubting
from labelkit.bench import load_run, run_benchmark
from labelkit.judging.second_looks import Look, second_looks
from labelkit.retrieval import Candidate


def test_labels_are_doubted_and_a_second_look_is_asked_for(
    context: BrowserContext, tmp_path: Path
) -> None:
    """The figures stand without a fault of access, and the pair waits for another label."""
    workspace = measured.frozen(tmp_path / "workspace")
    run_benchmark(
        releases.load(releases.find(workspace, "v1"), workspace),
        [Candidate("bm25", "bm25"), Candidate("wordllama", "static", model="wordllama")],
        workspace.runs / "v1-first",
        cache_dir=workspace.cache,
    )
    with harness.serving(workspace.path) as server:
        harness.known_as(context, server, workspace, measured.LEAD)
        page = context.new_page()
        harness.open_page(page, f"{server.url}/benchmark")
        page.get_by_role("button", name="Doubt the labels").click()
        page.get_by_role("region", name="How often each candidate wins").wait_for()
        harness.idle(page)
        assert faults(page) == []
        page.get_by_role("button", name="Ask for another label").first.click()
        page.get_by_text("Another label was asked for on 1 pair").wait_for()
    found = doubting.kept(load_run(workspace.runs / "v1-first"))
    assert found is not None
    keys = [(row["query_id"], row["doc_id"]) for row in found["flip"]["judgments"]]
    looks = second_looks(workspace, measured.LEAD, keys)
    assert Look.ASKED in {one.look for one in looks.values()}
