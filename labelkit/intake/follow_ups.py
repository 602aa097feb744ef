"""Follow-ups: turns of a user that cannot be understood without what was said before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.intake import vocabulary
from labelkit.model import Turn

SHORT = 3
"""Words of a later turn that is too short to say what it is about."""

LONG = 12
"""Words beyond which a pronoun more often stands for something in the turn itself."""

POINTING = vocabulary.every(vocabulary.POINTING)
QUESTION_WORDS = vocabulary.every(vocabulary.QUESTION_WORDS)
OPENINGS = vocabulary.any_of(vocabulary.OPENINGS.values())
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
USER_ROLES = frozenset({"user", "human", "customer", "client", "visitor", "caller", "person"})


@dataclass(frozen=True, slots=True)
class Lean:
    """Why a turn leans on the ones before: the rule, and the words that made it fire."""

    rule: str
    evidence: str

    @property
    def sentence(self) -> str:
        """The rule, and the words where it found any."""
        return f"{self.rule}: “{self.evidence}”" if self.evidence else self.rule


def is_user(role: str) -> bool:
    """Whether a role of a conversation is the user's."""
    return role.strip().casefold() in USER_ROLES


def leaning(text: str, turns: Sequence[Turn]) -> Lean | None:
    """Why this turn cannot stand without the earlier ones, or None where no rule says so.

    Only a turn with an earlier turn of the user can: the first one has nothing to lean on.
    """
    if not any(is_user(turn.role) for turn in turns):
        return None
    words = [word.casefold() for word in WORD.findall(text)]
    return _opening(text) or _pointing(words) or _ellipsis(text, words)


def _opening(text: str) -> Lean | None:
    """ "And for tabs?" """
    match = OPENINGS.match(text.strip().casefold())
    return None if match is None else Lean("how it begins", match.group())


def _pointing(words: Sequence[str]) -> Lean | None:
    """ "How do I undo that?" """
    found = [word for word in words if word in POINTING]
    found += [word for word in words[-1:] if word in vocabulary.POINTING_AT_THE_END]
    if not found or len(words) > LONG:
        return None
    return Lean("a word that points back", found[0])


def _ellipsis(text: str, words: Sequence[str]) -> Lean | None:
    """ "On Windows?", "why", "the second": something is left out."""
    if len(words) == 1 and words[0] in QUESTION_WORDS:
        return Lean("a question word on its own", words[0])
    if text.strip().startswith(("...", "…")):
        return Lean("dots at its beginning", "…")
    if len(words) <= SHORT:
        return Lean(f"its length, {SHORT} words at most after an earlier turn", "")
    return None
