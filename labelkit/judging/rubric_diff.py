"""What changed between two versions of a rubric, part by part and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from labelkit.rubric import Example, Rubric

Words = tuple[tuple[str, str], ...]
"""Pieces of a text in reading order, each "same", "removed" or "added"."""

STILL_THE_SAME_RULE = 0.5
"""From this share of common words on, a rule counts as reworded rather than as another one."""


@dataclass(frozen=True, slots=True)
class RubricChange:
    """One part that changed: `kind` is "added", "removed" or "changed", `part` names the part
    as a reader would ("level 2, definition", "rule 3", "example 0/1"); `words` shows both."""

    kind: str
    part: str
    before: str
    after: str
    words: Words

    @property
    def sentence(self) -> str:
        """The change on one line, with [-removed-] and {+added+} words."""
        marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
        shown = "".join(marks[kind].format(text) for kind, text in self.words)
        return f"{self.part} {self.kind}: {shown}"


def rubric_changes(old: Rubric, new: Rubric) -> tuple[RubricChange, ...]:
    """Every part that differs: title, levels from high to low, evidence, rules, examples."""
    return (
        *_text("title", old.title, new.title),
        *_levels(old, new),
        *_text("evidence", _evidence(old), _evidence(new)),
        *_rules(old.rules, new.rules),
        *_examples(old.examples, new.examples),
    )


def word_diff(before: str, after: str) -> Words:
    """Two texts as one, cut into pieces that stayed, went and came."""
    old, new = _words(before), _words(after)
    pieces: list[tuple[str, str]] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(old[i:j])))
            continue
        gone, come = "".join(old[i:j]), "".join(new[k:m])
        pieces += [piece for piece in (("removed", gone), ("added", come)) if piece[1]]
    return tuple(pieces)


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)


def _text(part: str, before: str, after: str) -> Iterator[RubricChange]:
    if before == after:
        return
    kind = "added" if not before else "changed" if after else "removed"
    yield RubricChange(kind, part, before, after, word_diff(before, after))


def _levels(old: Rubric, new: Rubric) -> Iterator[RubricChange]:
    for level in sorted(old.levels, reverse=True):
        before, after = old.levels[level], new.levels[level]
        yield from _text(f"level {level}, name", before.name, after.name)
        yield from _text(f"level {level}, definition", before.definition, after.definition)


def _evidence(rubric: Rubric) -> str:
    return "evidence required" if rubric.evidence_required else "evidence optional"


def _rules(old: Sequence[str], new: Sequence[str]) -> Iterator[RubricChange]:
    """Rules are matched in order; one that shares half of its words is the same rule, reworded."""
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = list(range(i, j)), list(range(k, m))
        for place in come:
            like = next((one for one in gone if _alike(old[one], new[place])), None)
            if like is not None:
                gone.remove(like)
            yield from _text(f"rule {place + 1}", "" if like is None else old[like], new[place])
        for place in gone:
            yield from _text(f"rule {place + 1}", old[place], "")


def _alike(before: str, after: str) -> bool:
    matched = SequenceMatcher(None, _words(before), _words(after), autojunk=False)
    return matched.ratio() >= STILL_THE_SAME_RULE


def _examples(old: Sequence[Example], new: Sequence[Example]) -> Iterator[RubricChange]:
    held = {(one.boundary, one.query, one.doc_id): one for one in old}
    kept = {(one.boundary, one.query, one.doc_id): one for one in new}
    for key in [*kept, *(key for key in held if key not in kept)]:
        before, after = (_shown(found.get(key)) for found in (held, kept))
        yield from _text(f"example {key[0]}", before, after)


def _shown(example: Example | None) -> str:
    if example is None:
        return ""
    passage = f" “{example.passage}”" if example.passage else ""
    return (
        f"“{example.query}” and {example.doc_id}{passage} is level {example.level}: {example.why}"
    )
