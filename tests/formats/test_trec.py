"""TREC and BEIR files: read exactly, refused with their line, written to the last bit."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.errors import InputError
from labelkit.formats.trec import read_qrels, read_run, write_qrels, write_run

PACKED = gzip.compress(b"".join(b"q Q0 d%d 1 1.0 t\n" % i for i in range(99)), mtime=0)


def written(tmp_path, data, name="file"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_run_is_scores_by_query_and_document(tmp_path):
    path = written(tmp_path, "q1 Q0 d1 1 2.5 tag\nq1\tQ0\td2\t2\t-1e-3\ttag\nq2 Q0 d1 1 7 tag\n")
    assert read_run(path) == {"q1": {"d1": 2.5, "d2": -0.001}, "q2": {"d1": 7.0}}


def test_junk_at_the_end_of_lines_is_tolerated_as_in_trec_eval(shared_data):
    run = read_run(shared_data / "trec_eval" / "results.trunc")
    assert {query: len(found) for query, found in run.items()} == {"301": 500, "303": 84}
    assert run["301"]["FBIS3-27619"] == 2.138276


def test_lines_of_one_query_need_not_stand_together(tmp_path):
    path = written(tmp_path, "a Q0 x 1 3 t\nb Q0 x 1 3 t\na Q0 y 2 2 t\n")
    assert read_run(path)["a"] == {"x": 3.0, "y": 2.0}


def test_ids_are_strings_kept_exactly(tmp_path):
    """Leading zeros, unusual letters and even a no-break space belong to an id."""
    path = written(tmp_path, "007 Q0 é\u00a0日 1 1.0 t\n1e3 Q0 00 1 1.0 t\n")
    assert read_run(path) == {"007": {"é\u00a0日": 1.0}, "1e3": {"00": 1.0}}


def test_blank_lines_windows_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path):
    path = written(tmp_path, b"\xef\xbb\xbfq 0 d 2\r\n\r\nq 0 e 0\r\n")
    assert read_qrels(path) == {"q": {"d": 2, "e": 0}}


def test_gzip_is_recognised_by_its_bytes_whatever_the_name(tmp_path):
    path = written(tmp_path, gzip.compress(b"q 0 d 1\n"), "qrels.txt")
    assert read_qrels(path) == {"q": {"d": 1}}


def test_beir_qrels_are_recognised_by_their_header(tmp_path):
    path = written(tmp_path, "query-id\tcorpus-id\tscore\nq 1\tdoc a\t2\nq2\td\t1.0\n")
    assert read_qrels(path) == {"q 1": {"doc a": 2}, "q2": {"d": 1}}


def test_real_qrels_of_both_kinds_are_read(shared_data):
    cranfield = read_qrels(shared_data / "cranfield" / "qrels" / "test.tsv")
    assert len(cranfield) > 200
    assert cranfield["1"]["184"] == 2
    assert len(read_qrels(shared_data / "trec_eval" / "qrels.test")) == 3


@pytest.mark.parametrize(("meaning", "level"), [("unjudged", None), ("not_relevant", 0)])
def test_a_negative_level_is_read_as_its_source_means_it(tmp_path, meaning, level):
    path = written(tmp_path, "q 0 d -1\nq 0 e 1\n")
    assert read_qrels(path, negative=meaning)["q"].get("d") == level


def test_the_same_judgment_twice_is_one_judgment(tmp_path):
    assert read_qrels(written(tmp_path, "q 0 d 1\nq 0 d 1\n")) == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("q 0 d -1\n", r"line 1, column 'level'.*--negative"),
        ("q 0 d 1\nq 0 d 2\n", r"line 2: document 'd' of query 'q' has level 2 here and 1 on"),
        ("q 0 d 1.5\n", r"line 1, column 'level': '1.5' is not a level"),
        ("q 0 d high\n", r"'high' is not a level"),
        ("q 0 d nan\n", r"'nan' is not a level"),
        ("\nq d 1\n", r"line 2: 3 columns.*BEIR qrels start with"),
        ("query-id\tcorpus-id\tscore\nq d 1\n", r"line 2: 1 columns.*tabs"),
        (b"q 0 caf\xe9 1\n", r"line 1: byte 7 \(0xe9\) is not UTF-8"),
        (b"q 0 a 1\nq 0 caf\xe9 1\n", r"line 2: byte 15 \(0xe9\)"),
        ("", r"holds no rows"),
        ("\n \n", r"holds no rows"),
    ],
)
def test_bad_qrels_are_refused_with_file_and_line(tmp_path, data, says):
    path = written(tmp_path, data)
    with pytest.raises(InputError, match=says) as caught:
        read_qrels(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("q Q0 d 1 nan t\n", r"line 1, column 'score': 'nan' is not a score"),
        ("q Q0 d 1 best t\n", r"'best' is not a score"),
        ("q Q0 d 1 1.0\n", r"line 1: 5 columns where these are needed: query Q0 document"),
        (
            "q Q0 a 1 3 t\nq Q0 d 2 2 t\nq Q0 d 3 1 t\n",
            r"line 3: document 'd' stands twice for query 'q', first on line 2",
        ),
        (b"\x1f\x8bnot really gzip", r"gzip data is broken"),
        (PACKED[:60], r"gzip data is broken"),
        (
            gzip.compress("q Q0 é 1 1 t\n".encode("latin-1"), mtime=0),
            r"byte 5 \(0xe9\) is not UTF-8",
        ),
    ],
)
def test_bad_runs_are_refused_with_file_and_line(tmp_path, data, says):
    path = written(tmp_path, data)
    with pytest.raises(InputError, match=says) as caught:
        read_run(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_run(tmp_path / "absent")
    with pytest.raises(InputError, match="Is a directory"):
        read_qrels(tmp_path)


word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(
    lambda text: text.encode().split() == [text.encode()] and not text.startswith("\ufeff")
)
scores = st.floats(allow_nan=False, allow_infinity=True)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(word, st.dictionaries(word, scores, min_size=1, max_size=5), min_size=1),
    st.sampled_from(["run.txt", "run.gz"]),
)
def test_a_run_comes_back_as_it_was_written(tmp_path_factory, run, name):
    path = tmp_path_factory.mktemp("run") / name
    write_run(path, run, "bm25")
    assert read_run(path) == run


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(word, st.dictionaries(word, st.integers(0, 9), min_size=1), min_size=1))
def test_qrels_come_back_as_they_were_written(tmp_path_factory, qrels):
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    write_qrels(path, qrels)
    assert read_qrels(path) == qrels


def test_a_written_run_is_ranked_and_the_same_bytes_whatever_the_insertion_order(tmp_path):
    one = {"q2": {"a": 1.0}, "q1": {"a": 0.1 + 0.2, "b": 0.5, "c": 0.5}}
    other = {"q1": dict(reversed(one["q1"].items())), "q2": {"a": 1.0}}
    for name, run in (("one.gz", one), ("other.gz", other)):
        write_run(tmp_path / name, run, "tag")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()).decode().splitlines() == [
        "q1 Q0 c 1 0.5 tag",
        "q1 Q0 b 2 0.5 tag",
        "q1 Q0 a 3 0.30000000000000004 tag",
        "q2 Q0 a 1 1.0 tag",
    ]


def test_depth_cuts_a_written_run(tmp_path):
    write_run(tmp_path / "run", {"q": {"a": 1.0, "b": 2.0}}, "t", depth=1)
    assert read_run(tmp_path / "run") == {"q": {"b": 2.0}}


@pytest.mark.parametrize("bad", ["", "two words", "tab\there", "line\nbreak"])
def test_what_the_format_cannot_carry_is_not_written(tmp_path, bad):
    path = written(tmp_path, "kept")
    for run, name in (({"q": {bad: 1.0}}, "t"), ({bad: {"d": 1.0}}, "t"), ({"q": {"d": 1.0}}, bad)):
        with pytest.raises(InputError, match="empty or holds whitespace"):
            write_run(path, run, name)
    with pytest.raises(InputError, match="document id"):
        write_qrels(path, {"q": {bad: 1}})
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "kept"
