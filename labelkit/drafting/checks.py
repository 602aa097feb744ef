"""Warnings about a drafted query, each with its evidence; a person decides.

The rules here need the draft, its document and the accepted queries, and cost so little that
they are asked anew for every wording. What needs the whole corpus stands in `batch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from labelkit.drafting import injection
from labelkit.drafting.words import content_words, places, stems, weight, words
from labelkit.model import Document, Query

LONGEST_COPIED_RUN = 5
COPIED_SHARE = 0.8
FEWEST_WORDS = 3
SIMILAR = 0.85
ALIKE = 0.92
MOST_WORDS = 40
SHARE_ANSWERABLE = 0.25
DEEP = 20

SPEAKS_OF_ITSELF = re.compile(
    r"\b(?:the|this|that|given|above|following|provided)\s+"
    r"(?:passage|document|text|article|excerpt|paragraph|snippet|context|section)\b",
    re.I,
)
LEFTOVERS = re.compile(r"""["']\w+["']\s*:|</?\w+>|^<\w+|&(?:lt|gt|amp|quot|#\d+);|\{\{|```""")


@dataclass(frozen=True, slots=True)
class Warning:
    """One warning: a short name for the chip, and what it rests on.

    `doc_id` names another document to be shown beside; `start` and `end` are characters of the
    source document's text to be marked.
    """

    name: str
    evidence: str
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None


def check(
    draft: Query,
    source: Document | None,
    accepted: Sequence[Query] = (),
    *,
    passage: str | None = None,
    findings: Sequence[Mapping[str, Any]] = (),
) -> tuple[Warning, ...]:
    """All warnings about a draft.

    `source` is its document, `passage` the part it was drafted from (else the whole), `accepted`
    the queries it may repeat, `findings` what `batch` found in the corpus for this wording.
    """
    found = [*_form(draft), *_generic(draft), *_near_duplicate(draft, accepted)]
    if source is not None:
        text = source.text if passage is None else passage
        found += [*_lifted(draft, source), *_names_document(draft, source)]
        found += [*_unanswerable(draft, source, text, findings), *_obeyed(draft, text)]
    elif draft.source_doc_id:
        found.append(Warning("source missing", f"{draft.source_doc_id} is not in the corpus"))
    for one in findings:
        # Of doubles the first is enough: one found by its words, else the nearest in meaning.
        double = "query_id" in one and any(said.name == one["name"] for said in found)
        if "evidence" in one and not double:
            found.append(Warning(one["name"], one["evidence"], one.get("doc_id")))
    return tuple(found)


def _form(draft: Query) -> Iterator[Warning]:
    """What no user types: the marks of a format, an essay, a follow-up that follows nothing."""
    leftover = LEFTOVERS.search(draft.text)
    if leftover:
        yield Warning("not a query", f"it holds “{leftover.group()}”, a mark of the reply's format")
    number = len(words(draft.text))
    if number > MOST_WORDS:
        yield Warning("not a query", f"{number} words; nobody types more than {MOST_WORDS}")
    if "follow-up" in draft.tags and not draft.turns:
        yield Warning("follows nothing", "a follow-up without its earlier message")


def _generic(draft: Query) -> Iterator[Warning]:
    content = content_words(draft.text)
    if weight(content) < FEWEST_WORDS and not draft.turns:
        yield Warning("too generic", f"only {len(content)} content words: {' '.join(content)}")


def _lifted(draft: Query, source: Document) -> Iterator[Warning]:
    """Longest run of words that also stands in the document, and the share of content words."""
    asked, said = words(draft.text), places(source.text)
    matcher = SequenceMatcher(None, asked, [place.word for place in said], autojunk=False)
    match = matcher.find_longest_match()
    content, there = stems(draft.text), set(stems(source.text))
    share = sum(word in there for word in content) / len(content) if content else 0.0
    run = asked[match.a : match.a + match.size]
    many = share >= COPIED_SHARE and weight(content) > FEWEST_WORDS
    if weight(run) >= LONGEST_COPIED_RUN or many:
        yield Warning(
            "lifted verbatim",
            f"{share:.0%} of its content words stand in the document; longest run "
            f"({match.size} words) “{' '.join(run)}”",
            start=said[match.b].start if run else None,
            end=said[match.b + match.size - 1].end if run else None,
        )


def _names_document(draft: Query, source: Document) -> Iterator[Warning]:
    asked = words(draft.text)
    # An id of one word, such as "zip", is an ordinary word of queries.
    ids = (source.doc_id,) if len(words(source.doc_id)) > 1 else ()
    for name in dict.fromkeys((source.title, *ids)):
        wanted = words(name)
        starts = range(len(asked) - len(wanted) + 1) if wanted else ()
        if any(asked[start : start + len(wanted)] == wanted for start in starts):
            yield Warning("names the document", f"“{name}” stands in the query")
            return
    spoken = SPEAKS_OF_ITSELF.search(draft.text)
    if spoken:
        yield Warning("names the document", f"it speaks of “{spoken.group()}”")


def _near_duplicate(draft: Query, accepted: Sequence[Query]) -> Iterator[Warning]:
    asked, text = set(stems(draft.text)), draft.text.casefold()
    matcher = SequenceMatcher(None, "", text, autojunk=False)
    for query in accepted:
        if query.query_id == draft.query_id or query.turns != draft.turns:
            continue
        if _shares(asked, set(stems(query.text))) >= SIMILAR or _alike(matcher, query.text):
            yield Warning("near-duplicate", f"{query.query_id} asks “{query.text}”")
            return


def _shares(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _alike(matcher: SequenceMatcher[str], text: str) -> bool:
    """Whether two wordings are the same but for a few signs, such as a spelling mistake."""
    matcher.set_seq1(text.casefold())
    return (
        matcher.real_quick_ratio() >= ALIKE
        and matcher.quick_ratio() >= ALIKE
        and matcher.ratio() >= ALIKE
    )


def _unanswerable(
    draft: Query, source: Document, passage: str, findings: Sequence[Mapping[str, Any]]
) -> Iterator[Warning]:
    """Hardly a word of it stands in the passage, and no retriever leads there.

    Words alone do not tell: a good paraphrase shares none. A draft in another language than its
    document is left out.
    """
    ranks = next((one["ranks"] for one in findings if "ranks" in one), None)
    language = source.metadata.get("language")
    asked = list(dict.fromkeys(stems(draft.text)))
    if not ranks or any(ranks.values()) or not asked:
        return
    if draft.language and language and draft.language != language:
        return
    there = set(stems(f"{source.title} {passage}"))
    shared = [word for word in asked if word in there]
    if len(shared) <= SHARE_ANSWERABLE * len(asked):
        yield Warning(
            "unanswerable from its passage",
            f"{len(shared)} of its {len(asked)} content words stand in the passage; "
            f"{' and '.join(ranks)} do not find it in the first {DEEP}",
        )


def _obeyed(draft: Query, passage: str) -> Iterator[Warning]:
    evidence = injection.obeyed(draft.text, passage)
    if evidence:
        yield Warning("obeyed the passage?", evidence)
        return
    order = injection.first_order(passage)
    if order:
        yield Warning("passage gives orders", f"its passage speaks to a model: “{order}”")
