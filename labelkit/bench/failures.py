"""Where one candidate finds what the other misses, query by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from labelkit import measures
from labelkit.bench.files import Hits
from labelkit.bench.results import RunResult
from labelkit.errors import InputError
from labelkit.measures import Evaluation
from labelkit.model import Document
from labelkit.retrieval import Hit

if TYPE_CHECKING:
    from labelkit.bench.run import ReleaseData


class Outcome(StrEnum):
    """Who has a relevant document in the top k."""

    ONLY_A = "only a"
    ONLY_B = "only b"
    BOTH = "both"
    NEITHER = "neither"
    NO_ANSWER = "no answer exists"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody gave a level to a pair."""

    level: int | None
    reason: str
    rater: str
    role: str


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One rank of one candidate: `level` is None for a hole, which nobody judged.

    The winning chunk is `text[chunk_start:chunk_end]` of the document.
    """

    rank: int
    doc_id: str
    title: str
    score: float
    level: int | None
    hole: bool
    reasons: tuple[Reason, ...]
    chunk_start: int
    chunk_end: int


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """One query: the primary metric of both and their difference (a - b; None where the query
    does not count), the outcome, and each one's best rank of a relevant document (None: none)."""

    query_id: str
    text: str
    information_need: str
    a_value: float | None
    b_value: float | None
    difference: float | None
    outcome: Outcome
    a_rank: int | None
    b_rank: int | None


@dataclass(frozen=True, slots=True)
class FailureReport:
    """Candidate a against b; `queries` with the largest difference first.

    `counts` has every outcome. Relevant means a level of at least `relevant_level`, found means
    in the top `k`.
    """

    a: str
    b: str
    primary: str
    k: int
    relevant_level: int
    counts: Mapping[Outcome, int]
    queries: tuple[QueryFailure, ...]
    _hits: Mapping[str, Hits] = field(repr=False)
    _qrels: Mapping[str, Mapping[str, int]] = field(repr=False)
    _documents: Mapping[str, Document] = field(repr=False)
    _reasons: Mapping[tuple[str, str], list[Reason]] = field(repr=False)

    def query(self, query_id: str) -> QueryFailure:
        """One query of the report; raises InputError for an unknown id."""
        for one in self.queries:
            if one.query_id == query_id:
                return one
        raise InputError(f"query {query_id!r} is not part of this run")

    def ranking(self, name: str, query_id: str, k: int | None = None) -> list[ShownDocument]:
        """What a candidate (a or b) shows for a query, at most `k` documents, best first."""
        if name not in self._hits:
            raise InputError(f"this report compares {self.a!r} and {self.b!r}, not {name!r}")
        hits = self._hits[name].get(query_id, [])[: k or self.k]
        return [self._shown(query_id, rank, hit) for rank, hit in enumerate(hits, start=1)]

    def _shown(self, query_id: str, rank: int, hit: Hit) -> ShownDocument:
        level = self._qrels.get(query_id, {}).get(hit.doc_id)
        return ShownDocument(
            rank,
            hit.doc_id,
            self._documents[hit.doc_id].title,
            hit.score,
            level,
            level is None,
            tuple(self._reasons.get((query_id, hit.doc_id), ())),
            hit.chunk_start,
            hit.chunk_end,
        )


