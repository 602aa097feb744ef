"""A run in pieces holds what the whole file holds, whatever the order of its lines."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.errors import InputError
from labelkit.formats.trec import Scattered, read_run
from labelkit.formats.trec_pieces import grouped_pieces, scattered_pieces

pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, unique=True)


def file_of(folder, rows, packed=False):
    """A run file of (query, document) rows, in their order."""
    text = "".join(f"q{q} Q0 d{d} 1 {d / 7!r} x\n" for q, d in rows).encode()
    path = folder / ("run.gz" if packed else "run.txt")
    path.write_bytes(gzip.compress(text) if packed else text)
    return path


def together(pieces):
    """All pieces as one run; no query may come in two of them."""
    whole = {}
    for piece in pieces:
        assert not whole.keys() & piece.keys()
        whole |= piece
    return whole


@settings(max_examples=60, deadline=None)
@given(pairs, st.booleans(), st.integers(1, 9))
def test_pieces_of_a_grouped_file_make_up_the_run(tmp_path_factory, rows, packed, most):
    """Plain and gzip, for pieces of any size."""
    path = file_of(tmp_path_factory.mktemp("runs"), sorted(rows), packed)
    assert together(grouped_pieces(path, most)) == read_run(path)


@settings(max_examples=60, deadline=None)
@given(pairs, st.booleans(), st.integers(1, 200))
def test_pieces_of_a_scattered_file_make_up_the_run(tmp_path_factory, rows, packed, most_bytes):
    """Lines in any order, spread over any number of temporary files."""
    path = file_of(tmp_path_factory.mktemp("runs"), rows, packed)
    assert together(scattered_pieces(path, most_bytes)) == read_run(path)


def test_a_query_that_goes_on_later_is_noticed(tmp_path):
    """Its first part was already given."""
    path = file_of(tmp_path, [(1, 1), (2, 1), (1, 2)])
    with pytest.raises(Scattered):
        list(grouped_pieces(path, 1))


def test_errors_in_a_scattered_file_name_the_lines_of_the_file_itself(tmp_path):
    """Not those of the temporary files."""
    path = file_of(tmp_path, [(1, 1), (2, 1), (1, 2), (2, 1)])
    with pytest.raises(InputError, match=r"(?s)run.txt.*line 4.*stands twice.*first on line 2"):
        list(scattered_pieces(path, 1))
