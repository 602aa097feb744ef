"""A rubric that improves: versions, what an edit meant, which labels still count, the re-check."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from labelkit.agreement import Label
from labelkit.errors import InputError
from labelkit.judging import state as project
from labelkit.judging.agreeing import INDEPENDENT, independent_labels
from labelkit.judging.resolution import Key
from labelkit.judging.rubric_diff import RubricChange, rubric_changes
from labelkit.model import Judgment, Role
from labelkit.rubric import Example, Rubric, check_rubric
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    independent,
    judgments,
    people,
    queries,
    rubric_choices,
    rubrics,
)
from labelkit.store.rubric_choices import Choice, RubricVersion

COUNTING = ("carried", "relabelled", "near_examples")
"""Which labels of an earlier meaning still count: all, none, or all but those of pairs that
share their query or document with a boundary example."""


@dataclass(frozen=True, slots=True)
class RubricSaved:
    """What a saved edit led to: the version now in force, what changed, whether alpha is void,
    and a sentence on what that means and what to do next."""

    version: int
    changes: tuple[RubricChange, ...]
    void: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class CountingEffect:
    """What a rule does with the labels of earlier meanings: `kept` count on, `dropped` no more,
    and `requeued` pairs go back to the raters."""

    rule: str
    kept: int
    dropped: int
    requeued: int


def rubric_versions(workspace: Workspace) -> list[RubricVersion]:
    """Every version with who saved it, whether its meaning changed, and who said so."""
    with workspace.reading() as db:
        return rubric_choices.versions(db)


def changes_between(workspace: Workspace, old: int, new: int) -> tuple[RubricChange, ...]:
    """What changed from one version to another, word by word; raises InputError for no version."""
    held = {one.rubric.version: one.rubric for one in rubric_versions(workspace)}
    for version in (old, new):
        if version not in held:
            raise InputError(f"There is no rubric version {version}; the newest is {max(held)}.")
    return rubric_changes(held[old], held[new])


def save_rubric(
    workspace: Workspace, person_id: str, rubric: Rubric, *, wording_only: bool = False, note: str
) -> RubricSaved:
    """Save an edit as the next version; a change of meaning voids alpha, a wording fix does not.

    `note` says why, and with `wording_only` the person vouches that no label would change.
    Raises NotAllowed where the person is not a lead; InputError without a note, where nothing
    changed, or where a wording fix touches an example's level or whether evidence is required.
    """
    people.require(workspace, person_id, Role.LEAD)
    checked = check_rubric(rubric)
    if not note.strip():
        raise InputError("Say in a few words why the rubric changes: it is kept with the version.")
    with workspace.writing() as db:
        rubrics.ensure(db)
        return _save(db, person_id, checked, wording_only, note.strip())


def add_boundary_example(
    workspace: Workspace,
    person_id: str,
    query_id: str,
    doc_id: str,
    *,
    boundary: str,
    level: int,
    why: str,
    passage: str = "",
) -> RubricSaved:
    """Make a pair (a disagreement, as a rule) a boundary example: one more version of the rubric.

    `boundary` is "0/1" or "1/2". Raises InputError for a level that is not at the boundary, no
    `why`, an unknown pair, or a passage that is not in the document.
    """
    people.require(workspace, person_id, Role.LEAD)
    if not why.strip():
        raise InputError("Write why the pair is this level and not its neighbour.")
    if type(level) is not int or str(level) not in boundary.split("/"):
        raise InputError(f"Level {level!r} is not at the boundary {boundary!r}.")
    with workspace.writing() as db:
        query, document = queries.get(db, query_id), documents.get(db, doc_id)
        if query is None or document is None:
            raise InputError(f"There is no pair of {query_id!r} and {doc_id!r}: reload the list.")
        if passage not in document.text:
            raise InputError("The passage does not stand in the document: mark it there.")
        rubrics.ensure(db)
        held = rubrics.current(db)
        example = Example(boundary, query.text, doc_id, level, why.strip(), passage)
        others = tuple(
            one for one in held.examples if (one.query, one.doc_id) != (query.text, doc_id)
        )
        edited = check_rubric(replace(held, examples=(*others, example)))
        return _save(db, person_id, edited, False, f"Boundary example {boundary}: {why.strip()}")


def _save(
    db: Connection, person_id: str, rubric: Rubric, wording_only: bool, note: str
) -> RubricSaved:
    held = rubrics.current(db)
    changes = rubric_changes(held, rubric)
    if not changes:
        raise InputError(f"Nothing changed against version {held.version}: there is nothing new.")
    if wording_only and _levels_of_examples(held) != _levels_of_examples(rubric):
        raise InputError(
            "A boundary example or the need for evidence changed: that changes labels, so save it "
            "as a change of meaning."
        )
    labels = len(labels_under(db, held.version))
    version = rubrics.save(db, rubric, person_id)
    kind = "wording" if wording_only else "meaning"
    rubric_choices.add(db, version, kind, note, person_id)
    return RubricSaved(version, changes, not wording_only, _explain(version, kind, labels))


def _levels_of_examples(rubric: Rubric) -> tuple[bool, set[tuple[str, str, str, int]]]:
    examples = {(one.boundary, one.query, one.doc_id, one.level) for one in rubric.examples}
    return rubric.evidence_required, examples


def _explain(version: int, kind: str, labels: int) -> str:
    if kind == "wording":
        return f"Saved as version {version}, a wording fix: labels and alpha stay as they are."
    if not labels:
        return f"Saved as version {version}. There was no alpha yet that it could void."
    return (
        f"Saved as version {version}. Alpha is void: its labels were given under another meaning, "
        "and what raters agreed on then says nothing about this text. Draw a fresh sample, have "
        "it labeled twice, and choose which earlier labels still count."
    )


def choose_counting(workspace: Workspace, person_id: str, rule: str, *, note: str = "") -> Choice:
    """Decide which labels given under an earlier meaning still count; recorded, and obeyed by
    resolution, agreement and freeze from now on.

    "carried": all. "relabelled": only those given since, so every pair judged before is open
    again. "near_examples": all but those of pairs that share their query or document with a
    boundary example. What was sent back to the raters is not taken back by a later choice.
    """
    people.require(workspace, person_id, Role.LEAD)
    if rule not in COUNTING:
        raise InputError(f"{rule!r} is no rule; choose {', '.join(COUNTING)}.")
    with workspace.writing() as db:
        rubrics.ensure(db)
        version = present_meaning(db)
        choice_id = rubric_choices.add(db, version, rule, note.strip(), person_id)
        rubric_choices.requeue(db, choice_id, version, _to_requeue(db, rule, version))
        return rubric_choices.choices(db)[-1]


def counting_effects(workspace: Workspace) -> list[CountingEffect]:
    """What each rule would do, before one is chosen; empty where no label of an earlier meaning
    counts at present."""
    with workspace.reading() as db:
        version = present_meaning(db)
        held = project.read(db)
        near = near_example(held)
    earlier = [j for j in held.judgments if j.rubric_version < version]
    if not earlier:
        return []
    return [_effect(rule, earlier, near) for rule in COUNTING]


def _effect(rule: str, earlier: Sequence[Judgment], near: Collection[Key]) -> CountingEffect:
    sent = {(j.query_id, j.doc_id) for j in earlier if _goes_back(rule, j, near)}
    kept = sum((j.query_id, j.doc_id) not in sent for j in earlier)
    return CountingEffect(rule, kept, len(earlier) - kept, len(sent))


def counting_choice(workspace: Workspace) -> Choice | None:
    """The rule that was chosen last for the present meaning, None where nobody chose: carried."""
    with workspace.reading() as db:
        return counting(db)


def counting(db: Connection) -> Choice | None:
    """The same, inside the caller's transaction."""
    version = present_meaning(db)
    made = [c for c in rubric_choices.choices(db) if c.version == version and c.kind in COUNTING]
    return made[-1] if made else None


