"""Which passages to draft from: by the traffic mix, seeded, without those that give nothing."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from labelkit import retrieval
from labelkit.drafting.passages import (
    Eligible,
    Passage,
    find_eligible,
    find_type_field,
    repeated_paragraphs,
    type_of,
)
from labelkit.drafting.prompt import STYLES, Task
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QuerySource, QueryState
from labelkit.store import Workspace, documents, drafts, queries

REAL = (QuerySource.LOG, QuerySource.CONVERSATION, QuerySource.FAILURE)
MOST_LOG_QUERIES = 2_000


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What is asked for: how many passages, what of each, and which are too short or too long.

    `shares` maps a document type to its share of the traffic, in any unit; None takes it from
    the project's real queries. `type_field` names the metadata field; "" finds it.
    """

    passages: int = 50
    per_passage: int = 2
    seed: int = 0
    styles: tuple[str, ...] = ("keywords", "question", "hard")
    languages: tuple[str, ...] = ()
    shares: Mapping[str, float] | None = None
    type_field: str = ""
    shortest_words: int = 25
    longest_characters: int = 2_000

    def __post_init__(self) -> None:
        unknown = [style for style in self.styles if style not in STYLES]
        if unknown or not self.styles:
            raise InputError(f"Choose styles among {', '.join(STYLES)}, not {unknown or 'none'}.")
        if min(self.passages, self.per_passage, self.shortest_words) < 1:
            raise InputError("Passages, queries a passage and words a passage are at least 1.")
        if self.longest_characters < 200:
            raise InputError("A passage needs at least 200 characters to hold an answer.")
        bad = {k: v for k, v in (self.shares or {}).items() if not 0 <= v < math.inf}
        if bad or (self.shares is not None and not sum(self.shares.values())):
            raise InputError(f"Shares are numbers of 0 and more, not all 0: {bad or self.shares}.")

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return {**asdict(self), "styles": list(self.styles), "languages": list(self.languages)}


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One document type: its share of the traffic, what could be drawn, and what was."""

    name: str
    share: float
    eligible: int
    drawn: int


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """The drawn passages, and how they were drawn."""

    settings: PlanSettings
    passages: tuple[Passage, ...]
    types: tuple[TypeRow, ...]
    mix_from: str
    skipped: Mapping[str, int]

    @property
    def queries(self) -> int:
        """How many queries will be asked for."""
        return sum(len(passage.tasks) for passage in self.passages)

    def as_dict(self) -> dict[str, Any]:
        """How it was drawn, without the passages themselves."""
        return {
            "settings": self.settings.as_dict(),
            "types": [asdict(row) for row in self.types],
            "mix_from": self.mix_from,
            "skipped": dict(self.skipped),
        }


def make_plan(workspace: Workspace, settings: PlanSettings) -> DraftPlan:
    """Draw passages by the traffic mix; the same project and seed give the same plan.

    Raises NotReady where no passage can be drawn, InputError for a type that no document has.
    """
    with workspace.reading() as db:
        name = settings.type_field or find_type_field(documents.each(db))
        eligible = find_eligible(
            documents.each(db),
            name,
            shortest_words=settings.shortest_words,
            longest_characters=settings.longest_characters,
            repeated=repeated_paragraphs(documents.each(db)),
            taken=drafts.covered(db),
        )
        if not eligible.spans:
            raise NotReady(_nothing_to_draw(eligible.skipped))
    shares, mix_from = _shares(workspace, name, settings, eligible)
    counts = {kind: len(found) for kind, found in eligible.spans.items()}
    drawn = allocate(settings.passages, shares, counts)
    rng = random.Random(settings.seed)
    chosen = [
        (doc_id, rng.choice(eligible.spans[kind][doc_id]))
        for kind in sorted(drawn)
        for doc_id in rng.sample(sorted(eligible.spans[kind]), drawn[kind])
    ]
    rng.shuffle(chosen)
    passages = _with_tasks(workspace, chosen, settings, rng)
    rows = tuple(
        TypeRow(kind, shares.get(kind, 0.0), counts.get(kind, 0), drawn.get(kind, 0))
        for kind in sorted({*shares, *counts}, key=lambda kind: (-shares.get(kind, 0.0), kind))
    )
    return DraftPlan(settings, tuple(passages), rows, mix_from, dict(eligible.skipped))


def allocate(
    total: int, shares: Mapping[str, float], available: Mapping[str, int]
) -> dict[str, int]:
    """Divide a number by shares (largest remainder); what a type lacks goes to the others."""
    drawn = dict.fromkeys(available, 0)
    while (left := total - sum(drawn.values())) > 0:
        open_ = {k: shares.get(k, 0.0) for k in drawn if drawn[k] < available[k]}
        whole = sum(open_.values())
        if not whole:
            break
        exact = {kind: left * share / whole for kind, share in open_.items()}
        given = {kind: math.floor(value) for kind, value in exact.items()}
        by_remainder = sorted(exact, key=lambda kind: (given[kind] - exact[kind], kind))
        for kind in by_remainder[: left - sum(given.values())]:
            given[kind] += open_[kind] > 0
        for kind, number in given.items():
            drawn[kind] = min(available[kind], drawn[kind] + number)
    return drawn


def _shares(
    workspace: Workspace, name: str, settings: PlanSettings, eligible: Eligible
) -> tuple[dict[str, float], str]:
    """Each type's share of the traffic, and where that was taken from."""
    if settings.shares is not None:
        unknown = set(settings.shares) - set(eligible.spans)
        if unknown == set(settings.shares):
            known = ", ".join(sorted(eligible.spans))
            raise InputError(f"No passage can be drawn of {sorted(unknown)}; there are {known}.")
        return _normed(settings.shares), "set by hand"
    asked = [q for q in queries.in_state(workspace, QueryState.ACCEPTED) if q.source in REAL]
    if asked:
        counts = traffic(documents.all(workspace), asked, name, workspace, settings.seed)
        if any(kind in eligible.spans for kind in counts):
            return _normed(counts), (
                f"the best BM25 document of {sum(counts.values()):,} real queries "
                f"({len(asked):,} are known)"
            )
    sizes = {kind: float(len(found)) for kind, found in eligible.spans.items()}
    why = "no real query leads to a document that is left" if asked else "no real query is known"
    return _normed(sizes), f"the number of documents: {why}, set shares by hand"


