"""Whatever bytes a file holds: it is imported, or an InputError says why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
import small_project as small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelkit import importing
from labelkit.errors import InputError
from labelkit.formats.tables import parse_json
from labelkit.store import Workspace, documents

PIECES = st.sampled_from(
    ["doc_id", "query_id", "text", "level", "rater", "turns", "metadata", "q1", "d1", "0", "2", "3",
     ",", "\t", '"', "\n", "\r", "\r\n", "\0", "\ufeff", "\u2028", "{", "}", "[", ":", "\\ud800",
     "NaN", "1e999", " ", "é", "\x1c", "'"]
)  # fmt: skip
FILES = st.one_of(
    st.lists(PIECES, max_size=40).map("".join).map(str.encode),
    st.binary(max_size=60),
    st.lists(PIECES, max_size=30).map(lambda parts: b"doc_id,text\n" + "".join(parts).encode()),
    st.lists(PIECES, max_size=30).map(
        lambda parts: b"query_id,doc_id,level,rater,reason\nq1,d1," + "".join(parts).encode()
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
COLUMNS = st.sampled_from(
    ["doc_id", "query_id", "text", "title", "metadata", "turns", "tags", "source", "state", "level",
     "cause", "reason", "rater", "round", "other"]
)  # fmt: skip


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    """Two queries and three documents; imports add to them from case to case."""
    with small.folder_in_memory() as folder:
        yield small.build(folder / "w", pooled=False)


def import_or_say_why(workspace: Workspace, kind: str, name: str, data: bytes) -> None:
    with suppress(InputError):
        importing.apply(workspace, importing.preview(workspace, kind, name, data))


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(importing.KINDS),
    ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".txt", ".qrels", ""]),
    data=FILES,
)
def test_any_bytes_are_imported_or_refused_in_words(
    workspace: Workspace, kind: str, ending: str, data: bytes
) -> None:
    import_or_say_why(workspace, kind, f"file{ending}", data)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(importing.KINDS),
    rows=st.lists(st.dictionaries(COLUMNS, VALUES, max_size=6), min_size=1, max_size=3),
)
def test_any_json_values_are_imported_or_refused_in_words(
    workspace: Workspace, kind: str, rows: list[dict[str, object]]
) -> None:
    base = {"doc_id": "d1", "query_id": "q1", "text": "x", "level": 1}
    data = "".join(json.dumps(base | row) + "\n" for row in rows).encode()
    import_or_say_why(workspace, kind, "file.jsonl", data)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200),
    ending=st.sampled_from(["csv", "jsonl"]),
)
def test_any_text_comes_in_as_it_is(workspace: Workspace, text: str, ending: str) -> None:
    quoted = text.replace('"', '""')
    data = f'doc_id,text\nfuzzed,"{quoted}"\n'
    if ending == "jsonl":
        data = json.dumps({"doc_id": "fuzzed", "text": text}, ensure_ascii=False)
    importing.apply(
        workspace, importing.preview(workspace, "documents", f"a.{ending}", data.encode())
    )
    with workspace.reading() as db:
        held = documents.get(db, "fuzzed")
    assert held is not None
    assert held.text == text


@given(VALUES)
def test_strict_json_reads_what_json_reads_but_for_what_cannot_be_kept(value: object) -> None:
    text = json.dumps(value)
    try:
        found = parse_json(text)
    except ValueError:
        assert any(word in text for word in ("NaN", "Infinity", "\\u0000", "\\ud"))
    else:
        assert found == value
