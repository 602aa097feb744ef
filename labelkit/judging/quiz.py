"""The qualification quiz: where a lead requires it, labels count once it is passed.

Until then a rater is given no real pair, and labels of theirs from before count nowhere: quotas,
resolution, samples, agreement and releases leave them out. When the person passes, or a lead
vouches for them, those labels count again, and the record says since when and how many. Leads
are exempt: they set the levels that the quiz asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from labelkit.errors import InputError, NotReady
from labelkit.judging import agreed, scoring, third_labels, training, warm_up
from labelkit.judging import state as project
from labelkit.judging.training import Exercise, Feedback
from labelkit.model import Role, Span
from labelkit.store import Connection, Workspace, meta, people, qualifications
from labelkit.store import training as stored
from labelkit.store.qualifications import Qualification
from labelkit.store.training import Attempt, Item, Setup

KIND = "quiz"
SMALLEST, MOST_ATTEMPTS = 6, 5
TRUSTED = "a lead trusted them when the quiz was set up"
WHAT_TO_ADD = (
    "Let two people whose labels count judge the same pairs, or adjudicate where they differ; "
    "boundary examples and the pairs of the warm-up are left out."
)


@dataclass(frozen=True, slots=True)
class QuizRule:
    """What a lead asks for: pairs an attempt, the mark (0 to 1), how it is scored, attempts."""

    size: int = 10
    pass_mark: float = 0.8
    measure: str = "exact"
    attempts: int = 2


@dataclass(frozen=True, slots=True)
class QuizOdds:
    """What the first attempt's pairs are worth without reading: shares from 0 to 1."""

    guessing: float
    one_level: int
    saying_one_level: float
    guesser_passes: float


@dataclass(frozen=True, slots=True)
class QuizResult:
    """One finished attempt: its score (0 to 1), whether it passed, and each answer explained."""

    number: int
    score: float
    passed: bool
    told: tuple[Feedback, ...]


@dataclass(frozen=True, slots=True)
class QuizState:
    """Where one person stands. `required` says that real pairs wait for the quiz."""

    required: bool
    rule: QuizRule | None
    exercise: Exercise | None
    results: tuple[QuizResult, ...]
    attempts_left: int
    qualification: Qualification | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One rater as a lead sees them: whether labels count, since when, and the attempts."""

    person_id: str
    counts: bool
    labels_left_out: int
    scores: tuple[float, ...]
    qualification: Qualification | None


def require(
    workspace: Workspace, person_id: str, rule: QuizRule, *, trusted: Collection[str] = ()
) -> list[list[Item]]:
    """Draw the pairs of every attempt, apart from the warm-up's, and require the quiz from now.

    Boundary examples are left out, for they stand in the rubric. A later attempt takes pairs
    that no earlier one had, as far as there are any. Whoever passed before stays qualified, and
    the `trusted` (person ids), such as those whose labels the quiz is made of, count without it.
    Raises InputError for a rule that is not possible, NotReady where there are too few pairs or
    a level is missing, NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    _check(rule)
    seed = meta.get(workspace, "seed") or "0"
    with workspace.writing() as db:
        for trusted_id in sorted(trusted):
            qualifications.grant(db, trusted_id, granted_by=person_id, note=TRUSTED)
        draws = _draws(db, rule, seed)
        missing = agreed.lacking(draws[0], rule.size)
        if missing:
            raise NotReady(f"No quiz yet: {'; '.join(missing)}. {WHAT_TO_ADD}")
        value = {
            "on": True,
            "size": rule.size,
            "pass_mark": rule.pass_mark,
            "measure": rule.measure,
            "attempts": rule.attempts,
            "seed": seed,
        }
        setup_id = stored.set_up(db, KIND, value, person_id)
        for number, items in enumerate(draws, 1):
            stored.save_items(db, setup_id, number, items)
        third_labels.settle_all(db)
        return draws


