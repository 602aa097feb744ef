"""The demo's documents: what the running Python says about itself.

`harvest()` starts `walk.py` in a bare interpreter (there the rules are written down) and reads
what it prints. `python -m labelkit.demo.harvest` prints the same JSON lines, and with
`--show DOC_ID` one document's title and text.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from labelkit.errors import LabelkitError
from labelkit.model import Document

WALK = Path(__file__).with_name("walk.py")
BARE = ("-I", "-S", "-B", "-W", "ignore")
"""No environment variables, no site-packages, no .pyc files written, no warnings."""


def harvest() -> list[Document]:
    """Every document of the demo corpus, sorted by `doc_id`; the same on each run of one Python."""
    return [_document(line) for line in _walk().splitlines()]


def _walk() -> str:
    done = subprocess.run(
        [sys.executable, *BARE, str(WALK)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise LabelkitError(
            f"Cannot harvest the documentation of {sys.executable}: the walk over its standard "
            f"library ended with code {done.returncode} ({last}). "
            f"Run `{sys.executable} {' '.join(BARE)} {WALK}` to see all of it."
        )
    return done.stdout


def _document(line: str) -> Document:
    row = json.loads(line)
    return Document(row["doc_id"], row["title"], row["text"], row["metadata"])


def _printed(documents: list[Document], show: str | None) -> Iterator[str]:
    for document in documents:
        if show is None:
            yield json.dumps(
                {
                    "doc_id": document.doc_id,
                    "title": document.title,
                    "text": document.text,
                    "metadata": dict(document.metadata),
                }
            )
        elif document.doc_id == show:
            yield f"{document.title}\n\n{document.text}"


def main(arguments: list[str] | None = None) -> int:
    """Print all documents as JSON lines, or the one asked for."""
    parser = argparse.ArgumentParser(prog="python -m labelkit.demo.harvest", description=__doc__)
    parser.add_argument("--show", metavar="DOC_ID", help="print this document's title and text")
    show = parser.parse_args(arguments).show
    printed = list(_printed(harvest(), show))
    if not printed:
        print(f"No document {show!r} is harvested from this Python.", file=sys.stderr)
        return 1
    print("\n".join(printed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
