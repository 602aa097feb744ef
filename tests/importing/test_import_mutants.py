"""Two thousand damaged copies of real files: each is imported whole or refused in words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import small_project as small

from labelkit import importing
from labelkit.errors import InputError
from labelkit.formats.options import ReadOptions
from labelkit.importing import ImportOptions, scales
from labelkit.store import Workspace

MUTANTS = 2_000
LONGEST = 3_000
"""Only the head of a text file is mutated: what can go wrong goes wrong there, and faster."""

WHOLE = (".xls", ".xlsx", ".zip")
OTHER_ENDINGS = (*WHOLE, ".json", ".jsonl", ".csv", ".parquet", ".gz", "")
PIECES = [b"", b"\0", b"\xff", b'"', b"\n", b"\r", b",", b"\t", b"{", b"[", b"]", b"}",
          b"\xef\xbb\xbf", b"\xff\xfe", b"PK\x03\x04", b"doc_id", b"text", b"query_id", b"<",
          b"-1", b"9" * 400, b"\xed\xa0\x80", b".I ", b"NaN", b"\\ud800",
          b"' or 1=1", b"=cmd()"]  # fmt: skip
OPTIONS = [
    ImportOptions(),
    ImportOptions(ids="from-text"),
    ImportOptions(ReadOptions(encoding="detect"), ids="from-text"),
    ImportOptions(ReadOptions(encoding="cp1252", header_row=0), ids="from-text"),
    ImportOptions(levels=scales.parse("0-3,blank=unjudged"), unknown="skip"),
]


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    """Two queries and three documents."""
    with small.folder_in_memory() as folder:
        yield small.build(folder / "w", pooled=False)


def mutated(draw: random.Random, data: bytes) -> bytes:
    """A copy with a few bytes replaced, taken out, repeated or put in."""
    found = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        start = draw.randrange(len(found) + 1)
        end = min(len(found), start + draw.choice([0, 1, 2, 8, 64]))
        piece = draw.choice([*PIECES, bytes(found[start:end]) * 2, draw.randbytes(3)])
        found[start:end] = piece
    return bytes(found[: draw.choice([len(found), len(found), draw.randrange(len(found) + 1)])])


def headers_for(draw: random.Random, kind: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Some of our columns read from some of the file's, as a person might match them."""
    names = list(importing.NAMES[kind])
    chosen = draw.sample(names, draw.randint(0, len(names)))
    return {name: draw.choice(columns) for name in {*chosen, *importing.REQUIRED[kind]}}


def whole(workspace: Workspace) -> tuple[int, ...]:
    """How many rows each table that an import fills has."""
    tables = ("documents", "queries", "judgments", "pairs", "imports", "document_revisions")
    with workspace.reading() as db:
        return tuple(db.execute(f"select count(*) from {t}").fetchone()[0] for t in tables)


def bring(workspace: Workspace, draw: random.Random, name: str, data: bytes) -> bool:
    """Look at a file in some way and import it; a refusal leaves nothing. Whether it came in."""
    kind, options = draw.choice(importing.KINDS), draw.choice(OPTIONS)
    before = whole(workspace)
    try:
        headers = None
        columns = importing.match_columns(kind, name, data, options).columns
        if columns and draw.random() < 0.7:
            headers = headers_for(draw, kind, columns)
        looked_at = importing.preview(workspace, kind, name, data, headers=headers, options=options)
        report = importing.apply(workspace, looked_at)
    except InputError as error:
        refused = str(error)
    else:
        after, at = whole(workspace), importing.KINDS.index(kind)
        assert kind == "runs" or after[at] - before[at] == report.added
        return True
    assert refused
    assert whole(workspace) == before
    return False


@pytest.mark.parametrize("seed", range(4))
def test_damaged_copies_of_real_files(workspace: Workspace, shared_data: Path, seed: int) -> None:
    files = [path for path in sorted((shared_data / "messy").rglob("*")) if path.is_file()]
    files += sorted((shared_data / "llm_replies").glob("*.txt"))
    files.append(shared_data / "quepid" / "book_export_wide.csv")
    files.append(shared_data / "cranfield" / "orig" / "cran.qry")
    draw, came_in = random.Random(seed), 0
    for _ in range(MUTANTS // 4):
        path = draw.choice(files)
        content = path.read_bytes()
        name = path.name if draw.random() < 0.8 else f"{path.stem}{draw.choice(OTHER_ENDINGS)}"
        data = mutated(draw, content if path.suffix in WHOLE else content[:LONGEST])
        came_in += bring(workspace, draw, name, data)
    assert 0 < came_in < MUTANTS // 4


def test_a_pulled_plug_at_any_row_leaves_nothing(workspace: Workspace) -> None:
    """An error in the middle of writing takes all of the file back."""
    before = whole(workspace)
    data = b"query_id,doc_id,level,rater\nq1,d1,1,Zed\nq1,d2,1,ZED\n"
    with suppress(InputError):
        importing.apply(workspace, importing.preview(workspace, "judgments", "a.csv", data))
    assert whole(workspace) == before
