"""Can these labels be trusted? Agreement in all its parts, read from the project in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from labelkit import agreement
from labelkit.agreement import AgreementReport, Label
from labelkit.agreement.labels import tabulate
from labelkit.agreement.pairing import Pairing, pair_up
from labelkit.agreement.planner import SamplePlan, plan_sample
from labelkit.agreement.raters import Marks, RaterNotes, rater_notes
from labelkit.agreement.slices import (
    Slice,
    by_group,
    by_kind,
    by_rater_pair,
    over_time,
    second_moments,
)
from labelkit.judging import repeats
from labelkit.judging.agreeing import label_of, last_independent
from labelkit.model import LEVELS, Query, Role
from labelkit.store import (
    Workspace,
    documents,
    independent,
    judgments,
    model_grades,
    people,
    queries,
    rubric_choices,
    rubrics,
)
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class Trust:
    """Agreement of the present rubric's meaning, whole and in parts; figures of one part are
    comparable with each other, each with its n and interval. `provenances` counts the judgments
    that stand, by where they come from; `chosen` labels are left out of all figures, since they
    were asked for because of the earlier ones."""

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
    rubric_version: int
    provenances: Mapping[str, int]
    chosen: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain = asdict(self)
        plain["report"] = self.report.as_dict()
        plain["rater_pairs"] = [asdict(part) for part in self.rater_pairs.values()]
        return plain


def stand(workspace: Workspace) -> tuple[int, ...]:
    """Numbers that change with every label, adjudication and rubric version: as long as they are
    the same, `trust` tells the same but for what queries and documents are said to be."""
    with workspace.reading() as db:
        return (*judgments.sizes(db), rubrics.current(db).version)


@dataclass(frozen=True, slots=True)
class _Read:
    events: list[independent.Mark]
    graded: list[Label]
    asked: Mapping[str, Query]
    types: Mapping[str, str]
    rubric_version: int
    provenances: Mapping[str, int]
    chosen: int


def trust(workspace: Workspace, person_id: str, *, document_key: str = "type") -> Trust:
    """Everything a lead asks of the labels before relying on them.

    `document_key` is the key of the documents' metadata that names their type.
    Raises NotAllowed where the person is not a lead: notes on raters are for leads only.
    """
    people.require(workspace, person_id, Role.LEAD)
    found = _read(workspace, document_key)
    again = {one.person_id: (one.same, one.n) for one in repeats.consistency(workspace, person_id)}
    labels = [label_of(event) for event in found.events]
    table = tabulate(labels, LEVELS, "ordinal")
    pairing = pair_up(table)
    marks = Marks(
        seconds=[event.active_seconds for event in found.events],
        reasons=[event.reason for event in found.events],
        moments=[event.created_at for event in found.events],
    )
    whole = agreement.report_of(table)
    keys = [str(unit).split("\t", 1) for unit in table.units]
    ready = second_moments(table, marks.moments)
    return Trust(
        report=whole,
        rater_pairs=by_rater_pair(pairing),
        query_sources=by_group(table, [_source(found, query_id) for query_id, _ in keys]),
        query_types=by_group(table, [_types(found, query_id) for query_id, _ in keys]),
        document_types=by_group(
            table, [(found.types.get(doc_id, "no type"),) for _, doc_id in keys]
        ),
        halves=over_time(table, ready, parts=2),
        drift=over_time(table, ready, parts=4),
        kinds=_kinds(pairing, labels, found.graded),
        raters=rater_notes(pairing, marks, again),
        plan=plan_sample(
            whole.coincidences,
            whole.pairable_units,
            mix=list(whole.label_mix.values()),
        ),
        rubric_version=found.rubric_version,
        provenances=found.provenances,
        chosen=found.chosen,
    )


def _kinds(pairing: Pairing, labels: Sequence[Label], graded: Sequence[Label]) -> list[Slice]:
    """People and models apart; the people's own table serves where no model graded anything."""
    if graded:
        pairing = pair_up(tabulate([*labels, *graded], LEVELS, "ordinal"))
    models = {label.rater for label in graded}
    of_model = [rater in models for rater in pairing.table.raters]
    return by_kind(pairing, np.array(of_model, dtype=bool))


def _read(workspace: Workspace, document_key: str) -> _Read:
    with workspace.reading() as db:
        version = rubrics.current(db).version
        versions = rubric_choices.same_meaning(db, version)
        settled = judgments.first_adjudicated_at(db)
        events = last_independent(independent.unswayed_marks(db), settled, rubric_versions=versions)
        grades = [g for g in model_grades.of_versions(db, versions) if g.direction == "descending"]
        asked = {one: queries.get(db, one) for one in {event.query_id for event in events}}
        types = documents.metadata_values(db, document_key)
        provenances, chosen = judgments.provenances(db), independent.count_chosen(db)
    graded = {
        (one.query_id, one.doc_id, one.model): Label(
            f"{one.query_id}\t{one.doc_id}", f"model {one.model}", one.level, one.query_id
        )
        for one in grades
    }
    held = {key: query for key, query in asked.items() if query is not None}
    return _Read(events, list(graded.values()), held, types, version, provenances, chosen)


def _source(found: _Read, query_id: str) -> tuple[str, ...]:
    query = found.asked.get(query_id)
    return () if query is None else (query.source.value,)


def _types(found: _Read, query_id: str) -> tuple[str, ...]:
    query = found.asked.get(query_id)
    return () if query is None else query.types or ("no type",)


def left_out(chosen: int) -> str:
    """What to say of labels that count for a level and not for alpha; empty without any."""
    if not chosen:
        return ""
    was = counted(chosen, "label was", "labels were")
    return (
        f"{was} asked for because of earlier ones (a third one on a 0 against 2, a second look "
        "from a benchmark): counted for the pair's level, left out of alpha, which is of pairs "
        "drawn without regard to their labels."
    )


def trust_text(told: Trust) -> str:
    """The parts as lines for a terminal; a part with too few pairs says so."""
    lines = [told.report.sentence, *(f"warning: {one}" for one in told.report.warnings)]
    lines += filter(None, [left_out(told.chosen)])
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
        return f"{part.name}: no alpha ({str(part.undefined).replace('_', ' ')}), {pairs}"
    bounds = "" if part.low is None else f" ({part.low:.2f} to {part.high:.2f})"
    return f"{part.name}: {part.alpha:.2f}{bounds}, {pairs}{', too few' * part.too_few}"
