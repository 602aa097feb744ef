"""Can these labels be trusted? Agreement in all its parts, read from the project in one call."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from labelkit import agreement
from labelkit.agreement import AgreementReport, Label
from labelkit.agreement.planner import SamplePlan, plan_sample
from labelkit.agreement.raters import RaterNotes, rater_notes
from labelkit.agreement.slices import Slice, by_group, by_kind, by_rater_pair, over_time
from labelkit.judging import repeats
from labelkit.judging.agreeing import independent_labels
from labelkit.judging.resolution import Key
from labelkit.model import Document, Judgment, Query, Role
from labelkit.store import (
    Workspace,
    documents,
    judgments,
    model_grades,
    people,
    queries,
    rubric_choices,
    rubrics,
)
from labelkit.wording import counted

Moments = Mapping[tuple[Hashable, Hashable], Judgment]


@dataclass(frozen=True, slots=True)
class Trust:
    """Agreement of the present rubric's meaning, whole and in parts; figures of one part are
    comparable with each other, each with its n and interval."""

    report: AgreementReport
    rater_pairs: Mapping[tuple[str, str], Slice]
    query_sources: Sequence[Slice]
    query_types: Sequence[Slice]
    document_types: Sequence[Slice]
    halves: Sequence[Slice]
    drift: Sequence[Slice]
    kinds: Sequence[Slice]
    raters: Sequence[RaterNotes]
    plan: SamplePlan

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain = asdict(self)
        plain["report"] = self.report.as_dict()
        plain["rater_pairs"] = [asdict(part) for part in self.rater_pairs.values()]
        return plain


@dataclass(frozen=True, slots=True)
class _Read:
    labels: list[Label]
    events: Moments
    graded: list[Label]
    asked: Mapping[str, Query]
    corpus: Mapping[str, Document]


def trust(workspace: Workspace, person_id: str, *, document_key: str = "type") -> Trust:
    """Everything a lead asks of the labels before relying on them.

    `document_key` is the key of the documents' metadata that names their type.
    Raises NotAllowed where the person is not a lead: notes on raters are for leads only.
    """
    people.require(workspace, person_id, Role.LEAD)
    found = _read(workspace)
    labels = found.labels
    again = {one.person_id: (one.same, one.n) for one in repeats.consistency(workspace, person_id)}
    whole = agreement.report(labels)
    moments = {key: event.created_at for key, event in found.events.items()}
    return Trust(
        report=whole,
        rater_pairs=by_rater_pair(labels),
        query_sources=by_group(labels, _groups(labels, found, _source)),
        query_types=by_group(labels, _groups(labels, found, _types)),
        document_types=by_group(
            labels, _groups(labels, found, partial(_document_type, key=document_key))
        ),
        halves=over_time(labels, moments, parts=2),
        drift=over_time(labels, moments, parts=4),
        kinds=by_kind([*labels, *found.graded], {label.rater for label in found.graded}),
        raters=rater_notes(
            labels,
            seconds={key: event.active_seconds for key, event in found.events.items()},
            reasons={key: event.reason for key, event in found.events.items()},
            repeats=again,
        ),
        plan=plan_sample(
            whole.coincidences,
            whole.pairable_units,
            mix=list(whole.label_mix.values()),
        ),
    )


def _read(workspace: Workspace) -> _Read:
    with workspace.reading() as db:
        version = rubrics.current(db).version
        versions = rubric_choices.same_meaning(db, version)
        events = judgments.unswayed(db)
        settled = judgments.first_adjudicated_at(db)
        grades = [g for g in model_grades.of_versions(db, versions) if g.direction == "descending"]
        labels = independent_labels(events, settled, rubric_versions=versions)
        pairs = {_pair(label) for label in labels}
        asked = {query_id: queries.get(db, query_id) for query_id, _ in pairs}
        corpus = {doc_id: documents.get(db, doc_id) for _, doc_id in pairs}
    last = {(f"{one.query_id}\t{one.doc_id}", one.person_id): one for one in events}
    graded = {
        (f"{one.query_id}\t{one.doc_id}", one.model): Label(
            f"{one.query_id}\t{one.doc_id}", f"model {one.model}", one.level, one.query_id
        )
        for one in grades
    }
    return _Read(
        labels,
        {(label.unit, label.rater): last[str(label.unit), str(label.rater)] for label in labels},
        list(graded.values()),
        {key: query for key, query in asked.items() if query is not None},
        {key: document for key, document in corpus.items() if document is not None},
    )


def _pair(label: Label) -> Key:
    query_id, doc_id = str(label.unit).split("\t", 1)
    return query_id, doc_id


def _groups(labels: Sequence[Label], found: _Read, name: Any) -> dict[Hashable, tuple[str, ...]]:
    return {label.unit: name(found, *_pair(label)) for label in labels}


def _source(found: _Read, query_id: str, doc_id: str) -> tuple[str, ...]:
    query = found.asked.get(query_id)
    return () if query is None else (query.source.value,)


def _types(found: _Read, query_id: str, doc_id: str) -> tuple[str, ...]:
    query = found.asked.get(query_id)
    return () if query is None else query.types or ("no type",)


def _document_type(found: _Read, query_id: str, doc_id: str, key: str) -> tuple[str, ...]:
    document = found.corpus.get(doc_id)
    return (str((document.metadata if document else {}).get(key, "no type")),)


def trust_text(told: Trust) -> str:
    """The parts as lines for a terminal; a part with too few pairs says so."""
    lines = [told.report.sentence, *(f"warning: {one}" for one in told.report.warnings)]
    parts = {
        "by rater pair": list(told.rater_pairs.values()),
        "by query source": told.query_sources,
        "by query type": told.query_types,
        "by document type": told.document_types,
        "first half, second half": told.halves,
        "over time": told.drift,
        "people and models": told.kinds,
    }
    for title, slices in parts.items():
        lines += [f"{title}:", *(f"  {_line(part)}" for part in slices)]
    for note in told.raters:
        lines += [f"to talk about with {note.rater}: {question}" for question in note.questions]
    return "\n".join([*lines, told.plan.sentence])


def _line(part: Slice) -> str:
    pairs = counted(part.units, "pair")
    if part.alpha is None:
        return f"{part.name}: no alpha ({part.undefined}), {pairs}"
    bounds = "" if part.low is None else f" ({part.low:.2f} to {part.high:.2f})"
    return f"{part.name}: {part.alpha:.2f}{bounds}, {pairs}{', too few' * part.too_few}"
