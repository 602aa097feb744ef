"""One cell of a row: an id, a text, a word of a list, JSON; what is wrong carries its column."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from labelkit.formats.tables import parse_json
from labelkit.model import Turn

BLANK = re.compile(r"[\s\x00-\x1f]")


class Wrong(ValueError):
    """One value cannot be used; carries the column it stands in."""

    def __init__(self, column: str, message: str) -> None:
        self.column, self.message = column, message
        super().__init__(message)


def own_id(
    values: Mapping[str, Any], headers: Mapping[str, str], name: str, prefix: str, *content: str
) -> str:
    """The id that stands in the file, or one made of the content: the same again next time."""
    if name in headers:
        return identifier(values, headers, name)
    digest = hashlib.sha256("\n".join(content).encode()).hexdigest()
    return f"{prefix}-{digest[:12]}"


def identifier(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> str:
    """An id exactly as given; TREC files separate by spaces, so an id holds none."""
    header = headers[name]
    value = values.get(header)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Wrong(header, f'{value!r} is no id: give text, such as "d17"')
    found = str(value)
    if not found or BLANK.search(found):
        raise Wrong(
            header,
            f"{found!r} is no id: it is empty or holds spaces, which TREC files "
            "cannot carry; use dashes or underscores",
        )
    return found


def text(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> str:
    """A text, empty where the column is absent."""
    value = values.get(headers[name]) if name in headers else None
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Wrong(headers[name], f"{value!r} is not text")
    return value


def one_of(
    kind: Any, values: Mapping[str, Any], headers: Mapping[str, str], name: str, default: Any
) -> Any:
    """A member of an enumeration, the default where the cell is empty."""
    value = text(values, headers, name).strip()
    if not value:
        return default
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise Wrong(headers[name], f"{value!r} is no {name}: use {known}") from None


def listed(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Several words: a list, or text with semicolons between."""
    value = values.get(headers[name]) if name in headers else None
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return tuple(one.strip() for one in str(value or "").split(";") if one.strip())


def turns(values: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[Turn, ...]:
    """The turns of a conversation, oldest first."""
    if "turns" not in headers:
        return ()
    header = headers["turns"]
    value = json_(header, values.get(header)) or []
    try:
        return tuple(Turn(str(turn["role"]), str(turn["text"])) for turn in value)
    except (TypeError, KeyError):
        raise Wrong(header, 'turns are a list of {"role": …, "text": …}') from None


def object_(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> dict[str, Any]:
    """A JSON object, empty where the column or the cell is."""
    if name not in headers:
        return {}
    found = json_(headers[name], values.get(headers[name])) or {}
    if not isinstance(found, dict):
        raise Wrong(headers[name], f"{name} is a JSON object")
    return dict(found)


def json_(header: str, value: Any) -> Any:
    """What stands in a cell as JSON; what is no text is there already."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value) if value.strip() else None
    except ValueError as error:
        raise Wrong(header, f"not JSON ({error})") from None
