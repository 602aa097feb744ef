"""Which pairs get a second, independent label: drawn by the tool, not by a person."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelkit.errors import NotReady
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

    Raises NotReady where no pair has exactly one level, NotAllowed where not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        sample = _draw(_single_levels(project.read(db)), size, seed)
        if not sample.pairs:
            raise NotReady("No pair has exactly one level yet: judge some on the Label page first.")
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
    """The pairs that exactly one person gave a level, with that level."""
    levels: dict[Key, list[int]] = defaultdict(list)
    for judgment in state.judgments:
        if judgment.level is not None:
            levels[judgment.query_id, judgment.doc_id].append(judgment.level)
    return {pair: held[0] for pair, held in levels.items() if len(held) == 1}


def _draw(levels: Mapping[Key, int], size: int, seed: int) -> Sample:
    generator = random.Random(seed)
    available = Counter(levels.values())
    drawn: list[Key] = []
    for level, wanted in allocate(available, size).items():
        stratum = sorted(pair for pair, held in levels.items() if held == level)
        drawn += _spread(stratum, wanted, generator)
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
    floor = int(size * SMALLEST_SHARE)
    wanted = {
        level: min(available[level], max(floor, round(size * available[level] / total)))
        for level in present
    }
    while sum(wanted.values()) != size:
        too_many = sum(wanted.values()) > size
        level = max(present, key=lambda n: wanted[n] if too_many else available[n] - wanted[n])
        wanted[level] += -1 if too_many else 1
    return wanted


def _spread(stratum: Sequence[Key], wanted: int, generator: random.Random) -> list[Key]:
    """Draw at random, one query after the other, so that no query gives two while another waits."""
    by_query: dict[str, list[Key]] = defaultdict(list)
    for pair in stratum:
        by_query[pair[0]].append(pair)
    for pairs in by_query.values():
        generator.shuffle(pairs)
    order = sorted(by_query)
    generator.shuffle(order)
    drawn: list[Key] = []
    while len(drawn) < wanted:
        for query_id in order:
            if by_query[query_id] and len(drawn) < wanted:
                drawn.append(by_query[query_id].pop())
    return drawn
