"""These tests are about rules, not about the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import small_project as small


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory, where there is memory for files."""
    with small.folder_in_memory() as folder:
        yield folder
