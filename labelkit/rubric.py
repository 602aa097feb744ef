"""The rubric: what each level lets the reader do, the rules, and the boundary examples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.errors import InputError
from labelkit.model import LEVELS

BOUNDARIES = ("0/1", "1/2")


@dataclass(frozen=True, slots=True)
class LevelText:
    """A level's short name and what the document lets the reader do."""

    name: str
    definition: str


@dataclass(frozen=True, slots=True)
class Example:
    """A boundary example: the level one pair has, and why it is not its neighbour."""

    boundary: str
    query: str
    doc_id: str
    level: int
    why: str
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Rubric:
    """One version of the rubric; an edit makes a new version."""

    version: int
    title: str
    levels: Mapping[int, LevelText]
    rules: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    evidence_required: bool = False

    def body(self) -> dict[str, Any]:
        """The rubric without its version, as plain JSON values."""
        return {
            "title": self.title,
            "levels": {
                str(level): {"name": text.name, "definition": text.definition}
                for level, text in sorted(self.levels.items())
            },
            "rules": list(self.rules),
            "examples": [
                {
                    "boundary": example.boundary,
                    "query": example.query,
                    "doc_id": example.doc_id,
                    "level": example.level,
                    "why": example.why,
                    "passage": example.passage,
                }
                for example in self.examples
            ],
            "evidence_required": self.evidence_required,
        }

    @property
    def text_sha256(self) -> str:
        """SHA-256 of the rubric's canonical JSON, without the version number."""
        text = json.dumps(self.body(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def markdown(self) -> str:
        """The rubric as a page of Markdown, levels from high to low."""
        lines = [f"# {self.title}", ""]
        for level, text in sorted(self.levels.items(), reverse=True):
            lines.append(f"- **{level}, {text.name}**: {text.definition}")
        if self.rules:
            lines += ["", "## Rules", ""]
            lines += [f"{number}. {rule}" for number, rule in enumerate(self.rules, 1)]
        if self.examples:
            lines += ["", "## Boundary examples", ""]
            for example in self.examples:
                lines.append(
                    f"- {example.boundary}: “{example.query}” and `{example.doc_id}` "
                    f"is level {example.level}: {example.why}"
                )
        return "\n".join(lines) + "\n"


def parse_rubric(body: Mapping[str, Any], version: int) -> Rubric:
    """Build a rubric from its JSON form.

    Raises InputError where a level is missing or an example has no such level or boundary.
    """
    texts = body.get("levels")
    if not isinstance(texts, Mapping) or {str(key) for key in texts} != {str(n) for n in LEVELS}:
        raise InputError("A rubric defines exactly the levels 0, 1 and 2, under the key 'levels'.")
    levels = {int(key): LevelText(text["name"], text["definition"]) for key, text in texts.items()}
    rules = body.get("rules", ())
    if isinstance(rules, str) or not all(
        isinstance(text, str)
        for text in [body.get("title", ""), *rules]
        + [words for level in levels.values() for words in (level.name, level.definition)]
    ):
        raise InputError("A rubric's title, names, definitions and rules are texts; rules a list.")
    return Rubric(
        version=version,
        title=body.get("title", "Rubric"),
        levels=levels,
        rules=tuple(rules),
        examples=tuple(_example(entry) for entry in body.get("examples", ())),
        evidence_required=bool(body.get("evidence_required", False)),
    )


def check_rubric(rubric: Rubric) -> Rubric:
    """The rubric, checked as one from a file is; raises InputError for an empty text as well."""
    checked = parse_rubric(rubric.body(), rubric.version)
    if not all(text.name.strip() and text.definition.strip() for text in checked.levels.values()):
        raise InputError("Each level needs a name and what the document lets the reader do.")
    if not all(rule.strip() for rule in checked.rules):
        raise InputError("A rule is empty: fill it in or take it out.")
    return checked


def _example(entry: Mapping[str, Any]) -> Example:
    example = Example(
        boundary=entry["boundary"],
        query=entry["query"],
        doc_id=entry["doc_id"],
        level=entry["level"],
        why=entry["why"],
        passage=entry.get("passage", ""),
    )
    if (
        example.boundary not in BOUNDARIES
        or type(example.level) is not int
        or example.level not in LEVELS
    ):
        raise InputError(
            f"The example for {example.query!r} has boundary {example.boundary!r} and level "
            f"{example.level!r}; use boundary 0/1 or 1/2 and level 0, 1 or 2."
        )
    return example


STARTER = parse_rubric(
    {
        "title": "Does this document help with this query?",
        "levels": {
            "2": {
                "name": "answers",
                "definition": "The reader can act on this document alone: it holds the answer.",
            },
            "1": {
                "name": "helps",
                "definition": "It gives a part of the answer, or points on to where it stands.",
            },
            "0": {
                "name": "does not help",
                "definition": "The reader is no nearer to the answer after reading it.",
            },
        },
        "rules": [
            "Judge what the document says, not what you know.",
            "Same topic alone is 0: ask what the reader can do after reading.",
            "A follow-up is judged with its earlier turns.",
        ],
    },
    version=1,
)


def _starter(title: str, answers: str, helps: str, does_not: str, rules: tuple[str, ...]) -> Rubric:
    levels = {
        2: LevelText("answers", answers),
        1: LevelText("helps", helps),
        0: LevelText("does not help", does_not),
    }
    return Rubric(1, title, levels, rules)


STARTERS: Mapping[str, Rubric] = {
    "general": STARTER,
    "support": _starter(
        "Does this article solve the customer's problem?",
        "The customer can solve the problem with this article alone, without writing to support.",
        "It covers a part or the cause of the problem, or links to the article that solves it.",
        "After reading, the customer would still write to support with the same question.",
        (
            "Judge for the product and version that the customer names; if none, the current one.",
            "The right product with another problem is 0.",
            "Steps for another system are 1 if they carry over as they stand, else 0.",
            "An article that says rightly that it cannot be done is 2.",
        ),
    ),
    "products": _starter(
        "Would this shopper take this product?",
        "The product is what was asked for: type, and every property that the query names.",
        "It is of the right type and misses one property, or a shopper would take it instead.",
        "It is something else, or an accessory or part of what was asked for.",
        (
            "A brand or size that the query names is a property; one it leaves open is not.",
            "Price and stock do not count unless the query names them.",
            "A set that holds the product is 2 if the product is its main piece, else 1.",
            "Judge what the listing states, not what the picture suggests.",
        ),
    ),
    "code": _starter(
        "Does this code do what was asked?",
        "It does the task: a developer can call it, or copy it with names and values changed.",
        "It does a part of the task, or the task in another language or version of a library.",
        "It shares names or a topic with the task and does not do it.",
        (
            "Judge what the code does, not what its comments or names promise.",
            "A test or example that shows the right call is 2.",
            "A declaration or type without the working part is 1.",
            "Code that does the task by a call marked as deprecated is 1.",
        ),
    ),
    "policies": _starter(
        "Does this document settle the question?",
        "It states the rule for this case, so that the reader can decide on it and cite it.",
        "It gives the general rule, a definition, or a reference to the rule for this case.",
        "It speaks of the subject without a rule that bears on this case.",
        (
            "A rule that is no longer in force, or not for this group of people, is 0.",
            "A draft or summary of the rule in force is 1.",
            "An exception that decides the case is needed for 2.",
            "Judge what is written, not how it is handled in practice.",
        ),
    ),
}
"""Rubrics to start from, by what is searched."""