def failures(
    result: RunResult, release: ReleaseData, a: str, b: str, relevant_level: int | None = None
) -> FailureReport:
    """Compare two candidates of a run query by query, largest difference first.

    `relevant_level` is the plan's unless given. Raises InputError when a candidate has no
    results, both are the same, or the release is not the one that was run.
    """
    refuse_other(result, release, a, b)
    plan = result.plan
    level = relevant_level or plan.relevant_level
    hits = {name: result.hits(name) for name in (a, b)}
    evaluated = {
        name: measures.evaluate(
            release.qrels, result.run(name), [plan.primary], relevant_level=level,
            require_overlap=False,
        )
        for name in (a, b)
    }  # fmt: skip
    rows = query_failures(release, evaluated[a], evaluated[b], plan.k)
    counted = Counter(row.outcome for row in rows)
    return FailureReport(
        a=a,
        b=b,
        primary=plan.primary,
        k=plan.k,
        relevant_level=evaluated[a].relevant_level,
        counts={outcome: counted[outcome] for outcome in Outcome},
        queries=tuple(sorted(rows, key=by_difference)),
        _hits=hits,
        _qrels=release.qrels,
        _documents={document.doc_id: document for document in release.documents},
        _reasons=reasons_by_pair(release.judgments),
    )


def refuse_other(result: RunResult, release: ReleaseData, a: str, b: str) -> None:
    """Raise InputError for a release that was not run, or a candidate against itself."""
    refuse_other_release(result, release)
    if a == b:
        raise InputError(f"{a!r} cannot be compared with itself; name two candidates")


def refuse_other_release(result: RunResult, release: ReleaseData) -> None:
    """Raise InputError for a release that was not run."""
    ran = result.manifest["release"]
    if ran["content_sha256"] != release.content_sha256:
        raise InputError(
            f"the run is of release {ran['tag']!r} ({ran['content_sha256'][:12]}), not of "
            f"{release.tag!r} ({release.content_sha256[:12]})"
        )


def query_failures(
    release: ReleaseData, a: Evaluation, b: Evaluation, k: int
) -> list[QueryFailure]:
    """One row per judged query, in the order of query ids."""
    queries = {query.query_id: query for query in release.queries}
    rows = []
    for i, query_id in enumerate(a.query_ids):
        values = (number(a.values[i, 0]), number(b.values[i, 0]))
        ranks = (first_relevant(a, query_id, k), first_relevant(b, query_id, k))
        answerable = any(level >= a.relevant_level for level in release.qrels[query_id].values())
        query = queries.get(query_id)
        rows.append(
            QueryFailure(
                query_id,
                query.text if query else "",
                query.information_need if query else "",
                *values,
                difference=None if None in values else values[0] - values[1],  # type: ignore[operator]
                outcome=outcome(answerable, *ranks),
                a_rank=ranks[0],
                b_rank=ranks[1],
            )
        )
    return rows


def number(value: float) -> float | None:
    """A float, or None for NaN: the query does not count."""
    return None if value != value else float(value)


def first_relevant(evaluation: Evaluation, query_id: str, k: int) -> int | None:
    """The rank of the first relevant document in the top k."""
    for one in evaluation.ranked(query_id, k):
        if one.level is not None and one.level >= evaluation.relevant_level:
            return one.rank
    return None


def outcome(answerable: bool, a_rank: int | None, b_rank: int | None) -> Outcome:
    """Who found a relevant document."""
    if not answerable:
        return Outcome.NO_ANSWER
    found = (a_rank is not None, b_rank is not None)
    return {
        (True, True): Outcome.BOTH,
        (True, False): Outcome.ONLY_A,
        (False, True): Outcome.ONLY_B,
        (False, False): Outcome.NEITHER,
    }[found]


def by_difference(row: QueryFailure) -> tuple[float, str]:
    """Largest difference first; queries that do not count last."""
    return (1.0 if row.difference is None else -abs(row.difference), row.query_id)


def reasons_by_pair(judgments: list[dict[str, Any]]) -> dict[tuple[str, str], list[Reason]]:
    """The reasons for each pair, the adjudicator's first."""
    found: dict[tuple[str, str], list[Reason]] = {}
    for row in judgments:
        reason = Reason(row["level"], row["reason"], row["rater"], row["role"])
        found.setdefault((row["query_id"], row["doc_id"]), []).append(reason)
    for reasons in found.values():
        reasons.sort(key=lambda reason: (reason.role != "adjudicator", reason.rater))
    return found
