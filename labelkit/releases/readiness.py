"""What stands before a freeze: reasons that refuse it, and warnings that are recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from labelkit.agreement import AgreementReport
from labelkit.agreement.words import UNDEFINED
from labelkit.judging.adjudicating import open_disagreements
from labelkit.judging.state import Counts, ProjectState, count
from labelkit.model import Query, QuerySource, demo_labels
from labelkit.wording import counted

FEWEST_QUERIES = 50
SMALLEST_CORPUS = 1_000
CORPUS_PER_RELEVANT = 10


COUNTED = {
    "carried": "all of them count",
    "relabelled": "none of them counts",
    "near_examples": "those of pairs near a boundary example do not count",
}


@dataclass(frozen=True, slots=True)
class EarlierLabels:
    """Which labels from before the present meaning of the rubric count.

    `since` is the version that first had this meaning, `rule` one of
    `judging.rubric_versions.COUNTING` and `chosen` whether somebody chose it; `counted` labels
    of an earlier meaning are in, `sent_back` pairs went back to the raters.
    """

    version: int
    since: int
    rule: str
    chosen: bool
    counted: int
    sent_back: int

    @property
    def sentence(self) -> str:
        """The rubric in force and what becomes of labels from before it, in plain words."""
        if not self.counted and not self.sent_back:
            return (
                f"Rubric v{self.version}: every label was given under its present meaning "
                f"(since v{self.since})."
            )
        back = counted(self.sent_back, "pair was", "pairs were")
        return (
            f"Rubric v{self.version}: of the labels given before its present meaning (since "
            f"v{self.since}), {COUNTED[self.rule]}"
            f"{'' if self.chosen else ', as nobody chose otherwise'}. "
            f"{counted(self.counted, 'such label is', 'such labels are')} in"
            f"{f'; {back} sent back to be labeled anew' if self.sent_back else ''}."
        )


@dataclass(frozen=True, slots=True)
class Readiness:
    """Reasons against a freeze, warnings that it would record, and the counts it would hold."""

    blocking: tuple[str, ...]
    warnings: tuple[str, ...]
    counts: Counts
    earlier: EarlierLabels

    @property
    def ready(self) -> bool:
        """Whether a freeze would be accepted now."""
        return not self.blocking


def assess(
    state: ProjectState, report: AgreementReport, earlier: EarlierLabels, *, passages: str = ""
) -> Readiness:
    """Hold a project's state against the rules of freezing.

    `passages` says what became of marked passages in changed documents, if anything did.
    """
    counts = count(state)
    return Readiness(
        tuple(_blocking(state, counts)),
        (*_warnings(state, report, counts, earlier), *filter(None, [passages])),
        counts,
        earlier,
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
            f"{len(open_pairs):,} of {counted(counts.pairs, 'pair', 'pairs')} "
            f"{'is' if len(open_pairs) == 1 else 'are'} unresolved (such as {query_id} with "
            f"{doc_id}): settle {'it' if len(open_pairs) == 1 else 'them'} on the Adjudicate "
            "page, or choose a rule (min, median, max)."
        )


def _warnings(
    state: ProjectState, report: AgreementReport, counts: Counts, earlier: EarlierLabels
) -> Iterator[str]:
    if counts.queries_judged < FEWEST_QUERIES:
        yield (
            f"{counted(counts.queries_judged, 'judged query')}: under "
            f"{FEWEST_QUERIES}, only large differences between candidates can be seen."
        )
    yield from _left_out(state, counts)
    if earlier.counted and not earlier.chosen:
        yield earlier.sentence
    yield from demo_labels(judgment.provenance for judgment in state.judgments)
    yield from _corpus_warnings(state)
    yield from _agreement_warnings(report, counts, earlier)
    yield from _lifted(state)


def _left_out(state: ProjectState, counts: Counts) -> Iterator[str]:
    out = state.unjudged_queries
    if out:
        none = counted(len(out), "accepted query has", "accepted queries have")
        are = "is" if len(out) == 1 else "are"
        yield f"{none} no judged document and {are} left out (such as {out[0]})."
    if counts.pairs_unjudged:
        pooled = counted(counts.pairs_unjudged, "pooled pair has", "pooled pairs have")
        yield f"{pooled} no judgment: unjudged documents are counted in judged@k."
    if counts.pairs_cannot_judge:
        pairs = counted(counts.pairs_cannot_judge, "pair", "pairs")
        yield f"{pairs} could not be judged, and stay unjudged in the release."


def _corpus_warnings(state: ProjectState) -> Iterator[str]:
    corpus_size = state.documents
    relevant = {pair[1] for pair, r in state.resolutions.items() if (r.level or 0) > 0}
    if corpus_size < SMALLEST_CORPUS:
        size = counted(corpus_size, "document", "documents")
        yield f"The corpus has {size}: under {SMALLEST_CORPUS:,}, search is easy."
    elif corpus_size < CORPUS_PER_RELEVANT * len(relevant):
        yield (
            f"{len(relevant):,} of {corpus_size:,} documents are relevant to some query: with "
            f"fewer than {CORPUS_PER_RELEVANT} others for each, chance alone finds many."
        )


def _agreement_warnings(
    report: AgreementReport, counts: Counts, earlier: EarlierLabels
) -> Iterator[str]:
    if not counts.pairs_second_labelled:
        yield "No pair has a second label: nobody can say how far the levels can be trusted."
    elif report.alpha is None:
        void = f" Alpha is void since rubric v{earlier.since}." if earlier.counted else ""
        why = UNDEFINED.get(str(report.undefined), str(report.undefined))
        yield f"Agreement is undefined: {why}.{void}"
    elif report.band != "reliable":
        yield f"Agreement is {report.band}: {report.sentence}"


def _lifted(state: ProjectState) -> Iterator[str]:
    drafted = [q for q in state.queries.values() if q.source is QuerySource.SYNTHETIC]
    unchanged = [query for query in drafted if _as_drafted(query)]
    if len(unchanged) * 2 > len(state.queries):
        yield (
            f"{len(unchanged):,} of {len(state.queries):,} queries were drafted by a model and "
            "accepted unchanged: they flatter a retriever that matches words."
        )


def _as_drafted(query: Query) -> bool:
    return query.drafted_text is None
