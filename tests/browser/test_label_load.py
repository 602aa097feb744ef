"""Several raters at once through real websocket sessions: nothing lost, doubled, crossed or told.

The same program measures how long a save takes; here only what is right counts.
"""

from __future__ import annotations

import json
import subprocess
import sys

import harness


def test_five_raters_at_once_keep_their_words_apart() -> None:
    command = [sys.executable, str(harness.ROOT / "benchmarks" / "label_latency.py")]
    command += ["--raters", "5", "--seconds", "10", "--every", "2", "--no-browser"]
    done = subprocess.run(
        command, cwd=harness.ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["wrong"] == []
    assert found["saves"] >= 15
