"""Personal data is found by shape and check digits; what only looks near to it is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelkit.intake import personal

FOUND = [
    ("reset jane.doe+shop@mail.example.co.uk now", "email", "jane.doe+shop@mail.example.co.uk"),
    ("JANE_DOE@EXAMPLE.ORG", "email", "JANE_DOE@EXAMPLE.ORG"),
    ("müller@bücher.example", "email", "müller@bücher.example"),
    ("ｊａｎｅ＠example.org", "email", "ｊａｎｅ＠example.org"),
    ("call +49 30 901820 now", "phone", "+49 30 901820"),
    ("+1 (415) 555-2671", "phone", "+1 (415) 555-2671"),
    ("0044 20 7946 0958", "phone", "0044 20 7946 0958"),
    ("tel 030/901820", "phone", "030/901820"),
    ("020 7946 0958 busy", "phone", "020 7946 0958"),
    ("(415) 555-2671", "phone", "(415) 555-2671"),
    ("415-555-2671 no answer", "phone", "415-555-2671"),
    ("card 4111 1111 1111 1111 declined", "card", "4111 1111 1111 1111"),
    ("5500-0000-0000-0004", "card", "5500-0000-0000-0004"),
    ("378282246310005", "card", "378282246310005"),
    ("６０１１１１１１１１１１１１１７", "card", "６０１１１１１１１１１１１１１７"),
    ("DE89 3704 0044 0532 0130 00 overdraft fee", "iban", "DE89 3704 0044 0532 0130 00"),
    ("gb82west12345698765432", "iban", "gb82west12345698765432"),
    ("transfer to NL91ABNA0417164300", "iban", "NL91ABNA0417164300"),
    ("customer 83920174", "digits", "83920174"),
    ("٠١٢٣٤٥٦٧", "digits", "٠١٢٣٤٥٦٧"),
    ("order#4111111111111112", "digits", "4111111111111112"),
]  # fmt: skip

CLEAN = [
    "how do i install python 3.11.7",
    "error 0x80070057",
    "2024-01-15 release notes",
    "15.01.2024 12:30:45",
    "192.168.100.200 unreachable",
    "between 1000 - 2000 rows",
    "price 1,234,567.89",
    "@decorator syntax",
    "user@localhost",
    "git@",
    "ORA-00942",
    "size 10 x 20 x 30 mm",
    "ISO 9001 2015",
    "DE12 is not an account",
    "GB82 WEST 1234 5698 7654 33",
    "pi is 3.14159",
    "rfc 2822 section 3.4.1",
    "call me maybe",
    "",
]


@pytest.mark.parametrize(("text", "kind", "quote"), FOUND)
def test_what_is_personal_is_found_where_it_stands(text: str, kind: str, quote: str) -> None:
    [one] = personal.find(text)
    assert (one.kind, one.quote) == (kind, quote)
    assert text[one.start : one.end] == quote


@pytest.mark.parametrize("text", CLEAN)
def test_what_is_not_personal_is_left_alone(text: str) -> None:
    assert personal.find(text) == ()
    assert personal.masked(text) == text


def test_several_findings_are_named_once_each_and_masked_in_place() -> None:
    text = "mail a@b.example or c@d.example, card 4111111111111111"
    found = personal.find(text)
    assert personal.names(found) == "e-mail address, card number"
    assert personal.masked(text) == "mail [email] or [email], card [card]"


PIECES = [*(quote for _, _, quote in FOUND), *CLEAN, " ", "x", "9", "@", "ß", "\u0660"]


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES)).map(" ".join)))
def test_any_text_is_read_and_places_are_those_of_the_text_itself(text: str) -> None:
    found = personal.find(text)
    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start < one.end for end, one in zip(ends, found, strict=False))
    assert all(text[one.start : one.end] == one.quote for one in found)


@given(st.integers(10**11, 10**17 - 1))
def test_a_card_number_needs_its_check_digit(number: int) -> None:
    """Of the ten numbers with one check digit each, exactly one is a card's."""
    cards = [
        digit
        for digit in range(10)
        if [one.kind for one in personal.find(f"4{number}{digit}")] == ["card"]
    ]
    assert len(cards) == 1
