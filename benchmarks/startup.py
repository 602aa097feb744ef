"""How fast the command line starts, and what scoring files imports.

Usage: python benchmarks/startup.py. `labelkit --help` in a process of its own, the fastest of ten
(the others show the machine's other work); then `labelkit score` on two files, after which none
of the heavy packages may have been imported.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from floors import Figure, timed, verdict

HEAVY = (
    *("torch", "faiss", "streamlit", "sentence_transformers", "transformers", "openai", "scipy"),
    "pandas",
)
HELP_SECONDS = 0.3
STARTED = "from labelkit.cli import main; main({arguments!r})"
LISTED = """
import atexit, sys
atexit.register(lambda: print("imported:", *[one for one in {heavy!r} if one in sys.modules]))
from labelkit.cli import main
main({arguments!r})
"""


def run(code: str) -> str:
    """What a new interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def imported_by_score(folder: Path) -> list[str]:
    """The heavy packages that `labelkit score` imported."""
    (folder / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\n")
    (folder / "a.run").write_text("q1 Q0 a 1 2.0 a\nq1 Q0 b 2 1.0 a\nq2 Q0 a 1 1.0 a\n")
    arguments = ["score", "--qrels", str(folder / "qrels.txt"), "--run", str(folder / "a.run")]
    lines = run(LISTED.format(heavy=HEAVY, arguments=arguments)).splitlines()
    return lines[-1].split()[1:]


def main() -> None:
    """Measure and judge."""
    help_code = STARTED.format(arguments=["--help"])
    seconds = min(timed(lambda: run(help_code)) for _ in range(10))
    with tempfile.TemporaryDirectory() as folder:
        heavy = imported_by_score(Path(folder))
    if heavy:
        print("labelkit score imported", ", ".join(heavy))
    verdict(
        "startup",
        [
            Figure("labelkit --help, s", seconds, HELP_SECONDS, False),
            Figure("heavy packages imported by labelkit score", float(len(heavy)), 0.0, False),
        ],
        {"help": seconds},
    )


if __name__ == "__main__":
    main()
