"""Pairs whose level is agreed: what warm-up and quiz are drawn from, and how they are drawn."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from labelkit.judging import state as project
from labelkit.judging.resolution import Key
from labelkit.model import LEVELS, Judgment
from labelkit.store import Connection, documents, pairs
from labelkit.store.training import Item
from labelkit.wording import counted


def examples(db: Connection, state: project.ProjectState) -> list[Item]:
    """The rubric's boundary examples of which a document or a passage is there to be read."""
    texts = {query.text: query.query_id for query in state.queries.values()}
    found = []
    for example in state.rubric.examples:
        query_id = texts.get(example.query)
        pair = None if query_id is None else pairs.find(db, query_id, example.doc_id)
        if example.passage or documents.get(db, example.doc_id) is not None:
            found.append(
                Item(
                    pair.pair_id if pair else None,
                    example.query,
                    example.doc_id,
                    example.passage,
                    example.level,
                    example.why,
                    "example",
                )
            )
    return found


def settled(db: Connection, state: project.ProjectState) -> list[Item]:
    """Pairs judged under this rubric that a lead adjudicated, or two or more people agree on.

    Pairs that still wait for a label are left out: to show them would sway it.
    """
    final = {(a.query_id, a.doc_id): a for a in state.adjudications}
    found = []
    for key, levels in sorted(_current_levels(state).items()):
        pair, same = pairs.find(db, *key), len({j.level for j in levels}) == 1
        if pair is None or len(levels) < pair.quota or not (key in final or len(levels) > 1):
            continue
        if key in final:
            said, source = (final[key].level, final[key].reason), "adjudicated"
        elif same and levels[0].level is not None:
            said, source = (levels[0].level, levels[0].reason), "agreed"
        else:
            continue
        text = state.queries[key[0]].text
        found.append(Item(pair.pair_id, text, key[1], "", *said, source))
    return found


def _current_levels(state: project.ProjectState) -> dict[Key, list[Judgment]]:
    """Each pair's standing levels, one a person, where all are of the current rubric."""
    found: dict[Key, dict[str, Judgment]] = defaultdict(dict)
    for judgment in state.judgments:
        if judgment.level is not None:
            found[judgment.query_id, judgment.doc_id][judgment.person_id] = judgment
    version = state.rubric.version
    return {
        key: [held[person] for person in sorted(held)]
        for key, held in found.items()
        if all(judgment.rubric_version == version for judgment in held.values())
    }


def identity(item: Item) -> tuple[str, str]:
    """What makes two items the same pair to a reader."""
    return (item.query_text, item.doc_id)


def without(items: Iterable[Item], taken: Collection[tuple[str, str]]) -> list[Item]:
    """The items whose pair is not among those taken."""
    return [item for item in items if identity(item) not in taken]


def draw(sources: Sequence[Sequence[Item]], size: int, seed: str) -> list[Item]:
    """Up to `size` items in random order, the levels as even as they come.

    Of each level the earlier sources are used up first. Fewer come back where there are fewer.
    """
    generator = random.Random(seed)
    by_level: dict[int, list[Item]] = {level: [] for level in LEVELS}
    for source in sources:
        for item in generator.sample(list(source), len(source)):
            by_level[item.level].append(item)
    chosen: list[Item] = []
    while len(chosen) < size and any(by_level.values()):
        fewest = Counter(dict.fromkeys(LEVELS, 0))
        fewest.update(item.level for item in chosen)
        level = min((one for one in LEVELS if by_level[one]), key=lambda one: fewest[one])
        chosen.append(by_level[level].pop(0))
    generator.shuffle(chosen)
    return chosen


def lacking(found: Sequence[Item], size: int) -> list[str]:
    """What is missing from a draw, in words; empty where it is complete."""
    held = Counter(item.level for item in found)
    said = []
    if len(found) < size:
        needed = counted(size, "pair is", "pairs are")
        said.append(f"{needed} needed and {counted(len(found), 'pair')} can be drawn")
    said += [f"no pair has level {level}" for level in LEVELS if not held[level]]
    return said
