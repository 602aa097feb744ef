"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public test data; tests that need it say so when it is not there."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("LABELKIT_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}; set LABELKIT_SHARED_DATA to its folder")
    return folder
