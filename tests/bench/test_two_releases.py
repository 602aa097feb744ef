"""The change ledger on the command line, and a release whose texts stayed at home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small
from test_bench_commands import run

from labelkit import releases
from labelkit.releases import Release

TWO = '[[candidate]]\nname = "bm25"\n[[candidate]]\nname = "wordllama"\n'


def test_the_ledger_names_what_changed(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One release, two candidates of one run: all of the difference is the system's."""
    two = tmp_path / "two.toml"
    two.write_text(TWO, encoding="utf-8")
    out, nowhere = str(tmp_path / "run"), str(tmp_path / "none")
    asked = ("--candidates", str(two), "--out", out, "--workspace", nowhere)
    assert run(capsys, "bench", "--release", str(release.folder), *asked)[0] == 0
    command = ("ledger", out, out, "--candidate", "bm25", "--workspace", nowhere)
    code, text, _ = run(capsys, *command, "--as", "wordllama", "--json")
    told = json.loads(text)
    assert code == 0
    assert told["system_changed"] == pytest.approx(told["total"], abs=1e-12)
    assert (told["labels_changed"], told["queries_added"]) == (0, 0)
    code, text, _ = run(capsys, *command)
    assert "(+0.000): labels changed +0.000" in text


def test_bench_asks_for_the_corpus_and_runs_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = small.build(tmp_path / "w", query_count=3, document_count=6)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    whole = releases.freeze(workspace, "whole", small.LEAD).folder
    bare = releases.freeze(workspace, "bare", small.LEAD, texts=False).folder
    one = tmp_path / "one.toml"
    one.write_text('[[candidate]]\nname = "bm25"\n', encoding="utf-8")
    elsewhere = ("--workspace", str(tmp_path / "none"), "--candidates", str(one))
    asked = ("bench", "--release", str(bare), *elsewhere, "--out", str(tmp_path / "run"))
    code, _, error = run(capsys, *asked)
    assert code == 1
    assert "--corpus FILE" in error
    code, text, _ = run(capsys, *asked, "--corpus", str(whole / "documents.jsonl"))
    assert code == 0
    assert "bm25" in text
