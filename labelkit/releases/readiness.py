"""What stands before a freeze: reasons that refuse it, and warnings that are recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from labelkit.agreement import AgreementReport
from labelkit.judging.adjudicating import open_disagreements
from labelkit.judging.state import Counts, ProjectState, count
from labelkit.model import Query, QuerySource, demo_labels

FEWEST_QUERIES = 50
SMALLEST_CORPUS = 1_000
CORPUS_PER_RELEVANT = 10


@dataclass(frozen=True, slots=True)
class Readiness:
    """Reasons against a freeze, warnings that it would record, and the counts it would hold."""

    blocking: tuple[str, ...]
    warnings: tuple[str, ...]
    counts: Counts

    @property
    def ready(self) -> bool:
        """Whether a freeze would be accepted now."""
        return not self.blocking


def assess(state: ProjectState, report: AgreementReport, corpus_size: int) -> Readiness:
    """Hold a project's state against the rules of freezing."""
    counts = count(state)
    return Readiness(
        tuple(_blocking(state, counts)),
        tuple(_warnings(state, report, counts, corpus_size)),
        counts,
    )


def _blocking(state: ProjectState, counts: Counts) -> Iterator[str]:
    if not counts.queries_accepted:
        yield "There is no accepted query: import queries or review drafts first."
    elif not counts.pairs_resolved:
        yield "No pair is judged yet: pool the queries, then judge on the Label page."
    open_pairs = open_disagreements(state)
    if open_pairs:
        query_id, doc_id = open_pairs[0]
        yield (
            f"{len(open_pairs)} of {counts.pairs} pairs are unresolved (such as {query_id} with "
            f"{doc_id}): settle them on the Agreement page, or choose a rule (min, median, max)."
        )


def _warnings(
    state: ProjectState, report: AgreementReport, counts: Counts, corpus_size: int
) -> Iterator[str]:
    if counts.queries_judged < FEWEST_QUERIES:
        yield (
            f"{counts.queries_judged} judged queries: under {FEWEST_QUERIES}, only large "
            "differences between candidates can be seen."
        )
    if state.unjudged_queries:
        yield (
            f"{len(state.unjudged_queries)} accepted queries have no judged document and are "
            f"left out (such as {state.unjudged_queries[0]})."
        )
    if counts.pairs_unjudged:
        yield f"{counts.pairs_unjudged} pooled pairs have no judgment: they count as unjudged."
    if counts.pairs_cannot_judge:
        yield f"{counts.pairs_cannot_judge} pairs could not be judged: they count as unjudged."
    yield from demo_labels(judgment.provenance for judgment in state.judgments)
    yield from _corpus_warnings(state, corpus_size)
    yield from _agreement_warnings(report, counts)
    yield from _lifted(state)


def _corpus_warnings(state: ProjectState, corpus_size: int) -> Iterator[str]:
    relevant = {pair[1] for pair, r in state.resolutions.items() if (r.level or 0) > 0}
    if corpus_size < SMALLEST_CORPUS:
        yield f"The corpus has {corpus_size} documents: under {SMALLEST_CORPUS}, search is easy."
    elif corpus_size < CORPUS_PER_RELEVANT * len(relevant):
        yield (
            f"{len(relevant)} of {corpus_size} documents are relevant to some query: with fewer "
            f"than {CORPUS_PER_RELEVANT} others for each, chance alone finds many."
        )


def _agreement_warnings(report: AgreementReport, counts: Counts) -> Iterator[str]:
    if not counts.pairs_second_labelled:
        yield "No pair has a second label: nobody can say how far the levels can be trusted."
    elif report.alpha is None:
        yield f"Agreement is undefined ({report.undefined})."
    elif report.band != "reliable":
        yield f"Agreement is {report.band}: {report.sentence}"


def _lifted(state: ProjectState) -> Iterator[str]:
    drafted = [q for q in state.queries.values() if q.source is QuerySource.SYNTHETIC]
    unchanged = [query for query in drafted if _as_drafted(query)]
    if len(unchanged) * 2 > len(state.queries):
        yield (
            f"{len(unchanged)} of {len(state.queries)} queries were drafted by a model and "
            "accepted unchanged: they flatter a retriever that matches words."
        )


def _as_drafted(query: Query) -> bool:
    return query.drafted_text is None
