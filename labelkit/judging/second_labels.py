"""Which pairs get a second, independent label: drawn by the tool, not by a person."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelkit.errors import InputError, NotReady
from labelkit.judging import state as project
from labelkit.judging.resolution import Key
from labelkit.model import LEVELS, Role
from labelkit.store import Workspace, people, rubrics, samples

SMALLEST_SHARE = 0.15
"""Each level that occurs gets at least this share, so that no row of the table stays empty."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A drawn sample: its pairs, and how many of each level were wanted and there to draw from."""

    pairs: tuple[Key, ...]
    seed: int
    drawn: Mapping[int, int]
    available: Mapping[int, int]


def draw_second_sample(
    workspace: Workspace, person_id: str, *, size: int = 40, seed: int = 1
) -> Sample:
    """Draw pairs with one level for a second one, spread over queries, all levels present.

    Pairs that already wait for a second level are left out, so a further draw asks for more.
    Raises NotReady where no pair is left to draw, NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    if size < 1:
        raise InputError(f"A sample of {size} pairs cannot be drawn: ask for at least one.")
    with workspace.writing() as db:
        waiting = samples.waiting(db)
        levels = _single_levels(project.read(db))
        sample = draw_from({p: n for p, n in levels.items() if p not in waiting}, size, seed)
        if not sample.pairs:
            raise NotReady(
                "No pair has exactly one level and no second one asked for: judge some on the "
                "Label page first."
            )
        samples.save(
            db,
            sample.pairs,
            rubric_version=rubrics.ensure(db),
            seed=seed,
            detail={
                "drawn by level": {str(key): value for key, value in sample.drawn.items()},
                "available by level": {str(key): value for key, value in sample.available.items()},
                "smallest share": SMALLEST_SHARE,
            },
            person_id=person_id,
        )
        return sample


def _single_levels(state: project.ProjectState) -> dict[Key, int]:
    """The pairs that exactly one person gave a level, with that level (the newest rubric's)."""
    levels: dict[Key, dict[str, int]] = defaultdict(dict)
    for judgment in sorted(state.judgments, key=lambda j: (j.rubric_version, j.judgment_id)):
        if judgment.level is not None and judgment.round != "check":
            levels[judgment.query_id, judgment.doc_id][judgment.person_id] = judgment.level
    return {pair: min(held.values()) for pair, held in levels.items() if len(held) == 1}


def draw_from(levels: Mapping[Key, int], size: int, seed: int) -> Sample:
    """Draw pairs from those given with their level: spread over queries, all levels present."""
    generator = random.Random(seed)
    available = Counter(levels.values())
    drawn: list[Key] = []
    wanted = allocate(available, size)
    for level in sorted(wanted, key=lambda level: (available[level], level)):
        stratum = sorted(pair for pair, held in levels.items() if held == level)
        drawn += _spread(stratum, wanted[level], drawn, generator)
    return Sample(
        tuple(sorted(drawn)),
        seed,
        dict(Counter(levels[pair] for pair in drawn)),
        dict(available),
    )


def allocate(available: Mapping[int, int], size: int) -> dict[int, int]:
    """How many pairs of each level to draw: in proportion, but no level under its smallest share.

    `available` maps level to the number of pairs; the result sums to `size`, or to all there are.
    """
    present = [level for level in LEVELS if available.get(level)]
    total = sum(available.values())
    size = min(size, total)
    floor = max(1, int(size * SMALLEST_SHARE))
    wanted = {
        level: min(available[level], max(floor, round(size * available[level] / total)))
        for level in present
    }
    while sum(wanted.values()) != size:
        too_many = sum(wanted.values()) > size
        level = max(present, key=lambda n: wanted[n] if too_many else available[n] - wanted[n])
        wanted[level] += -1 if too_many else 1
    return wanted


def _spread(
    stratum: Sequence[Key], wanted: int, before: Sequence[Key], generator: random.Random
) -> list[Key]:
    """Draw at random, each time from a query that gave the fewest so far, `before` counted in."""
    left = list(stratum)
    generator.shuffle(left)
    given = Counter(query_id for query_id, _ in before)
    drawn: list[Key] = []
    for _ in range(wanted):
        pair = min(left, key=lambda candidate: given[candidate[0]])
        left.remove(pair)
        given[pair[0]] += 1
        drawn.append(pair)
    return drawn
