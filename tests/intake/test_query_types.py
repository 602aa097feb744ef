"""Types of queries and follow-ups: a table of what the rules say, and which rule says it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelkit.errors import InputError
from labelkit.intake import query_types
from labelkit.intake.follow_ups import leaning
from labelkit.model import Turn

BEFORE = (Turn("user", "how do I write a csv file"), Turn("assistant", "Use csv.writer."))

TABLE = [
    ("copy nested list", "keyword", "its length"),
    ("python asyncio queue maxsize timeout", "keyword", "the want of"),
    ("打印机驱动", "keyword", "its length"),
    ("how do i install it", "question", "the question word"),
    ("wie lösche ich mein konto", "question", "the question word"),
    ("printer offline?", "question", "the question mark"),
    ("プリンターが動かないのはなぜですか？", "question", "the question mark"),
    ("the printer does not print in colour any more", "statement", "its words"),
    ("intranet login", "navigational", "a short query that names a place"),
    ("sign in page", "navigational", "a short query that names a place"),
    ("docs.python.org csv", "navigational", "a web address"),
    ("https://example.org/help", "navigational", "a web address"),
    ("ValueError: I/O operation on closed file", "error-code", "an exception's name"),
    ("0x80070057 when updating", "error-code", "a hexadecimal code"),
    ("npm ENOENT no such file", "error-code", "a system's error constant"),
    ("net::ERR_CONNECTION_REFUSED", "error-code", "a system's error constant"),
    ("ORA-00942 table", "error-code", "a code of letters"),
    ("http 502 behind proxy", "error-code", "the word error"),
    ("Fehler 1603 beim Installieren", "error-code", "the word error"),
    ("404 error on upload", "error-code", "a number before"),
    ("release notes 2024-03", "date-bound", "a date"),
    ("invoices from 15.01.2023", "date-bound", "a date"),
    ("holidays in march", "date-bound", "a month"),
    ("deadline 3 May", "date-bound", "a month"),
    ("revenue Q3 2024", "date-bound", "a quarter"),
    ("budget 2025", "date-bound", "a year"),
    ("outage yesterday", "date-bound", "a word that means a time"),
    ("tickets of the last 30 days", "date-bound", "a word that means a time"),
]

NOT_THIS = [
    ("error handling in python", "error-code"),
    ("ISO-9001 certificate", "error-code"),
    ("RFC-2822 dates", "error-code"),
    ("python 3.11.7 install", "date-bound"),
    ("2000 rows at most", "error-code"),
    ("may i return this", "date-bound"),
    ("march madness of threads", "date-bound"),
    ("192.168.2.2024", "date-bound"),
    ("price $2024", "date-bound"),
    ("how do i write a login form with a password field", "navigational"),
    ("csv.DictWriter header", "navigational"),
    ("copy nested list", "follow-up"),
]


@pytest.mark.parametrize(("text", "wanted", "rule"), TABLE)
def test_a_suggestion_names_its_rule(text: str, wanted: str, rule: str) -> None:
    [found] = [one for one in query_types.suggest(text) if one.type == wanted]
    assert found.rule.startswith(rule)
    assert found.evidence.casefold() in text.casefold()
    assert wanted in found.sentence


@pytest.mark.parametrize(("text", "never"), NOT_THIS)
def test_what_only_looks_like_a_type_is_not_suggested(text: str, never: str) -> None:
    assert never not in [one.type for one in query_types.suggest(text)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("and for tabs?", "how it begins"),
        ("What about quoting", "how it begins"),
        ("und was ist mit Umlauten", "how it begins"),
        ("how do I close it again", "a word that points back"),
        ("wie lösche ich diese wieder", "a word that points back"),
        ("please tell me how to undo that", "a word that points back"),
        ("why", "a question word on its own"),
        ("… with a header", "dots at its beginning"),
        ("on windows", "its length"),
    ],
)
def test_a_follow_up_is_recognised_by_a_named_rule(text: str, rule: str) -> None:
    lean = leaning(text, BEFORE)
    assert lean is not None
    assert lean.rule.startswith(rule)
    assert "follow-up" in [one.type for one in query_types.suggest(text, BEFORE)]
    assert leaning(text, ()) is None, "the first turn has nothing to lean on"
    assert leaning(text, BEFORE[1:]) is None, "an assistant's greeting is nothing to lean on"


@pytest.mark.parametrize(
    "text",
    [
        "how do I read a zip archive in memory",
        "sort a dictionary by its values and then print the ten largest of them with counts",
        "open the settings of the printer",
        "is there a library that reads old spreadsheets",
        "können Sie mir das Passwort zurücksetzen",
        "orange juice recipe for ten people",
    ],
)
def test_a_new_topic_in_a_conversation_is_no_follow_up(text: str) -> None:
    assert leaning(text, BEFORE) is None


@given(st.text(max_size=80))
def test_every_text_has_one_form_or_is_navigational(text: str) -> None:
    found = [one.type for one in query_types.suggest(text, BEFORE)]
    forms = {"keyword", "question", "statement", "navigational"}
    assert len(forms & set(found)) == 1
    assert query_types.check(found) == tuple(t for t in query_types.TYPES if t in found)


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'rude' is no type of query; choose from keyword, "):
        query_types.check(["keyword", "rude"])
