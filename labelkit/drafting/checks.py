"""Warnings about a drafted query, each with its evidence; a person decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from labelkit.model import Document, Query

LONGEST_COPIED_RUN = 5
COPIED_SHARE = 0.8
FEWEST_WORDS = 3
SIMILAR = 0.85

WORD = re.compile(r"\w+")
FUNCTION_WORDS = frozenset(
    WORD.findall(
        "a an and are as at be by can do does for from how i if in is it its my not of on or so "
        "that the this to use using was what when where which why with you"
    )
)


@dataclass(frozen=True, slots=True)
class Warning:
    """One warning: a short name for the chip, and what it rests on."""

    name: str
    evidence: str


def check(
    draft: Query, source: Document | None, accepted: Sequence[Query] = ()
) -> tuple[Warning, ...]:
    """All warnings about a draft, given its source document and the accepted queries."""
    found = [*_generic(draft), *_near_duplicate(draft, accepted)]
    if source is not None:
        found += [*_lifted(draft, source), *_names_document(draft, source)]
    elif draft.source_doc_id:
        found.append(Warning("source missing", f"{draft.source_doc_id} is not in the corpus"))
    return tuple(found)


def words(text: str) -> list[str]:
    """The words of a text, case folded."""
    return WORD.findall(text.casefold())


def _lifted(draft: Query, source: Document) -> Iterator[Warning]:
    """Longest run of words that also stands in the document, and the share of content words."""
    asked, said = words(draft.text), words(source.text)
    match = SequenceMatcher(None, asked, said, autojunk=False).find_longest_match()
    content = [word for word in asked if word not in FUNCTION_WORDS]
    shared = [word for word in content if word in set(said)]
    share = len(shared) / len(content) if content else 0.0
    if match.size >= LONGEST_COPIED_RUN or (share >= COPIED_SHARE and len(content) > FEWEST_WORDS):
        run = " ".join(asked[match.a : match.a + match.size])
        yield Warning(
            "lifted verbatim",
            f"{share:.0%} of its content words stand in the document; longest run “{run}”",
        )


def _generic(draft: Query) -> Iterator[Warning]:
    content = [word for word in words(draft.text) if word not in FUNCTION_WORDS]
    if len(content) < FEWEST_WORDS and not draft.turns:
        yield Warning("too generic", f"only {len(content)} content words: {' '.join(content)}")


def _names_document(draft: Query, source: Document) -> Iterator[Warning]:
    title, asked = words(source.title), words(draft.text)
    starts = range(len(asked) - len(title) + 1) if title else ()
    if any(asked[start : start + len(title)] == title for start in starts):
        yield Warning("names the document", f"“{source.title}” stands in the query")


def _near_duplicate(draft: Query, accepted: Sequence[Query]) -> Iterator[Warning]:
    asked = set(words(draft.text))
    for query in accepted:
        other = set(words(query.text))
        if asked and len(asked & other) / len(asked | other) >= SIMILAR:
            yield Warning("near-duplicate", f"{query.query_id} asks “{query.text}”")
            return
