"""The TOML form of candidates.

A candidate file holds one table per candidate:

    [[candidate]]
    name = "minilm-windows"
    kind = "encoder"
    model = "all-MiniLM-L6-v2"
    chunking = { scheme = "windows", size = 800, overlap = 200 }

    [[candidate]]
    name = "hybrid"
    kind = "fusion"
    parts = ["bm25", "minilm-windows"]     # built in, or above in the same file

A table whose name is that of a built-in candidate and that gives no `kind` starts from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from labelkit.errors import InputError
from labelkit.retrieval.candidate_tables import About, Http, Index, Service
from labelkit.retrieval.candidates import BUILT_IN, Candidate
from labelkit.retrieval.chunking import Chunking

NESTED: dict[str, type[Any]] = {
    "about": About,
    "chunking": Chunking,
    "http": Http,
    "index": Index,
    "service": Service,
}
ANY_TABLE = ((Mapping,), "a table such as { key = value }")
EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "text"),
    "str | None": ((str, type(None)), "text"),
    "int": ((int,), "a whole number"),
    "int | None": ((int, type(None)), "a whole number"),
    "float": ((int, float), "a number"),
    "float | None": ((int, float, type(None)), "a number"),
    "bool": ((bool,), "true or false"),
    "tuple[int, ...]": ((list, tuple), "a list of whole numbers"),
    "tuple[float, ...]": ((list, tuple), "a list of numbers"),
    "tuple[Candidate, ...]": ((list, tuple), "a list of names"),
    "Chunking": ((Mapping,), 'a table such as { scheme = "windows", size = 800, overlap = 200 }'),
    "About": ANY_TABLE,
    "Index": ANY_TABLE,
    "Service | None": ((Mapping, type(None)), ANY_TABLE[1]),
    "Http | None": ((Mapping, type(None)), ANY_TABLE[1]),
}
HEADER = re.compile(r"""\s*\[\[\s*(["']?)candidate\1\s*\]\]""")
MEMBERS = {"tuple[int, ...]": (int,), "tuple[float, ...]": (int, float)}


def candidate_from_dict(
    table: Mapping[str, Any], known: Mapping[str, Candidate] | None = None
) -> Candidate:
    """The candidate that a table describes.

    `parts` may name built-in candidates and those of `known`. Raises InputError for unknown or
    ill-typed keys and for unknown parts.
    """
    built_in = {one.name: one for one in BUILT_IN}
    refuse_wrong_keys(table, Candidate, "")
    values = {
        key: _value(key, value, {**built_in, **(known or {})}) for key, value in table.items()
    }
    base = built_in.get(str(values.get("name")))
    if "kind" not in values and base is not None:
        return replace(base, **values)
    for key in ("name", "kind"):
        if key not in values:
            raise InputError(f"a candidate needs the key {key!r}")
    return Candidate(**values)


def _value(key: str, value: Any, known: Mapping[str, Candidate]) -> Any:
    """A TOML or JSON value as the field holds it."""
    if key in NESTED and isinstance(value, Mapping):
        return nested_from_dict(NESTED[key], value, f"{key}.")
    if key == "parts":
        return tuple(_part(one, known) for one in value)
    return tuple(value) if isinstance(value, list) else value


def _part(given: Any, known: Mapping[str, Candidate]) -> Candidate:
    if isinstance(given, Mapping):
        return candidate_from_dict(given, known)
    if not isinstance(given, str):
        raise InputError(f"parts must be {EXPECTED['tuple[Candidate, ...]'][1]}, not {given!r}")
    if given not in known:
        raise InputError(
            f"parts names {given!r}, which is neither built in nor above it in this file; "
            f"known: {', '.join(known)}"
        )
    return known[given]


def nested_from_dict(kind: type[Any], table: Mapping[str, Any], prefix: str) -> Any:
    """A table within a candidate; raises InputError for unknown, missing or ill-typed keys."""
    refuse_wrong_keys(table, kind, prefix)
    for one in fields(kind):
        if one.name not in table and one.default is MISSING and one.default_factory is MISSING:
            raise InputError(f"{prefix.rstrip('.')} needs the key {one.name!r}")
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in table.items()})


def refuse_wrong_keys(table: Mapping[str, Any], kind: type[Any], prefix: str) -> None:
    """Raise InputError for keys that `kind` does not have and for values of another type."""
    assert is_dataclass(kind)
    types = {one.name: str(one.type) for one in fields(kind)}
    for key, value in table.items():
        if key not in types:
            known = ", ".join(types)
            raise InputError(f"unknown key {prefix + key!r}; known keys: {known}")
        if not _fits(value, types[key]):
            raise InputError(f"{prefix}{key} must be {EXPECTED[types[key]][1]}, not {value!r}")


def _fits(value: Any, expected: str) -> bool:
    accepted, _ = EXPECTED[expected]
    if is_dataclass(value):  # from Python, not from a file
        return True
    members = MEMBERS.get(expected)
    if members and isinstance(value, list | tuple):
        return all(_is_one(one, members) for one in value)
    return _is_one(value, accepted)


def _is_one(value: Any, accepted: tuple[type, ...]) -> bool:
    """Whether a value is of a type; true is no number, and inf and nan are none either."""
    if isinstance(value, bool):
        return bool in accepted
    return isinstance(value, accepted) and not (isinstance(value, float) and not isfinite(value))


def load_candidates(path: Path | str) -> list[Candidate]:
    """Read the candidates of a TOML file, in its order.

    Raises InputError naming the file and the key for anything unknown, ill-typed or doubled.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError("no such candidate file", file=path) from error
    return parse_candidates(content, path)


def parse_candidates(content: bytes, path: Path | str) -> list[Candidate]:
    """The candidates of a TOML file's content; `path` is its name in messages.

    Raises InputError as `load_candidates` does.
    """
    known: dict[str, Candidate] = {}
    tables = read_tables(content, path)
    lines = lines_of_tables(content, len(tables))
    for number, (table, line) in enumerate(zip(tables, lines, strict=True), start=1):
        try:
            candidate = candidate_from_dict(table, known)
            refuse_same_name(candidate, known)
        except InputError as error:
            message = error.message.removeprefix(f"candidate {table.get('name')!r}: ")
            where = f"candidate {number} ({table.get('name', 'unnamed')})"
            raise InputError(f"{where}: {message}", file=path, line=line) from error
        known[candidate.name] = candidate
    return list(known.values())


def lines_of_tables(content: bytes, count: int) -> list[int | None]:
    """The line on which each of `count` tables begins; None where that is not to be seen."""
    lines = content.decode("utf-8-sig").splitlines()
    found: list[int | None] = [n for n, line in enumerate(lines, start=1) if HEADER.match(line)]
    return found if len(found) == count else [None] * count


def read_tables(given: bytes, path: Path | str) -> list[dict[str, Any]]:
    """The `[[candidate]]` tables of a TOML file; raises InputError when there are none."""
    try:
        content = tomllib.loads(given.decode("utf-8-sig"))  # Windows puts a mark at the start
    except UnicodeDecodeError as error:
        raise InputError("this is no UTF-8 text; save it as UTF-8", file=path) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", file=path) from error
    tables = content.pop("candidate", None)
    if content:
        raise InputError(
            f"unknown key {next(iter(content))!r}; a candidate file holds [[candidate]] tables",
            file=path,
        )
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(one, dict) for one in tables)
    ):
        raise InputError("holds no [[candidate]] table; add at least one", file=path)
    return tables


def refuse_same_name(candidate: Candidate, known: Mapping[str, Candidate]) -> None:
    """Raise InputError when two names are equal, upper and lower case being the same file."""
    if candidate.name.lower() in {name.lower() for name in known}:
        raise InputError(f"two candidates are called {candidate.name!r}")
