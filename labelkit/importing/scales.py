"""Other people's grades: what is in a file, and what each is read as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.errors import InputError
from labelkit.model import LEVELS

Levels = Mapping[str, int | None]
"""A file's grade to our level; None is "unjudged": the row is left out."""

UNJUDGED, BLANK = "unjudged", "blank"
PRESETS: Mapping[str, Levels] = {
    "as-is": {"0": 0, "1": 1, "2": 2},
    "0-3": {"0": 0, "1": 1, "2": 1, "3": 2},
    "esci": {"E": 2, "S": 1, "C": 1, "I": 0},
    "binary": {"0": 0, "1": 2},
}
"""Scales with a name; binary reads "relevant" as level 2, the one that counts as relevant."""

FEW = 3
"""Fewer than so many unknown grades are slips, which are named by row."""

ENOUGH_TO_TELL = 20
"""From so many levels on, a file without a single 2 is taken for a binary one until it is said."""


@dataclass(frozen=True, slots=True)
class Grade:
    """One value of a file's scale: how often it stands there, and what it is read as."""

    value: str
    count: int
    level: int | None
    known: bool

    @property
    def name(self) -> str:
        """The value as it is shown."""
        return self.value or BLANK

    @property
    def words(self) -> str:
        """What it is read as, in a word."""
        if not self.known:
            return "not said"
        return UNJUDGED if self.level is None else str(self.level)


def parse(text: str) -> dict[str, int | None]:
    """Read a mapping such as `0=0,1=1,2=1,3=2,-1=unjudged`; a part may be the name of a preset.

    `blank` stands for an empty grade. Raises InputError for anything else.
    """
    found: dict[str, int | None] = {}
    for part in text.split(","):
        if part.strip() in PRESETS:
            found.update(PRESETS[part.strip()])
            continue
        value, sign, level = (one.strip() for one in part.rpartition("="))
        if not sign or not value or level not in (*map(str, LEVELS), UNJUDGED):
            raise InputError(
                f"{part.strip()!r} maps no grade: write GRADE=LEVEL with level 0, 1, 2 or "
                f"unjudged, commas between, or one of {', '.join(PRESETS)}; blank is an empty "
                "grade."
            )
        found["" if value == BLANK else canonical(value)] = level_of(level)
    return found


def level_of(word: str) -> int | None:
    """The level that a word means; None is unjudged."""
    return None if word == UNJUDGED else int(word)


def canonical(value: Any) -> str:
    """A grade as a word: a number without needless decimals, else the text as it stands."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value)
    said = str(value).strip()
    try:
        number = float(said)
    except ValueError:
        return said
    plain = "_" not in said and number.is_integer() and abs(number) < 1e15
    return str(int(number)) if plain else said


def table(values: Iterable[Any], levels: Levels | None) -> tuple[Grade, ...]:
    """Each grade of a file with its count and level; without a mapping 0, 1 and 2 are ours."""
    counts = Counter(canonical(value) for value in values)
    mapped: Levels = PRESETS["as-is"] if levels is None else levels
    if "" not in mapped:
        counts.pop("", None)  # a row without a grade has a cause, or is named as a problem
    return tuple(
        Grade(value, counts[value], mapped.get(value), value in mapped)
        for value in sorted(counts, key=_order)
    )


def _order(value: str) -> tuple[int, float, str]:
    try:
        return (0, float(value), value)
    except ValueError:
        return (1, 0.0, value)


def question(grades: Iterable[Grade], said: bool) -> str:
    """What has to be said of the scale before a file can be imported; empty where nothing."""
    grades = list(grades)
    counted = ", ".join(f"{grade.value[:20]} ({grade.count:,})" for grade in grades[:12])
    open_ = [grade.value for grade in grades if not grade.known]
    if _is_a_scale(grades):
        return (
            f"the file's grades are {counted}; say what "
            f"{', '.join(open_[:12])} {'mean' if len(open_) > 1 else 'means'} in levels 0, 1, 2 or "
            f"unjudged, such as --levels {_example(grades)}"
        )
    if not said and _may_be_binary(grades):
        return (
            f"the file's grades are {counted} and never 2: if 1 is all that relevant can be, say "
            "--levels binary (1 is read as level 2); if it is our level 1, say --levels as-is"
        )
    return ""


def _is_a_scale(grades: list[Grade]) -> bool:
    """Whether unknown grades are another scale, and not slips in a file of our levels."""
    open_ = sum(grade.count for grade in grades if not grade.known)
    return open_ >= FEW and open_ * 10 >= sum(grade.count for grade in grades)


def _may_be_binary(grades: list[Grade]) -> bool:
    total = sum(grade.count for grade in grades)
    return total >= ENOUGH_TO_TELL and {g.value for g in grades} in ({"1"}, {"0", "1"})


def _example(grades: list[Grade]) -> str:
    """A mapping to begin from: known grades as they are, the others to be filled in."""
    values = {grade.value for grade in grades}
    for name, preset in PRESETS.items():
        if values <= set(preset):
            return name
    return ",".join(f"{g.value}={g.level if g.known else '?'}" for g in grades[:12])
