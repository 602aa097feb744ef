"""Candidates: the retrievers under test, as values, and their TOML form.

A candidate file holds one table per candidate:

    [[candidate]]
    name = "minilm-windows"
    kind = "encoder"
    model = "all-MiniLM-L6-v2"
    chunking = { scheme = "windows", size = 800, overlap = 200 }

A table whose name is that of a built-in candidate and that gives no `kind` starts from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from labelkit.errors import InputError
from labelkit.retrieval.chunking import Chunking

KINDS = ("bm25", "static", "encoder")
TURNS = ("ignore", "prepend", "rewritten")
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One retriever under test: model, chunking, prompts, dimensions. Search is exact: BM25 over
    every chunk, or the inner product through faiss IndexFlatIP.

    `query_prompt` and `document_prompt` stand before every text of their side; None means what
    the model's own configuration says, "" means nothing. `dimensions` keeps the first columns.
    `max_length` is in the model's tokens. `turns` says what becomes of a conversation's earlier
    turns: "ignore" sends the query's own words, "prepend" puts the turns before them,
    "rewritten" sends a follow-up as it was rewritten to stand alone, where it was.
    `excluded` says why a candidate is listed and not run.
    """

    name: str
    kind: str
    model: str = ""
    revision: str = ""
    chunking: Chunking = field(default_factory=Chunking)
    dimensions: int | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int | None = None
    normalise: bool = True
    turns: str = "ignore"
    language: str = "english"
    k1: float = 1.5
    b: float = 0.75
    excluded: str = ""

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise InputError(f"candidate {self.name!r}: {problem}")

    def _problem(self) -> str:
        """What is wrong with the values, or the empty string."""
        if not FILE_NAME.fullmatch(self.name):
            return "a name is letters, digits, '.', '_' and '-' (it becomes a file name)"
        if self.kind not in KINDS:
            return f"unknown kind {self.kind!r}; known kinds: {', '.join(KINDS)}"
        if self.turns not in TURNS:
            return f"turns must be one of {', '.join(TURNS)}, not {self.turns!r}"
        if self.kind != "bm25" and not self.model:
            return f"a candidate of kind {self.kind!r} needs a model"
        if any(value is not None and value < 1 for value in (self.dimensions, self.max_length)):
            return "dimensions and max_length must be at least 1"
        return ""

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON; `candidate_from_dict` reads it back."""
        return asdict(self)


BUILT_IN: tuple[Candidate, ...] = (
    Candidate("bm25", "bm25"),
    Candidate("wordllama", "static", model="wordllama"),
    Candidate("wordllama-64", "static", model="wordllama", dimensions=64),
    Candidate("all-MiniLM-L6-v2", "encoder", model="all-MiniLM-L6-v2"),
)
"""What runs with nothing configured: a lexical baseline and three embeddings, all offline."""


def default_candidates() -> list[Candidate]:
    """The built-in candidates: bm25, wordllama, wordllama-64, all-MiniLM-L6-v2."""
    return list(BUILT_IN)


def candidate_from_dict(table: Mapping[str, Any]) -> Candidate:
    """The candidate that a table describes; raises InputError for unknown or ill-typed keys."""
    values = dict(table)
    refuse_unknown(values)
    if isinstance(values.get("chunking"), Mapping):
        values["chunking"] = chunking_from_dict(values["chunking"])
    base = {one.name: one for one in BUILT_IN}.get(str(values.get("name")))
    if "kind" not in values and base is not None:
        return replace(base, **values)
    for key in ("name", "kind"):
        if key not in values:
            raise InputError(f"a candidate needs the key {key!r}")
    return Candidate(**values)


def chunking_from_dict(table: Mapping[str, Any]) -> Chunking:
    """The chunking that a table with scheme, size and overlap describes."""
    refuse_wrong_keys(table, {one.name: one.type for one in fields(Chunking)}, "chunking.")
    return Chunking(**table)


def refuse_unknown(table: Mapping[str, Any]) -> None:
    """Raise InputError for a key that no candidate has, or a value of the wrong type."""
    refuse_wrong_keys(table, {one.name: one.type for one in fields(Candidate)}, "")


EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "text"),
    "str | None": ((str, type(None)), "text"),
    "int": ((int,), "a whole number"),
    "int | None": ((int, type(None)), "a whole number"),
    "float": ((int, float), "a number"),
    "bool": ((bool,), "true or false"),
    "Chunking": ((Mapping,), 'a table such as { scheme = "windows", size = 800, overlap = 200 }'),
}


def refuse_wrong_keys(table: Mapping[str, Any], types: Mapping[str, Any], prefix: str) -> None:
    """Raise InputError for keys outside `types` and for values that are not of their type."""
    for key, value in table.items():
        if key not in types:
            known = ", ".join(types)
            raise InputError(f"unknown key {prefix + key!r}; known keys: {known}")
        accepted, words = EXPECTED[types[key]]
        is_wrong_bool = isinstance(value, bool) and bool not in accepted
        if is_wrong_bool or not isinstance(value, accepted):
            raise InputError(f"{prefix}{key} must be {words}, not {value!r}")


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
    tables = read_tables(content, path)
    candidates = []
    for number, table in enumerate(tables, start=1):
        try:
            candidates.append(candidate_from_dict(table))
        except InputError as error:
            where = f"candidate {number} ({table.get('name', 'unnamed')})"
            raise InputError(f"{where}: {error.message}", file=path) from error
    refuse_same_names(candidates, path)
    return candidates


def read_tables(given: bytes, path: Path | str) -> list[dict[str, Any]]:
    """The `[[candidate]]` tables of a TOML file; raises InputError when there are none."""
    try:
        content = tomllib.loads(given.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not valid TOML: {error}", file=path) from error
    tables = content.pop("candidate", None)
    if content:
        raise InputError(
            f"unknown key {next(iter(content))!r}; a candidate file holds [[candidate]] tables",
            file=path,
        )
    if not isinstance(tables, list) or not tables:
        raise InputError("holds no [[candidate]] table; add at least one", file=path)
    return tables


def refuse_same_names(candidates: list[Candidate], path: Path | str) -> None:
    """Raise InputError when two names are equal, upper and lower case being the same file."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.name.lower() in seen:
            raise InputError(f"two candidates are called {candidate.name!r}", file=path)
        seen.add(candidate.name.lower())
