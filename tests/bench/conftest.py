"""One release and one finished run for the tests that only read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from small_release import FAST, small_release

from labelkit.bench import RunResult, run_benchmark
from labelkit.releases import Release
from labelkit.retrieval import Candidate

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The small release."""
    return small_release(tmp_path_factory.mktemp("releases") / "v1")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One embedding cache for all."""
    return tmp_path_factory.mktemp("embeddings")


@pytest.fixture(scope="session")
def broken() -> list[Candidate]:
    """One candidate of each kind of trouble."""
    return [
        Candidate("klingon", "bm25", language="klingon"),
        Candidate("nowhere", "encoder", model="nobody/nothing"),
        Candidate("banned", "bm25", excluded="licence under review"),
    ]


@pytest.fixture(scope="session")
def result(
    release: Release,
    cache: Path,
    broken: list[Candidate],
    tmp_path_factory: pytest.TempPathFactory,
) -> RunResult:
    """A finished run of bm25, wordllama and wordllama-64, with three that could not run."""
    out = tmp_path_factory.mktemp("runs") / "first"
    return run_benchmark(release, [*FAST, *broken], out, cache_dir=cache)