def traffic(
    corpus: Sequence[Document], asked: Sequence[Query], name: str, workspace: Workspace, seed: int
) -> dict[str, float]:
    """How many real queries lead to each document type, by BM25's best document."""
    if len(asked) > MOST_LOG_QUERIES:
        asked = random.Random(seed).sample(
            sorted(asked, key=lambda q: q.query_id), MOST_LOG_QUERIES
        )
    bm25 = next(one for one in retrieval.default_candidates() if one.kind == "bm25")
    found = retrieval.retrieve(bm25, corpus, asked, 1, workspace.cache)
    types = {document.doc_id: type_of(document, name) for document in corpus}
    return dict(Counter(types[hits[0].doc_id] for hits in found.hits.values() if hits))


def _normed(shares: Mapping[str, float]) -> dict[str, float]:
    whole = sum(shares.values())
    return {kind: share / whole for kind, share in shares.items()}


def _with_tasks(
    workspace: Workspace,
    chosen: Sequence[tuple[str, tuple[int, int]]],
    settings: PlanSettings,
    rng: random.Random,
) -> list[Passage]:
    """The passages with their texts; styles and languages go round evenly, in drawn order."""
    pairs = [(style, lang) for lang in settings.languages or ("",) for style in settings.styles]
    wanted = len(chosen) * settings.per_passage
    rounds: list[tuple[str, str]] = []
    while len(rounds) < wanted:
        rounds += rng.sample(pairs, len(pairs))
    made = []
    with workspace.reading() as db:
        for number, (doc_id, (start, end)) in enumerate(chosen):
            document = documents.get(db, doc_id)
            if document is None:
                continue  # taken out between two readings
            first = number * settings.per_passage
            tasks = [Task(*pair) for pair in rounds[first : first + settings.per_passage]]
            text = document.text[start:end]
            made.append(Passage(doc_id, document.title, text, start, end, tuple(tasks)))
    return made


def _nothing_to_draw(skipped: Mapping[str, int]) -> str:
    if not skipped:
        return "Drafting needs documents: import them first."
    why = ", ".join(f"{number:,} {reason}" for reason, number in sorted(skipped.items()))
    short = "Allow shorter passages, or import" if "too short" in skipped else "Import"
    return f"No passage can be drafted from ({why}). {short} more documents."
