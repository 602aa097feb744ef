"""The tables within a candidate: what is documented, how it searches, whom it asks.

None of them may hold a value that fails in the middle of a run, or that takes the other
candidates down with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from labelkit.errors import InputError

ENDLESS = math.inf


@dataclass(frozen=True, slots=True)
class About:
    """What is documented of a model, for the shortlist on paper; "" and None mean unknown.

    `price` is money per million input tokens, `max_input` the tokens that the model reads,
    `matryoshka` the dimensions to which its makers say the vectors may be cut.
    """

    licence: str = ""
    hosting: str = ""
    price: float | None = None
    max_input: int | None = None
    matryoshka: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        refuse_outside("about.", self, price=(0, ENDLESS), max_input=(1, ENDLESS))
        if any(width < 1 for width in self.matryoshka):
            raise InputError("about.matryoshka holds numbers of dimensions, each at least 1")


@dataclass(frozen=True, slots=True)
class Index:
    """How vectors are searched: "exact", or approximately by faiss.

    HNSW has `links` per vector and looks at `build_breadth` and `search_breadth` neighbours;
    IVF has `lists` (0: the square root of the number of chunks) of which `probes` are searched.
    """

    kind: str = "exact"
    links: int = 32
    build_breadth: int = 200
    search_breadth: int = 128
    lists: int = 0
    probes: int = 8

    def __post_init__(self) -> None:
        # faiss ends the whole process at fewer than two links
        breadths = {"build_breadth": (1, ENDLESS), "search_breadth": (1, ENDLESS)}
        lists = {"lists": (0, ENDLESS), "probes": (1, ENDLESS)}
        refuse_outside("index.", self, links=(2, 512), **breadths, **lists)


@dataclass(frozen=True, slots=True)
class Service:
    """An OpenAI-compatible embeddings endpoint.

    `key_variable` names the environment variable that holds the key. One request carries at
    most `batch_items` texts and about `batch_tokens` tokens. `dimensions` is asked of the
    server; None leaves them to it.
    """

    base_url: str
    key_variable: str = ""
    batch_items: int = 128
    batch_tokens: int = 100_000
    dimensions: int | None = None
    timeout: float = 60.0
    attempts: int = 5

    def __post_init__(self) -> None:
        refuse_wrong_address("service.base_url", self.base_url)
        counted = dict.fromkeys(("batch_items", "batch_tokens", "dimensions"), (1, ENDLESS))
        refuse_outside("service.", self, timeout=(0.1, 3600), attempts=(1, 100), **counted)


@dataclass(frozen=True, slots=True)
class Http:
    """A live search service, asked once per query.

    `body` is JSON whose texts may hold {query} and {size}; with the method GET they stand in the
    URL. `ids` and `scores` are JMESPath expressions for the answer's document ids and scores,
    best first; without `scores` the order counts. The key of `key_variable` stands for {key} in
    `key_header`: "Authorization: ApiKey {key}" for Elasticsearch, "Authorization: Basic {key}",
    "X-Api-Key: {key}".
    """

    url: str
    ids: str
    scores: str = ""
    method: str = "POST"
    body: str = '{"query": "{query}", "size": "{size}"}'
    key_variable: str = ""
    key_header: str = "Authorization: Bearer {key}"
    timeout: float = 30.0
    attempts: int = 3

    def __post_init__(self) -> None:
        refuse_wrong_address("http.url", self.url)
        refuse_outside("http.", self, timeout=(0.1, 3600), attempts=(1, 100))
        if not self.ids:
            raise InputError("http.ids must say where the answer's document ids are: hits[*].id")
        place = "url" if self.method.upper() == "GET" else "body"
        if "{query}" not in getattr(self, place):
            raise InputError(f"http.{place} must hold {{query}}, or each query gets one answer")


def refuse_outside(prefix: str, holder: Any, **limits: tuple[float, float]) -> None:
    """Raise InputError where a field of `holder` is no number from its least to its largest.

    None passes: the field was left out.
    """
    for key, (least, largest) in limits.items():
        value = getattr(holder, key)
        if value is not None and not (least <= value <= largest and math.isfinite(value)):
            raise InputError(f"{prefix}{key} must be {between(least, largest)}, not {value!r}")


def between(least: float, largest: float) -> str:
    """A range in words."""
    if math.isinf(largest):
        return f"a number of at least {least:g}"
    return f"a number from {least:g} to {largest:,.15g}"


def refuse_wrong_address(key: str, address: str) -> None:
    """Raise InputError where an address is none of HTTP, or holds a password."""
    scheme, _, rest = address.partition("://")
    host = rest.partition("/")[0]
    if scheme.lower() not in ("http", "https") or not host:
        raise InputError(f"{key} must begin with http:// or https:// and a host, not {address!r}")
    if "@" in host:
        raise InputError(f"{key}: an address must not hold a password; name it by key_variable")