def _check(rule: QuizRule) -> None:
    if rule.size < SMALLEST:
        raise InputError(f"A quiz has at least {SMALLEST} pairs, else chance decides it.")
    if not 0 < rule.pass_mark <= 1:
        raise InputError("The pass mark lies above 0 and is at most 100 %.")
    if not 1 <= rule.attempts <= MOST_ATTEMPTS:
        raise InputError(f"Allow 1 to {MOST_ATTEMPTS} attempts.")
    if rule.measure not in scoring.MEASURES:
        raise InputError(f"{rule.measure!r} is no way to score; choose exact or distance.")


def _draws(db: Connection, rule: QuizRule, seed: str) -> list[list[Item]]:
    state = project.read(db)
    used = training.taken(db, stored.current(db, warm_up.KIND), [warm_up.DRAW])
    used |= {agreed.identity(item) for item in agreed.examples(db, state)}
    fresh = agreed.without(agreed.settled(db, state), used)
    again: list[Item] = []
    draws: list[list[Item]] = []
    for number in range(1, rule.attempts + 1):
        found = agreed.draw([fresh, again], rule.size, f"quiz {seed} {number}")
        had = {agreed.identity(item) for item in found}
        again += [item for item in fresh if agreed.identity(item) in had]
        fresh = agreed.without(fresh, had)
        draws.append(found)
    return draws


def stop_requiring(workspace: Workspace, person_id: str) -> None:
    """Let everyone's labels count again, passed or not."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        stored.set_up(db, KIND, {"on": False}, person_id)
        third_labels.settle_all(db)


def vouch(workspace: Workspace, person_id: str, rater_id: str, reason: str) -> Qualification:
    """Let a rater's labels count without the quiz, on a lead's word, which is kept.

    Raises InputError without a reason, NotAllowed where `person_id` is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    if people.get(workspace, rater_id) is None:
        raise InputError(f"Nobody has the id {rater_id!r}: reload the list.")
    if not reason.strip():
        raise InputError("Write why this person's labels count without the quiz.")
    with workspace.writing() as db:
        held = qualifications.grant(db, rater_id, granted_by=person_id, note=reason.strip())
        third_labels.settle_all(db)
        return held


def rule_now(workspace: Workspace) -> QuizRule | None:
    """The rule that is required now, or None."""
    with workspace.reading() as db:
        setup = _setup(db)
    return None if setup is None else _rule(setup)


def odds(workspace: Workspace) -> QuizOdds | None:
    """What guessing would score on the pairs of the first attempt, or None without a quiz."""
    with workspace.reading() as db:
        setup = _setup(db)
        if setup is None:
            return None
        rule, levels = _rule(setup), [i.level for i in stored.items(db, setup.setup_id, 1)]
    best, share = scoring.by_one_level(rule.measure, levels)
    return QuizOdds(
        scoring.by_chance(rule.measure, levels),
        best,
        share,
        scoring.chance_to_pass(rule.measure, levels, rule.pass_mark),
    )


def left_out_if_required(workspace: Workspace) -> dict[str, int]:
    """Whose labels would stop counting if a quiz were required, and how many stand."""
    found = {}
    with workspace.reading() as db:
        for person in people.all(workspace):
            labels = qualifications.labels_of(db, person.person_id)
            if labels and Role.LEAD not in person.roles and not _held(db, person.person_id):
                found[person.person_id] = labels
    return found


def standings(workspace: Workspace, person_id: str) -> list[Standing]:
    """Every active rater who is no lead, for a lead; raises NotAllowed for anyone else."""
    people.require(workspace, person_id, Role.LEAD)
    raters = [p for p in people.all(workspace) if p.active and Role.LEAD not in p.roles]
    with workspace.reading() as db:
        setup, left_out = _setup(db), qualifications.uncounted(db)
        return [
            Standing(
                rater.person_id,
                rater.person_id not in left_out,
                left_out.get(rater.person_id, 0),
                tuple(result.score for result in _results(db, setup, rater.person_id)),
                _held(db, rater.person_id),
            )
            for rater in raters
            if Role.RATER in rater.roles
        ]