def present_meaning(db: Connection) -> int:
    """The version that first had the present meaning."""
    return min(rubric_choices.same_meaning(db, rubrics.current(db).version))


def _to_requeue(db: Connection, rule: str, version: int) -> Iterator[Key]:
    state = project.read(db)
    near = near_example(state)
    for judgment in state.judgments:
        if judgment.rubric_version < version and _goes_back(rule, judgment, near):
            yield judgment.query_id, judgment.doc_id


def near_example(state: project.ProjectState) -> set[Key]:
    """The judged pairs that share their query or their document with a boundary example."""
    queries_of = {example.query for example in state.rubric.examples}
    documents_of = {example.doc_id for example in state.rubric.examples}
    return {
        (one.query_id, one.doc_id)
        for one in state.judgments
        if state.queries[one.query_id].text in queries_of or one.doc_id in documents_of
    }


def _goes_back(rule: str, judgment: Judgment, near: Collection[Key]) -> bool:
    if rule == "near_examples":
        return (judgment.query_id, judgment.doc_id) in near
    return rule == "relabelled"


def labels_under(db: Connection, version: int) -> list[Label]:
    """The independent labels given under the meaning of a version."""
    return independent_labels(
        independent.unswayed(db),
        judgments.first_adjudicated_at(db),
        rounds=INDEPENDENT,
        rubric_versions=rubric_choices.same_meaning(db, version),
    )
