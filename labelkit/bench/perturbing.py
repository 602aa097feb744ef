"""Seeded changes of queries and documents under which a good retriever keeps its answers."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from labelkit.model import Document, Query

COPY = "~copy"
LONG_ENOUGH = 4
"""Letters of a word that may be misspelled, and words of a query that may lose one."""
PUNCTUATION = re.compile(r"[^\w\s]", re.UNICODE)
GREETING = ("Hello, I hope you are well. My question is: ", " Thank you very much in advance!")
HEADER = "Home > Documentation > Index | Search | Log in | Print this page\n\n"
FOOTER = "\n\nWas this page helpful? Yes No | Contact us | Privacy | All rights reserved."

QueryChange = Callable[[str, random.Random], str]


def misspelled(text: str, draw: random.Random) -> str:
    """Two neighbouring letters of one longer word change places."""
    words = [word for word in re.finditer(r"[^\W\d_]+", text) if len(word[0]) >= LONG_ENOUGH]
    if not words:
        return text
    word = draw.choice(words)
    at = draw.randrange(word.start(), word.end() - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def upper(text: str, draw: random.Random) -> str:
    """All in capital letters."""
    return text.upper()


def without_punctuation(text: str, draw: random.Random) -> str:
    """Every sign becomes a space."""
    return " ".join(PUNCTUATION.sub(" ", text).split()) or text


def one_word_less(text: str, draw: random.Random) -> str:
    """One word is dropped, where there are enough of them."""
    words = text.split()
    if len(words) < LONG_ENOUGH:
        return text
    at = draw.randrange(len(words))
    return " ".join(words[:at] + words[at + 1 :])


def in_boilerplate(text: str, draw: random.Random) -> str:
    """A greeting before it and thanks behind."""
    return f"{GREETING[0]}{text}{GREETING[1]}"


QUERY_CHANGES: Mapping[str, QueryChange] = {
    "spelling": misspelled,
    "casing": upper,
    "punctuation": without_punctuation,
    "dropped word": one_word_less,
    "query boilerplate": in_boilerplate,
}


def doubled(documents: Sequence[Document]) -> list[Document]:
    """Every document stands there twice; the copies are judged by nobody."""
    copies = [replace(one, doc_id=one.doc_id + COPY) for one in documents]
    return [*documents, *copies]


def framed(documents: Sequence[Document]) -> list[Document]:
    """The head and foot of a web page around every text."""
    return [replace(one, text=f"{HEADER}{one.text}{FOOTER}") for one in documents]


def turned(documents: Sequence[Document]) -> list[Document]:
    """The first half of every text, cut at a line or a word, is moved to its end."""
    return [replace(one, text=_turned(one.text)) for one in documents]


def _turned(text: str) -> str:
    middle = len(text) // 2
    cut = next((at for sign in "\n " if (at := text.find(sign, middle)) >= 0), -1)
    if cut < 0:
        return text
    return f"{text[cut + 1 :]}{text[cut]}{text[:cut]}"


DOCUMENT_CHANGES: Mapping[str, Callable[[Sequence[Document]], list[Document]]] = {
    "duplicates": doubled,
    "document boilerplate": framed,
    "answer at the end": turned,
}
CHANGES = (*QUERY_CHANGES, *DOCUMENT_CHANGES)


def perturbed(
    name: str, documents: Sequence[Document], queries: Sequence[Query], seed: int
) -> tuple[list[Document], list[Query]]:
    """Documents and queries after one of `CHANGES`; the same for the same seed.

    Only a query's own words are changed, not its earlier turns; where a follow-up was rewritten,
    the rewriting is changed in the same way.
    """
    if name in DOCUMENT_CHANGES:
        return DOCUMENT_CHANGES[name](documents), list(queries)
    change = QUERY_CHANGES[name]
    return list(documents), [_changed(query, name, change, seed) for query in queries]


def _changed(query: Query, name: str, change: QueryChange, seed: int) -> Query:
    rewritten = query.rewritten_text
    return replace(
        query,
        text=change(query.text, _draw(seed, name, query.query_id)),
        rewritten_text=rewritten and change(rewritten, _draw(seed, name, query.query_id)),
    )


def _draw(*parts: object) -> random.Random:
    """Random numbers that belong to one query and change, whatever else is perturbed."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return random.Random(digest)
