"""From the project's judgments to agreement: only independent ones, of one rubric version."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from labelkit import agreement
from labelkit.agreement import AgreementReport, Label
from labelkit.judging.resolution import Key
from labelkit.model import Judgment
from labelkit.store import Workspace, independent, judgments, rubric_choices, rubrics

INDEPENDENT = ("first", "second")
E = TypeVar("E", Judgment, independent.Mark)


def agreement_report(
    workspace: Workspace,
    *,
    rounds: Collection[str] = INDEPENDENT,
    rubric_version: int | None = None,
    metric: str = "ordinal",
) -> AgreementReport:
    """Ordinal alpha and all that stands beside it, for the current rubric version.

    `rounds` names the passes to compare. What was said after a pair's first adjudication does
    not count, nor what a rater said after seeing a model's grade of the pair: neither is
    independent.
    """
    labels = labels_of(workspace, rounds=rounds, rubric_version=rubric_version)
    return agreement.report(labels, metric=metric)


def labels_of(
    workspace: Workspace,
    *,
    rounds: Collection[str] = INDEPENDENT,
    rubric_version: int | None = None,
) -> list[Label]:
    """The independent labels of a rubric version, the current one unless another is named."""
    with workspace.reading() as db:
        version = rubric_version or rubrics.current(db).version
        versions = rubric_choices.same_meaning(db, version)
        events = list(independent.unswayed_marks(db))
        settled = judgments.first_adjudicated_at(db)
    return independent_labels(events, settled, rounds=rounds, rubric_versions=versions)


def independent_labels(
    events: Iterable[E],
    settled: Mapping[Key, str],
    *,
    rounds: Collection[str] = INDEPENDENT,
    rubric_versions: Collection[int],
) -> list[Label]:
    """One label per rater and pair: the last one given before the pair was adjudicated.

    `events` is the history, in order for each pair; `settled` maps a pair to its first
    adjudication's time; `rubric_versions` are those of one meaning. Units are pairs, clusters
    are queries.
    """
    last = last_independent(events, settled, rounds=rounds, rubric_versions=rubric_versions)
    return [label_of(event) for event in last]


def last_independent(
    events: Iterable[E],
    settled: Mapping[Key, str],
    *,
    rounds: Collection[str] = INDEPENDENT,
    rubric_versions: Collection[int],
) -> list[E]:
    """The events that `independent_labels` makes labels of, by pair and person."""
    last: dict[tuple[str, str, str], E] = {}
    for event in events:
        pair: Key = (event.query_id, event.doc_id)
        before = pair not in settled or event.created_at <= settled[pair]
        if event.rubric_version in rubric_versions and event.round in rounds and before:
            last[*pair, event.person_id] = event
    return [
        event
        for _, event in sorted(last.items(), key=lambda one: one[0])
        if event.level is not None and event.kind != "withdrawal"
    ]


def label_of(event: Judgment | independent.Mark) -> Label:
    """The label that an event gives: its unit is the pair, its cluster the query."""
    return Label(f"{event.query_id}\t{event.doc_id}", event.person_id, event.level, event.query_id)
