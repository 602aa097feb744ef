"""What a person says of an import: how the file is read, and what its values mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.options import ReadOptions
from labelkit.importing.scales import Levels

QUERY_IDS = ("exact", "by-position")
IDS = ("given", "from-text")
UNKNOWN = ("refuse", "skip")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file is imported; what is left out is detected, or taken as it stands.

    `headers` maps our column names to the file's, all of them; `named` only those that are not
    known by name. `levels` maps the file's grades to levels, None
    being "unjudged". `query_ids` says whether the judgments' query numbers are ids or count the
    queries ("by-position"). `ids` "from-text" makes an id out of the content where the file has
    none. `unknown` says what becomes of judgments that point to what is not here. `raters` names
    the columns that hold one rater's grades each.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    headers: Mapping[str, str] | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    levels: Levels | None = None
    query_ids: str = "exact"
    ids: str = "given"
    unknown: str = "refuse"
    raters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, known in (("query_ids", QUERY_IDS), ("ids", IDS), ("unknown", UNKNOWN)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is one of {', '.join(known)}, not {getattr(self, name)}.")

    def as_dict(self) -> dict[str, Any]:
        """What was said, ready for JSON; `from_dict` reads it back."""
        said = {**asdict(self), "read": self.read.as_dict(), "raters": list(self.raters)}
        plain = ImportOptions()
        return {
            name: value
            for name, value in said.items()
            if value != getattr(plain, name, None) and value not in ({}, [])
        }


def from_dict(said: Mapping[str, Any]) -> ImportOptions:
    """The options that `as_dict` gave."""
    values = {**said, "read": ReadOptions(**said.get("read", {}))}
    return ImportOptions(**{**values, "raters": tuple(said.get("raters", ()))})
