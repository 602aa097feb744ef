"""An encoder that writes down which texts it was given, and a release large enough to kill.

As a module on PYTHONPATH it is the function of a candidate in the processes of a test.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import numpy as np

SAMPLE = 32
"""The look before a run encodes at most so many texts at once; pieces hold more."""


def encode(texts: list[str], side: str) -> np.ndarray:
    """Eight numbers from each text's hash; the call goes to the log that COUNTED_LOG names."""
    if side == "document" and len(texts) > SAMPLE:
        time.sleep(float(os.environ.get("COUNTED_SECONDS", "0.05")))
    line = json.dumps({"pid": os.getpid(), "side": side, "texts": texts}) + "\n"
    with open(os.environ["COUNTED_LOG"], "ab", buffering=0) as log:
        log.write(line.encode())
    digests = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
    return np.array([list(one) for one in digests], dtype=np.float32) - 127.5


def pieces(log: Path) -> list[tuple[int, list[str]]]:
    """The pieces of documents that were encoded whole: process and texts of each."""
    lines = log.read_text().splitlines() if log.exists() else []
    calls = [json.loads(line) for line in lines if line.endswith("}")]
    return [
        (call["pid"], call["texts"])
        for call in calls
        if call["side"] == "document" and len(call["texts"]) > SAMPLE
    ]


def wait_for(log: Path, count: int, seconds: float = 60) -> None:
    """Until so many pieces are encoded."""
    until = time.monotonic() + seconds
    while len(pieces(log)) < count:
        assert time.monotonic() < until, f"{len(pieces(log))} pieces after {seconds} s"
        time.sleep(0.005)
