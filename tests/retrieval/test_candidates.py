"""A candidate file is read whole, or refused with the file, the candidate and the key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labelkit.errors import InputError
from labelkit.retrieval import (
    Chunking,
    candidate_from_dict,
    default_candidates,
    load_candidates,
    parse_candidates,
)

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo" / "candidates.toml"


def load(tmp_path: Path, text: str) -> list[object]:
    """Read candidates from a text."""
    path = tmp_path / "candidates.toml"
    path.write_text(text, encoding="utf-8")
    return list(load_candidates(path))


def test_a_built_in_name_alone_is_that_candidate_and_keys_change_it(tmp_path: Path) -> None:
    """The shortest file, and one changed key."""
    text = '[[candidate]]\nname = "bm25"\n[[candidate]]\nname = "wordllama-64"\ndimensions = 128\n'
    first, second = load(tmp_path, text)
    assert first == default_candidates()[0]
    assert (second.model, second.dimensions) == ("wordllama", 128)  # type: ignore[attr-defined]


def test_every_field_of_a_chunked_encoder_is_read(tmp_path: Path) -> None:
    """Chunking is a table in the table."""
    text = (
        '[[candidate]]\nname = "mine"\nkind = "encoder"\nmodel = "some/model"\n'
        'query_prompt = "query: "\nmax_length = 128\nturns = "prepend"\n'
        'chunking = { scheme = "windows", size = 800, overlap = 200 }\n'
    )
    (mine,) = load(tmp_path, text)
    assert mine.chunking == Chunking("windows", 800, 200)  # type: ignore[attr-defined]
    assert mine.query_prompt == "query: "  # type: ignore[attr-defined]
    assert mine.document_prompt is None  # type: ignore[attr-defined]


@pytest.mark.parametrize("candidate", default_candidates(), ids=lambda one: one.name)
def test_a_candidate_survives_its_dictionary(candidate: object) -> None:
    """What a manifest records can be run again."""
    assert candidate_from_dict(candidate.as_dict()) == candidate  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[candidate]]\nname = "a"\nkind = "bm25"\nk2 = 1\n', r"candidate 1 \(a\).*'k2'.*known"),
        ('[[candidate]]\nname = "a"\nkind = "magic"\n', "unknown kind 'magic'"),
        ('[[candidate]]\nname = "a"\nkind = "encoder"\n', "needs the key 'model'"),
        ('[[candidate]]\nname = "a"\n', "needs the key 'kind'"),
        ('[[candidate]]\nname = "a/b"\nkind = "bm25"\n', "becomes a file name"),
        ('[[candidate]]\nname = "a"\nkind = "bm25"\nk1 = "x"\n', "k1 must be a number"),
        ('[[candidate]]\nname = "wordllama"\ndimensions = true\n', "must be a whole number"),
        ('[[candidate]]\nname = "wordllama"\ndimensions = 0\n', "must be at least 1"),
        ('[[candidate]]\nname = "bm25"\nchunking = { sise = 3 }\n', "'chunking.sise'"),
        ('[[candidate]]\nname = "bm25"\nturns = "all"\n', "ignore, prepend"),
        ('[[candidate]]\nname = "bm25"\n[[candidate]]\nname = "bm25"\n', "two candidates"),
        ('name = "bm25"\n', "unknown key 'name'"),
        ("", r"no \[\[candidate\]\] table"),
        ("[[candidate\n", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file and what is wrong in it."""
    with pytest.raises(InputError, match=message) as refused:
        load(tmp_path, text)
    assert refused.value.file == tmp_path / "candidates.toml"


ENDPOINT = 'kind = "endpoint"\nmodel = "m"\nservice = { base_url = "http://x/v1", '
SEARCH = 'kind = "http"\nhttp = { url = "http://x/", ids = "hits[*].id", '
STATIC = 'kind = "static"\nmodel = "wordllama"\n'


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('kind = "bm25"\nk1 = nan', "k1 must be a number, not nan"),
        ('kind = "bm25"\nb = 7', "b one from 0 to 1"),
        ('kind = "bm25"\nabout = { price = -1 }', "about.price must be a number of at least 0"),
        ('kind = "bm25"\nabout = { matryoshka = [0] }', "about.matryoshka"),
        ('kind = "random"\ndimensions = 100_000_000', "at most 16,384"),
        (STATIC + 'index = { kind = "hnsw", links = 1 }', "index.links must be a number from 2"),
        (STATIC + 'index = { kind = "ivf", probes = 0 }', "index.probes must be a number of at"),
        (STATIC + 'index = { kind = "ivf", lists = -1 }', "index.lists must be a number of at"),
        (ENDPOINT + "attempts = 0 }", "service.attempts must be a number from 1 to 100"),
        (ENDPOINT + "timeout = 0 }", "service.timeout must be a number from 0.1 to 3,600"),
        (
            ENDPOINT.replace("http:", "ftp:") + "timeout = 1 }",
            "must begin with http:// or https://",
        ),
        (SEARCH + 'body = "{}" }', "http.body must hold {query}"),
        (SEARCH + 'method = "get" }', "http.url must hold {query}"),
        ('kind = "fusion"\nparts = [["bm25"], ["wordllama"]]', "parts must be a list of names"),
        ('kind = "fusion"\nparts = ["bm25", "bm25"]', "names 'bm25' twice"),
        ('kind = "fusion"\nparts = ["bm25", "wordllama"]\nweights = [1, inf]', "list of numbers"),
    ],
)
def test_a_value_that_would_fail_in_the_middle_of_a_run_is_refused_before(
    tmp_path: Path, keys: str, message: str
) -> None:
    """faiss ends the process at one link; the line is that of the table."""
    with pytest.raises(InputError, match=re.escape(message)) as refused:
        load(tmp_path, f'[[candidate]]\nname = "bm25"\n\n[[candidate]]\nname = "a"\n{keys}\n')
    assert refused.value.line == 4


@pytest.mark.parametrize("text", ['candidate = ["bm25"]\n', "candidate = [1]\n", "candidate = 1\n"])
def test_candidates_that_are_no_tables_are_refused(tmp_path: Path, text: str) -> None:
    """The name alone is not enough."""
    with pytest.raises(InputError, match=r"no \[\[candidate\]\] table"):
        load(tmp_path, text)


def test_a_file_as_windows_saves_it_is_read_and_another_encoding_is_named() -> None:
    """A mark at the start, lines that end in two characters; UTF-16 is refused."""
    text = '[[candidate]]\r\nname = "bm25"\r\n'
    (one,) = parse_candidates(text.encode("utf-8-sig"), "c.toml")
    assert one.name == "bm25"
    with pytest.raises(InputError, match="save it as UTF-8"):
        parse_candidates(text.encode("utf-16"), "c.toml")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """No traceback for a typing error in a path."""
    with pytest.raises(InputError, match="no such candidate file"):
        load_candidates(tmp_path / "none.toml")


def test_the_demo_file_lists_the_built_in_candidates_and_more() -> None:
    """The example that ships can be read."""
    names = [one.name for one in load_candidates(DEMO)]
    assert names[:4] == [one.name for one in default_candidates()]
