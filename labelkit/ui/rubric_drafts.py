"""A lead's unsaved edit of the rubric: kept with the person, so that it survives a refresh."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace

from labelkit.errors import InputError
from labelkit.rubric import BOUNDARIES, Example, Rubric, parse_rubric
from labelkit.store import person_settings
from labelkit.ui.frame import Here

_NAME = "rubric_draft"


@dataclass(frozen=True, slots=True)
class RubricDraft:
    """An edit that began from version `base`; every new edit has a `token` of its own."""

    token: str
    base: int
    rubric: Rubric
    note: str = ""

    @property
    def name(self) -> str:
        """Part of the fields' keys, so that a new edit never shows what an old one held."""
        return f"{self.token}v{self.base}"


def load(here: Here, held: Rubric) -> RubricDraft:
    """The kept edit, or a fresh one from the version in force."""
    body = json.loads(person_settings.get(here.workspace, here.person.person_id, _NAME) or "{}")
    token = body.get("token", "")
    if body.get("rubric") is None:
        return RubricDraft(token, held.version, held)
    return RubricDraft(
        token, body["base"], parse_rubric(body["rubric"], body["base"]), body["note"]
    )


def keep(here: Here, draft: RubricDraft, held: Rubric) -> None:
    """Keep the edit; nothing else in the project changes. One that says what is in force anyway
    is kept as not begun, so that it follows the next version."""
    body: dict[str, object] = {"token": draft.token}
    if is_begun(draft, held):
        body |= {"base": draft.base, "rubric": draft.rubric.body(), "note": draft.note}
    text = json.dumps(body, ensure_ascii=False)
    person_settings.save(here.workspace, here.person.person_id, _NAME, text)


def begin(here: Here, rubric: Rubric, held: Rubric) -> None:
    """A new edit with these texts; what was there is given up."""
    keep(here, RubricDraft(secrets.token_hex(4), held.version, rubric), held)


def is_begun(draft: RubricDraft, held: Rubric) -> bool:
    """Whether the edit holds anything that the version in force does not say."""
    return draft.rubric.text_sha256 != held.text_sha256 or bool(draft.note.strip())


def with_example(rubric: Rubric, example: Example) -> Rubric:
    """The rubric with the example; the same pair's earlier example gives way."""
    same = (example.query, example.doc_id)
    others = tuple(one for one in rubric.examples if (one.query, one.doc_id) != same)
    return replace(rubric, examples=(*others, example))


def boundary_of(levels: Collection[int], final: int) -> str:
    """The boundary that people who gave these levels stand on either side of, next to the final
    level: 0/1 below, 1/2 above; for a 1 between 0 and 2 the upper one."""
    if final == 1:
        return BOUNDARIES[0] if max(levels) < 2 else BOUNDARIES[1]
    return BOUNDARIES[0] if final == 0 else BOUNDARIES[1]


def checked(example: Example) -> Example:
    """The example, refused where a part is missing."""
    if not example.query.strip() or not example.doc_id.strip():
        raise InputError("Name the example's query and its document.")
    if not example.why.strip():
        raise InputError("Write why the pair is this level and not its neighbour.")
    if str(example.level) not in example.boundary.split("/"):
        raise InputError(f"Level {example.level} is not at the boundary {example.boundary}.")
    return example
