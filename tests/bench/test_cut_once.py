"""A run cuts the corpus once per chunking scheme, and hashes its chunks once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_release import small_release

from labelkit.bench import Plan, run_benchmark
from labelkit.model import Document
from labelkit.retrieval import Candidate, Chunking, chunk_tables, chunking
from labelkit.retrieval.chunk_tables import ChunkTables

STATIC = Candidate("static", "static", model="wordllama")
WINDOWS = replace(STATIC, name="windows", chunking=Chunking("windows", 60, 10))
FUSED = Candidate("fused", "fusion", parts=(Candidate("bm25", "bm25"), WINDOWS))


def test_every_scheme_is_cut_and_hashed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether there is work, the look before, the run, a second candidate and a fusion's parts
    read the same chunks."""
    cut, hashed = Counter[str](), Counter[int]()
    real_cut, real_keys = chunking.cut, chunking.text_keys

    def counting_cut(documents: Any, scheme: Chunking, *rest: Any) -> Any:
        cut[str(scheme)] += 1
        return real_cut(documents, scheme, *rest)

    def counting_keys(texts: Any) -> Any:
        hashed[id(texts)] += isinstance(texts, chunking.ChunkTexts)
        return real_keys(texts)

    monkeypatch.setattr(chunk_tables, "cut", counting_cut)
    monkeypatch.setattr(chunking, "text_keys", counting_keys)
    candidates = [STATIC, replace(STATIC, name="short", dimensions=64), WINDOWS, FUSED]
    plan = Plan(resamples=50, depth=10)
    release, out = small_release(tmp_path / "release"), tmp_path / "run"
    run = run_benchmark(release, candidates, out, plan, cache_dir=tmp_path / "cache")
    assert [run.candidate(one.name)["state"] for one in candidates] == ["completed"] * 4
    assert cut == {str(STATIC.chunking): 1, str(WINDOWS.chunking): 1}
    assert sum(hashed.values()) == 2


def test_tables_of_other_tokenizers_and_old_ones_are_apart() -> None:
    """Two are kept; a model's tokens are its own."""
    tables, tokens = ChunkTables([Document("a", "", "one two three")]), Chunking("tokens", 1)
    first = tables.table(tokens, "text", lambda text: [(0, 4), (4, 13)], "one")
    second = tables.table(tokens, "text", lambda text: [(0, 8), (8, 13)], "two")
    assert list(first.texts) == ["one ", "two three"]
    assert list(second.texts) == ["one two ", "three"]
    whole = tables.table(Chunking(), "text")
    assert tables.table(Chunking(), "text") is whole
    assert len(tables._tables) == chunk_tables.HELD
