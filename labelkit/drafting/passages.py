"""Passages of documents: where they begin and end, and which of them give nothing to ask."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from labelkit.drafting.prompt import Task
from labelkit.model import Document

NO_TYPE = "(no type)"
TYPE_FIELDS = ("type", "kind", "category")
REPEATED = 5
"""A paragraph that stands in this many documents is boilerplate."""

LETTERS = 0.5
"""A passage with fewer letters than this, as a share of its signs, is a table or a dump."""

PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters `[start, end)` of a document, and what to draft from them."""

    doc_id: str
    title: str
    text: str
    start: int
    end: int
    tasks: tuple[Task, ...] = ()

    @property
    def sha256(self) -> str:
        """SHA-256 of what the model is shown of the document."""
        return hashlib.sha256(f"{self.title}\n{self.text}".encode()).hexdigest()


@dataclass(slots=True)
class Eligible:
    """Documents that can be drawn, by type, each with its passages; and why others cannot."""

    spans: dict[str, dict[str, list[tuple[int, int]]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    skipped: Counter[str] = field(default_factory=Counter)


def find_type_field(corpus: Iterable[Document]) -> str:
    """The first metadata field that is known to hold a type and that some document has."""
    seen: set[str] = set()
    for document in corpus:
        seen |= set(TYPE_FIELDS) & set(document.metadata)
        if TYPE_FIELDS[0] in seen:
            break
    return next((name for name in TYPE_FIELDS if name in seen), TYPE_FIELDS[0])


def type_of(document: Document, name: str) -> str:
    """The type of a document, as text."""
    value = document.metadata.get(name)
    return NO_TYPE if value in (None, "") else str(value)


def cut(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """Passages `[start, end)`: whole paragraphs, as many as fit, a longer one at white space."""
    start = end = -1
    for first, last in _pieces(text, longest):
        if start >= 0 and last - start > longest:
            yield start, end
            start = first
        start, end = (first, last) if start < 0 else (start, last)
    if start >= 0:
        yield start, end


def _pieces(text: str, longest: int) -> Iterator[tuple[int, int]]:
    for match in PARAGRAPH.finditer(text):
        first, last = match.span()
        while last - first > longest:
            space = text.rfind(" ", first + 1, first + longest)
            middle = space if space > first else first + longest
            yield first, middle
            first = middle + (space > first)
        yield first, last


def find_eligible(
    corpus: Iterable[Document],
    type_field: str,
    *,
    shortest_words: int,
    longest_characters: int,
    repeated: set[int],
    taken: set[str],
) -> Eligible:
    """The passages of documents that have no query yet, and how many documents have none."""
    found = Eligible()
    for document in corpus:
        if document.doc_id in taken:
            found.skipped["covered by a query"] += 1
            continue
        spans = list(cut(document.text, longest_characters))
        long = [span for span in spans if _words(document.text, span) >= shortest_words]
        good = [span for span in long if not _boilerplate(document.text[slice(*span)], repeated)]
        if good:
            found.spans[type_of(document, type_field)][document.doc_id] = good
        else:
            found.skipped["boilerplate" if long else "too short"] += 1
    return found


def _words(text: str, span: tuple[int, int]) -> int:
    return len(WORD.findall(text[slice(*span)]))


def _boilerplate(passage: str, repeated: set[int]) -> bool:
    """Whether most of its words stand in many documents, or most of its signs are no letters."""
    signs = [sign for sign in passage if not sign.isspace()]
    if sum(sign.isalpha() for sign in signs) < LETTERS * len(signs):
        return True
    words = [(len(WORD.findall(part)), _key(part)) for part in PARAGRAPH.findall(passage)]
    common = sum(number for number, key in words if key in repeated)
    return 2 * common > sum(number for number, _ in words)


def repeated_paragraphs(corpus: Iterable[Document]) -> set[int]:
    """The paragraphs, as hashes, that stand in so many documents that they say nothing."""
    counts: Counter[int] = Counter()
    for document in corpus:
        counts.update({_key(part) for part in PARAGRAPH.findall(document.text)})
    return {key for key, number in counts.items() if number >= REPEATED}


def _key(paragraph: str) -> int:
    """A paragraph's hash, the same in every process, whatever its case and spacing."""
    folded = " ".join(paragraph.casefold().split())
    return int.from_bytes(
        hashlib.blake2b(folded.encode("utf-8", "replace"), digest_size=8).digest()
    )
