"""The re-check of an edited rubric: a fresh sample, two labels each, old and new alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelkit import agreement
from labelkit.agreement import AgreementReport, Label
from labelkit.errors import InputError, NotReady
from labelkit.judging import state as project
from labelkit.judging.resolution import Key
from labelkit.judging.rubric_versions import labels_under, present_meaning
from labelkit.judging.second_labels import Sample, draw_from
from labelkit.model import Role
from labelkit.store import Connection, Workspace, people, rubric_choices, rubrics, samples
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class Recheck:
    """Old and new agreement side by side: `before` under the earlier meaning, `after` under the
    present one on `pairs` drawn pairs, of which `waiting` still lack two labels."""

    old_version: int
    new_version: int
    before: AgreementReport
    after: AgreementReport
    pairs: int
    waiting: int
    sentence: str


def draw_recheck(workspace: Workspace, person_id: str, *, size: int = 40, seed: int = 1) -> Sample:
    """Draw judged pairs afresh, to be labeled by two people under the present rubric.

    The pairs go back into the queue of everyone, also of those who judged them under an earlier
    version; until they have their new labels, the old ones count no more. Stratified as every
    sample; boundary examples are left out, for the rubric tells their level. Raises NotReady
    where nothing was judged under an earlier meaning.
    """
    people.require(workspace, person_id, Role.LEAD)
    if size < 1:
        raise InputError(f"A sample of {size} pairs cannot be drawn: ask for at least one.")
    with workspace.writing() as db:
        rubrics.ensure(db)
        version = present_meaning(db)
        sample = draw_from(_earlier_levels(db, version), size, seed)
        if not sample.pairs:
            raise NotReady("No pair was judged under an earlier meaning: there is no re-check.")
        choice_id = rubric_choices.add(db, version, "recheck", f"seed {seed}", person_id)
        rubric_choices.requeue(db, choice_id, version, sample.pairs)
        samples.save(
            db,
            sample.pairs,
            rubric_version=version,
            seed=seed,
            detail={
                "recheck": True,
                "drawn by level": {str(k): v for k, v in sample.drawn.items()},
            },
            person_id=person_id,
        )
        return sample


def _earlier_levels(db: Connection, version: int) -> dict[Key, int]:
    """Pairs whose resolved level rests on an earlier meaning; a pair in dispute by its lowest."""
    state = project.read(db, rule="min")
    since = {(j.query_id, j.doc_id) for j in state.judgments if j.rubric_version >= version}
    judged = {(j.query_id, j.doc_id) for j in state.judgments}
    shown = {(example.query, example.doc_id) for example in state.rubric.examples}
    return {
        pair: held.level
        for pair, held in state.resolutions.items()
        if held.level is not None
        and pair in judged - since
        and (state.queries[pair[0]].text, pair[1]) not in shown
    }


def recheck(workspace: Workspace) -> Recheck:
    """Agreement under the earlier meaning beside that under the present one.

    Raises NotReady while the rubric has had one meaning only.
    """
    with workspace.reading() as db:
        version = present_meaning(db)
        earlier = [one for one in rubric_choices.versions(db) if one.rubric.version < version]
        if not earlier:
            raise NotReady("The rubric has had one meaning only: there is nothing to compare.")
        old, held = _last_labeled(db, [one.rubric.version for one in earlier])
        before = agreement.report(held)
        labels = labels_under(db, version)
        drawn: set[Key] = set()
        for choice in rubric_choices.choices(db):
            if choice.kind == "recheck" and choice.version == version:
                drawn |= rubric_choices.requeued_by(db, choice.choice_id)
        waiting = len(drawn & samples.waiting(db))
    after = agreement.report(labels)
    return Recheck(
        old, version, before, after, len(drawn), waiting, _compared(before, after, waiting)
    )


def _last_labeled(db: Connection, versions: Sequence[int]) -> tuple[int, list[Label]]:
    """The newest of these versions under which pairs were compared, else the newest: examples
    that are added one by one make versions that nobody labeled under."""
    for version in reversed(versions):
        labels = labels_under(db, version)
        if len({label.unit for label in labels}) < len(labels):
            return version, labels
    return versions[-1], labels_under(db, versions[-1])


def _compared(before: AgreementReport, after: AgreementReport, waiting: int) -> str:
    still = counted(waiting, "drawn pair still waits", "drawn pairs still wait")
    left = f" {still}." if waiting else ""
    if before.alpha is None or after.alpha is None:
        side = "before" if before.alpha is None else "now"
        return f"There is no alpha {side} to compare with.{left}"
    move = f"Alpha was {before.alpha:.3f} and is {after.alpha:.3f}"
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return f"{move}; without intervals nobody can say whether that is a change.{left}"
    if after.low > before.high:
        return f"{move}: the new text is read more alike.{left}"
    if after.high < before.low:
        return f"{move}: the new text is read less alike.{left}"
    return f"{move}: their intervals overlap, so neither text is shown to be better.{left}"