def standing(workspace: Workspace, person_id: str) -> QuizState:
    """Where this person stands, and the next pair of the attempt that runs."""
    with workspace.reading() as db:
        setup, held = _setup(db), _held(db, person_id)
        if setup is None:
            return QuizState(False, None, None, (), 0, held)
        attempt = training.running(db, setup, person_id)
        begun = len(stored.attempts(db, setup.setup_id, person_id))
        return QuizState(
            required=not qualifications.counts(db, person_id),
            rule=_rule(setup),
            exercise=training.exercise(db, attempt) if attempt else None,
            results=tuple(_results(db, setup, person_id)),
            attempts_left=max(0, _rule(setup).attempts - begun),
            qualification=held,
        )


def begin(workspace: Workspace, person_id: str) -> Exercise:
    """Begin the next attempt; one that runs goes on where it is.

    Raises NotReady where no quiz is required or no attempt is left.
    """
    people.require(workspace, person_id, Role.RATER)
    with workspace.writing() as db:
        setup = _setup(db)
        if setup is None or qualifications.counts(db, person_id):
            raise NotReady("No quiz is asked of you now: go on with the pairs themselves.")
        attempt = training.running(db, setup, person_id) or _next(db, setup, person_id)
        found = training.exercise(db, attempt)
    if found is None:
        raise NotReady("The quiz has no pairs: a lead draws it again.")
    return found


def _next(db: Connection, setup: Setup, person_id: str) -> Attempt:
    begun = len(stored.attempts(db, setup.setup_id, person_id))
    if begun >= _rule(setup).attempts:
        raise NotReady(
            "You have used every attempt that this project allows. Ask a lead: they can vouch for "
            "you, or draw the quiz again."
        )
    return stored.begin(db, setup.setup_id, person_id, begun + 1)


def answer(
    workspace: Workspace,
    person_id: str,
    item_id: int,
    *,
    level: int | None,
    reason: str,
    evidence: Sequence[Span] = (),
) -> QuizResult | None:
    """Write the answer to the pair that is next; the last one brings the result, else None.

    With a pass the person's labels count from now on. Raises InputError without level, reason or
    the evidence that the rubric requires, Conflict where another pair is next by now.
    """
    people.require(workspace, person_id, Role.RATER)
    with workspace.writing() as db:
        setup = _setup(db)
        attempt = None if setup is None else training.running(db, setup, person_id)
        training.answer(db, attempt, item_id, level, reason, evidence)
        if setup is None or attempt is None or not training.finished(db, attempt):
            return None
        result = _result(db, _rule(setup), attempt)
        if result.passed:
            qualifications.grant(db, person_id, attempt_id=attempt.attempt_id)
            third_labels.settle_all(db)
        return result


def _setup(db: Connection) -> Setup | None:
    held = stored.current(db, KIND)
    return held if held is not None and held.on else None


def _rule(setup: Setup) -> QuizRule:
    value = setup.value
    return QuizRule(value["size"], value["pass_mark"], value["measure"], value["attempts"])


def _held(db: Connection, person_id: str) -> Qualification | None:
    found = qualifications.of(db, person_id)
    return found[0] if found else None


def _results(db: Connection, setup: Setup | None, person_id: str) -> Sequence[QuizResult]:
    if setup is None:
        return ()
    held = stored.attempts(db, setup.setup_id, person_id)
    return [_result(db, _rule(setup), one) for one in held if training.finished(db, one)]


def _result(db: Connection, rule: QuizRule, attempt: Attempt) -> QuizResult:
    told = training.feedback(db, attempt)
    score = scoring.score(rule.measure, [(one.level, one.agreed_level) for one in told])
    return QuizResult(
        attempt.number, float(score), scoring.passed(score, rule.pass_mark), tuple(told)
    )
