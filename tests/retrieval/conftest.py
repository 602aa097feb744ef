"""What the retrieval tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One embedding cache for all tests that do not test the cache."""
    return tmp_path_factory.mktemp("embeddings")
