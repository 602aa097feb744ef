"""What a project holds, read at one moment; page, export and manifest count from here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from labelkit.judging.resolution import Key, Resolution, State, resolve
from labelkit.model import Adjudication, Judgment, Query, QueryState
from labelkit.rubric import Rubric
from labelkit.store import Connection, Workspace, documents, judgments, pairs, queries, rubrics


@dataclass(frozen=True, slots=True)
class ProjectState:
    """Accepted queries with their pairs, standing judgments and resolutions."""

    rubric: Rubric
    queries: Mapping[str, Query]
    judgments: tuple[Judgment, ...]
    adjudications: tuple[Adjudication, ...]
    resolutions: Mapping[Key, Resolution]
    queries_by_state: Mapping[str, int]
    documents: int

    @property
    def judged_queries(self) -> list[str]:
        """Ids of accepted queries that have at least one resolved pair, sorted."""
        return sorted(
            {pair[0] for pair, r in self.resolutions.items() if r.state is State.RESOLVED}
        )

    @property
    def unjudged_queries(self) -> list[str]:
        """Ids of accepted queries without any resolved pair, sorted."""
        judged = set(self.judged_queries)
        return sorted(query_id for query_id in self.queries if query_id not in judged)

    @property
    def unpooled_queries(self) -> list[str]:
        """Ids of accepted queries without any pair, sorted."""
        pooled = {pair[0] for pair in self.resolutions}
        return sorted(query_id for query_id in self.queries if query_id not in pooled)


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts that every page, export and manifest shows."""

    documents: int
    queries_draft: int
    queries_accepted: int
    queries_rejected: int
    queries_retired: int
    queries_judged: int
    pairs: int
    pairs_resolved: int
    pairs_unresolved: int
    pairs_cannot_judge: int
    pairs_unjudged: int
    pairs_adjudicated: int
    pairs_second_labelled: int
    judgments: int
    level_0: int
    level_1: int
    level_2: int

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


def load(workspace: Workspace, rule: str | None = None) -> ProjectState:
    """Read the project's state in one consistent read."""
    with workspace.reading() as db:
        return read(db, rule)


def read(db: Connection, rule: str | None = None) -> ProjectState:
    """Read the project's state inside the caller's transaction."""
    accepted = {query.query_id: query for query in queries.select(db, QueryState.ACCEPTED)}
    pooled = [pair for pair in pairs.keys(db) if pair[0] in accepted]
    standing = tuple(j for j in judgments.current(db) if j.query_id in accepted)
    final = tuple(a for a in judgments.adjudications(db) if a.query_id in accepted)
    return ProjectState(
        rubric=rubrics.current(db),
        queries=accepted,
        judgments=standing,
        adjudications=final,
        resolutions=resolve(pooled, standing, final, rule),
        queries_by_state=queries.count_by_state(db),
        documents=documents.count(db),
    )


def count(state: ProjectState) -> Counts:
    """Count a state; pairs are those of accepted queries."""
    states = Counter(resolution.state for resolution in state.resolutions.values())
    levels = Counter(resolution.level for resolution in state.resolutions.values())
    by_state = state.queries_by_state
    return Counts(
        documents=state.documents,
        queries_draft=by_state.get("draft", 0),
        queries_accepted=by_state.get("accepted", 0),
        queries_rejected=by_state.get("rejected", 0),
        queries_retired=by_state.get("retired", 0),
        queries_judged=len(state.judged_queries),
        pairs=len(state.resolutions),
        pairs_resolved=states[State.RESOLVED],
        pairs_unresolved=states[State.UNRESOLVED],
        pairs_cannot_judge=states[State.CANNOT_JUDGE],
        pairs_unjudged=states[State.UNJUDGED],
        pairs_adjudicated=len(state.adjudications),
        pairs_second_labelled=_second_labelled(state),
        judgments=len(state.judgments),
        level_0=levels[0],
        level_1=levels[1],
        level_2=levels[2],
    )


def _second_labelled(state: ProjectState) -> int:
    """Pairs with levels from two or more people."""
    raters = {
        (j.query_id, j.doc_id, j.person_id)
        for j in state.judgments
        if j.level is not None and j.round != "check"
    }
    people = Counter((query_id, doc_id) for query_id, doc_id, _ in raters)
    return sum(1 for number in people.values() if number > 1)
