"""A run as a document: every form says the same, nothing in it is taken for markup."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from small_release import FAST

from labelkit.bench import RunResult, run_benchmark
from labelkit.bench.documents import as_document
from labelkit.cli.bench import report
from labelkit.errors import InputError
from labelkit.releases import Release
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidate_tables import About, Index


@pytest.fixture(scope="module")
def result(release: Release, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A run with reduced, approximate, failed and excluded candidates."""
    int8 = replace(FAST[1], name="int8", precision="int8", about=About(licence="MIT", price=0.1))
    near = replace(FAST[1], name="near", index=Index("hnsw"))
    out = Candidate("banned", "bm25", excluded="licence <b>under</b> review | *now*")
    bad = Candidate("klingon", "bm25", language="klingon")
    folder = tmp_path_factory.mktemp("run")
    return run_benchmark(release, [*FAST, int8, near, out, bad], folder, cache_dir=cache)


def test_losses_and_papers_are_in_the_summary(result: RunResult) -> None:
    """What precision and index cost, beside the metrics."""
    assert result.candidate("int8")["fidelity"]["cosine_error_max"] < 1e-3
    near = result.candidate("near")
    assert near["index_recall"]["top 10"] == 1.0
    assert near["index_loss"]["ndcg@10"]["mean"] == 0.0
    assert result.candidate("int8")["about"]["licence"] == "MIT"
    assert result.candidate("wordllama-64")["undocumented"] == []


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_document_says_all_and_runs_nothing(form: str, result: RunResult) -> None:
    """Decision, every candidate, losses, reasons, fingerprints; markup in a reason stays text."""
    text = as_document(result, form)
    rendered = MarkdownIt("commonmark").enable("table").render(text) if form == "md" else text
    for name in ("bm25", "int8", "near", "banned", "klingon", "wordllama-64"):
        assert name in rendered
    for word in ("Decision", "no stemmer", "faiss HNSW", "MIT", "fingerprint of bm25"):
        assert word in rendered
    assert "&lt;b&gt;under&lt;/b&gt; review | *now*" in rendered
    assert "<em>now" not in rendered
    assert rendered.count("<table>") >= 5


def test_the_table_is_numbers_for_a_spreadsheet(result: RunResult) -> None:
    """One row per candidate, metric and threshold; those without results too."""
    rows = list(csv.DictReader(io.StringIO(as_document(result, "csv"))))
    by_name = {row["candidate"]: row for row in rows}
    assert by_name["banned"]["state"] == "excluded"
    ndcg = next(r for r in rows if r["candidate"] == "bm25" and r["metric"] == "ndcg@10")
    wanted = result.candidate("bm25")["metrics"]["2"]["ndcg@10"]["mean"]
    assert float(ndcg["mean"]) == wanted


def test_the_command(result: RunResult, tmp_path: Path) -> None:
    """To the terminal and into a file; an unknown form is refused."""
    done = CliRunner().invoke(report, [str(result.folder)])
    assert done.output.startswith("# Benchmark")
    out = tmp_path / "report.html"
    assert (
        not CliRunner()
        .invoke(report, [str(result.folder), "--format", "html", "--out", str(out)])
        .exit_code
    )
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(InputError, match="one of md, html, csv"):
        as_document(result, "pdf")
