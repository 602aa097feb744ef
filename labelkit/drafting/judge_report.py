"""What a run of the LLM judge is worth: against itself, and against people, kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelkit import agreement
from labelkit.agreement import AgreementReport, Label
from labelkit.drafting.llm_judge import DIRECTIONS, JUDGE
from labelkit.drafting.running import require
from labelkit.model import Role
from labelkit.store import Workspace, llm, model_grades, people
from labelkit.store.llm import Item

FIRST = DIRECTIONS[0]
MODEL = "model"


@dataclass(frozen=True, slots=True)
class Differs:
    """A pair that a person and the model grade differently; the model's order is descending."""

    query_id: str
    doc_id: str
    pair_id: int
    person_level: int
    model_level: int


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """How often the model agrees with itself, and with people beside people with each other.

    `table` counts (a person's level, the model's level) over independent labels of the same
    pairs and rubric version, the model's level being that of the descending order.
    `with_people` is the agreement of the model with each person; every label of a person is a
    unit of its own there, so that it holds nothing of the agreement among people, which is
    `among_people`, over the same pairs. Both are resampled by query.
    """

    graded_twice: int
    same_twice: int
    levels: Mapping[str, Mapping[int, int]]
    table: Mapping[tuple[int, int], int]
    with_people: AgreementReport
    among_people: AgreementReport
    differing: int
    failed: tuple[Item, ...]

    @property
    def self_consistency(self) -> float | None:
        """The share of pairs that got the same level both times; None where there is none."""
        return self.same_twice / self.graded_twice if self.graded_twice else None


def report(
    workspace: Workspace, person_id: str, run_id: str, labels: Sequence[Label]
) -> JudgeReport:
    """Self-consistency of a run, and its levels beside those of people; leads only.

    `labels` are the independent labels of the run's rubric version, a unit being query and
    document with a tab between, as `labelkit.judging.agreeing.labels_of` gives them.
    """
    people.require(workspace, person_id, Role.LEAD)
    require(workspace, run_id, JUDGE)
    with workspace.reading() as db:
        grades = model_grades.of_run(db, run_id)
        failed = llm.items(db, run_id, "failed")
    by_pair: dict[str, dict[str, int]] = {}
    for grade in grades:
        by_pair.setdefault(_unit(grade), {})[grade.direction] = grade.level
    twice = [levels for levels in by_pair.values() if len(levels) == len(DIRECTIONS)]
    graded = {unit: levels[FIRST] for unit, levels in by_pair.items() if FIRST in levels}
    both = [label for label in labels if label.unit in graded]
    return JudgeReport(
        graded_twice=len(twice),
        same_twice=sum(len(set(levels.values())) == 1 for levels in twice),
        levels={d: Counter(g.level for g in grades if g.direction == d) for d in DIRECTIONS},
        table=Counter((int(str(one.value)), graded[str(one.unit)]) for one in both),
        with_people=agreement.report(_side_by_side(both, graded)),
        among_people=agreement.report(both),
        differing=len({one.unit for one in both if graded[str(one.unit)] != one.value}),
        failed=tuple(failed),
    )


def rubric_version(workspace: Workspace, run_id: str) -> int:
    """The version of the rubric that a run judges by."""
    return int(require(workspace, run_id, JUDGE).plan["rubric_version"])


def _unit(grade: model_grades.ModelGrade) -> str:
    return f"{grade.query_id}\t{grade.doc_id}"


def _side_by_side(both: Sequence[Label], graded: Mapping[str, int]) -> list[Label]:
    """Each person's label with the model's, as one unit with two raters."""
    found = []
    for one in both:
        unit, query_id = f"{one.unit}\t{one.rater}", one.cluster
        found.append(Label(unit, "people", one.value, query_id))
        found.append(Label(unit, MODEL, graded[str(one.unit)], query_id))
    return found


def differing(
    workspace: Workspace, person_id: str, run_id: str, labels: Sequence[Label]
) -> list[Differs]:
    """Where people and the model differ, 0 against 2 first; leads only.

    A pair that this lead may still judge is left out, and that the others were seen is kept:
    what is said of them later is not independent.
    """
    person = people.require(workspace, person_id, Role.LEAD)
    require(workspace, run_id, JUDGE)
    with workspace.writing() as db:
        grades = [one for one in model_grades.of_run(db, run_id) if one.direction == FIRST]
        graded = {_unit(grade): grade for grade in grades}
        found = [
            Differs(grade.query_id, grade.doc_id, grade.pair_id, int(str(one.value)), grade.level)
            for one in labels
            if (grade := graded.get(str(one.unit))) and grade.level != one.value
        ]
        shown = {
            one.pair_id
            for one in found
            if model_grades.visible(db, person, one.pair_id, to_raters=False)
        }
    return sorted(
        {one for one in found if one.pair_id in shown},
        key=lambda one: (-abs(one.person_level - one.model_level), one.query_id, one.doc_id),
    )
