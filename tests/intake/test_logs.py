"""Logs: texts stay verbatim, one normal form counts them, and every count adds up."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs_of_people import LOG

from labelkit.errors import InputError
from labelkit.intake.logs import log_columns, read_log
from labelkit.intake.normal import id_of, normalised

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
ROW = st.tuples(TEXT, st.integers(1, 50), st.sampled_from(["", "d1", "d2"]))


@given(st.text(max_size=60))
def test_the_normal_form_is_its_own_normal_form(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once
    assert once == " ".join(once.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Reset  Password", "reset password"),
        (" straße\t", "STRASSE"),
        ("ｃｓｖ　ファイル", "CSV ﾌｧｲﾙ"),
        ("ﬁle", "FILE"),
        ("e\u0301cole", "École"),
    ],
)
def test_case_width_and_white_space_do_not_count_apart(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)
    assert id_of("log", normalised(one)) == id_of("log", normalised(other))


@pytest.mark.parametrize(
    ("one", "other"), [("resume", "résumé"), ("c", "c#"), ("colour", "color"), ("ı", "i")]
)
def test_what_means_something_else_counts_apart(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.lists(ROW, max_size=25))
def test_texts_stay_verbatim_and_counts_add_up(rows: list[tuple[str, int, str]]) -> None:
    """No text is altered, each row is counted once, and the order of rows changes nothing."""
    if not rows:
        return
    data = _jsonl(rows)
    log = read_log("log.jsonl", data)
    said = Counter[str]()
    for text, count, _ in rows:
        said[text] += count
    kept = Counter[str]()
    for group in log.groups:
        kept.update(group.forms)
        assert group.text in group.forms
        assert group.count == sum(group.forms.values())
        assert {normalised(form) for form in group.forms} == {group.key}
        assert max(group.forms.values()) == group.forms[group.text]
    assert kept == Counter({text: n for text, n in said.items() if normalised(text)})
    assert log.searches == kept.total()
    assert log.rows + log.empty == len(rows)
    assert read_log("log.jsonl", _jsonl(rows[::-1])).groups == log.groups
    clicked = sum(count for text, count, doc in rows if doc and normalised(text))
    assert sum(sum(group.clicks.values()) for group in log.groups) == clicked


def _jsonl(rows: list[tuple[str, int, str]]) -> bytes:
    dicts = [{"query": text, "count": n, "clicked": doc} for text, n, doc in rows]
    return "\n".join(json.dumps(one) for one in dicts).encode()


def test_a_log_is_counted_as_a_person_would() -> None:
    log = read_log("log.csv", LOG.encode())
    assert (log.rows, log.searches, log.empty, log.problems) == (6, 9, 1, ())
    first = log.groups[0]
    assert (first.key, first.text, first.count, first.rows) == (
        "reset password",
        "RESET PASSWORD",
        5,
        3,
    )
    assert first.forms == {"RESET PASSWORD": 3, "Reset Password": 1, "reset  password": 1}
    assert (first.sessions, first.first, first.last) == (
        2,
        "2026-01-05T10:00:00",
        "2026-02-01T10:00:00",
    )
    assert first.clicks == {"d2": 3, "d1": 2}
    assert first.filters == {"lang=en": 1}
    assert [group.count for group in log.groups] == [5, 2, 1, 1]


def test_headers_are_known_whatever_their_case_and_can_be_matched_by_hand() -> None:
    data = b"Search Term,Freq\nmend it,2\n"
    columns, headers = log_columns("log.csv", data)
    assert columns == ("Search Term", "Freq")
    assert headers == {"text": "Search Term", "count": "Freq"}
    odd = b"what,how often\nmend it,2\n"
    with pytest.raises(InputError, match="no column 'text'"):
        read_log("log.csv", odd)
    by_hand = read_log("log.csv", odd, headers={"text": "what", "count": "how often"})
    assert by_hand.groups[0].count == 2


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "many", "1e3", "٣x"])
def test_a_count_that_is_none_is_a_problem_of_its_row(count: str) -> None:
    log = read_log("log.csv", f"query,count\nfine,2\nodd,{count}\n".encode())
    [problem] = log.problems
    assert (problem.line, problem.column) == (3, "count")
    assert [group.key for group in log.groups] == ["fine"]


def test_clicks_and_filters_may_be_lists_and_objects() -> None:
    row = {"q": "mend", "clicked": ["d1", 7], "filters": {"type": "faq", "lang": "en"}, "count": 2}
    log = read_log("log.jsonl", json.dumps(row).encode())
    assert log.groups[0].clicks == {"7": 2, "d1": 2}
    assert log.groups[0].filters == {"lang=en, type=faq": 2}
