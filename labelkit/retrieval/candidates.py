"""Candidates: the retrievers under test, as values. Their TOML form: `candidate_files`."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from labelkit.errors import InputError
from labelkit.retrieval.candidate_tables import ENDLESS, About, Http, Index, Service
from labelkit.retrieval.chunking import Chunking
from labelkit.retrieval.devices import CPU, DEVICE, WORDS

TURNS = ("ignore", "prepend", "rewritten")
READS = ("title+text", "text", "title")
PRECISIONS = ("float32", "float16", "int8", "binary", "binary+rescore")
ENCODE_DTYPES = ("float32", "bfloat16")
INDEXES = ("exact", "hnsw", "ivf")
FUSIONS = ("rrf", "weighted")
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MOST_RANDOM = 16_384

EVERY = {"name", "kind", "turns", "about", "excluded"}
TEXTS = {"chunking", "reads"}
DENSE = {"dimensions", "normalise", "precision", "index"}
PROMPTS = {"query_prompt", "document_prompt"}
KIND_FIELDS: dict[str, set[str]] = {
    "bm25": TEXTS | {"language", "k1", "b"},
    "static": TEXTS | DENSE | PROMPTS | {"model", "revision", "max_length"},
    "encoder": TEXTS
    | DENSE
    | PROMPTS
    | {"model", "revision", "max_length", "encode_dtype", "device"},
    "endpoint": TEXTS | DENSE | PROMPTS | {"model", "service"},
    "function": TEXTS | DENSE | PROMPTS | {"function", "revision"},
    "vectors": DENSE | {"document_vectors", "query_vectors"},
    "random": TEXTS | DENSE | {"seed"},
    "fusion": {"parts", "fusion", "weights", "rrf_k"},
    "rerank": {"parts", "model", "revision", "function", "max_length", "rerank_depth", "device"},
    "http": {"http"},
    "run": {"run_file"},
}
"""What a kind of candidate can be given besides what every candidate can."""
KINDS = tuple(KIND_FIELDS)
NEEDS: dict[str, tuple[str, ...]] = {
    "static": ("model",),
    "encoder": ("model",),
    "endpoint": ("model", "service"),
    "function": ("function",),
    "vectors": ("document_vectors", "query_vectors"),
    "fusion": ("parts",),
    "rerank": ("parts",),
    "http": ("http",),
    "run": ("run_file",),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One retriever under test: model, chunking, prompts, dimensions, precision, index.

    `query_prompt` and `document_prompt` stand before every text of their side; None means what
    the model's own configuration says, "" means nothing. `dimensions` keeps the first columns,
    `precision` what is kept of each number. `max_length` is in the model's tokens. `device` is
    where the model computes: "cpu", "cuda", "cuda:1" or "mps". `reads` says
    which of a document's fields are read. `turns` says what becomes of a conversation's earlier
    turns: "ignore" sends the query's own words, "prepend" puts the turns before them,
    "rewritten" sends a follow-up as it was rewritten to stand alone, where it was. `parts` are
    the candidates that a fusion merges (two or more) or a reranker reads (one). `function` is
    "module:function". `excluded` says why a candidate is listed and not run.
    """

    name: str
    kind: str
    model: str = ""
    revision: str = ""
    chunking: Chunking = field(default_factory=Chunking)
    reads: str = "title+text"
    dimensions: int | None = None
    precision: str = "float32"
    encode_dtype: str = "float32"
    device: str = CPU
    index: Index = field(default_factory=Index)
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int | None = None
    normalise: bool = True
    turns: str = "ignore"
    language: str = "english"
    k1: float = 1.5
    b: float = 0.75
    service: Service | None = None
    function: str = ""
    document_vectors: str = ""
    query_vectors: str = ""
    seed: int = 0
    parts: tuple[Candidate, ...] = ()
    fusion: str = "rrf"
    weights: tuple[float, ...] = ()
    rrf_k: int = 60
    rerank_depth: int = 50
    http: Http | None = None
    run_file: str = ""
    about: About = field(default_factory=About)
    excluded: str = ""

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise InputError(f"candidate {self.name!r}: {problem}")

    def _problem(self) -> str:
        """What is wrong with the values, or the empty string."""
        if not FILE_NAME.fullmatch(self.name):
            return (
                "a name is at most 100 letters, digits, '.', '_' and '-', the first of them a "
                "letter or digit (it becomes a file name)"
            )
        if self.kind not in KINDS:
            return f"unknown kind {self.kind!r}; known kinds: {', '.join(KINDS)}"
        return (
            self._missing()
            or self._foreign()
            or self._unknown_choice()
            or self._out_of_range()
            or self._wrong_parts()
        )

    def _missing(self) -> str:
        for key in NEEDS.get(self.kind, ()):
            if not getattr(self, key):
                return f"a candidate of kind {self.kind!r} needs the key {key!r}"
        if self.kind == "rerank" and bool(self.model) == bool(self.function):
            return "a reranker needs either a model or a function"
        if self.function and self.device != CPU:
            return "a function says itself where it computes; remove device"
        return ""

    def _foreign(self) -> str:
        """Whether something is set that this kind of candidate would ignore."""
        allowed = EVERY | KIND_FIELDS[self.kind]
        for one in fields(self):
            if one.name not in allowed and getattr(self, one.name) != default_of(one):
                return f"a candidate of kind {self.kind!r} takes no {one.name}; remove it"
        return ""

    def _unknown_choice(self) -> str:
        choices = (
            ("turns", self.turns, TURNS),
            ("reads", self.reads, READS),
            ("precision", self.precision, PRECISIONS),
            ("encode_dtype", self.encode_dtype, ENCODE_DTYPES),
            ("index.kind", self.index.kind, INDEXES),
            ("fusion", self.fusion, FUSIONS),
        )
        for key, value, known in choices:
            if value not in known:
                return f"{key} must be one of {', '.join(known)}, not {value!r}"
        if not DEVICE.fullmatch(self.device):
            return f"device must be {WORDS}, not {self.device!r}"
        return ""

    def _out_of_range(self) -> str:
        counted = (self.dimensions, self.max_length, self.rrf_k, self.rerank_depth)
        if any(value is not None and value < 1 for value in counted):
            return "dimensions, max_length, rrf_k and rerank_depth must be at least 1"
        if self.kind == "random" and self.dimensions is None:
            return "random vectors need their number of dimensions"
        if self.kind == "random" and (self.dimensions or 0) > MOST_RANDOM:
            return f"random vectors have at most {MOST_RANDOM:,} dimensions"
        if not (0 <= self.k1 < ENDLESS and 0 <= self.b <= 1):
            return "k1 must be a number of at least 0, b one from 0 to 1"
        if self.precision != "float32" and self.index.kind != "exact":
            return "an approximate index is measured on float32 vectors; drop one of the two"
        return ""

    def _wrong_parts(self) -> str:
        if self.kind == "rerank" and len(self.parts) != 1:
            return "a reranker reads exactly one candidate: parts holds one name"
        if self.kind == "fusion" and len(self.parts) < 2:
            return "a fusion needs two candidates or more"
        if self.weights and len(self.weights) != len(self.parts):
            return f"{len(self.weights)} weights for {len(self.parts)} parts; give one for each"
        if self.weights and not (min(self.weights) >= 0 and 0 < sum(self.weights) < ENDLESS):
            return "weights must not be negative, and one above 0"
        names = [part.name for part in self.parts]
        doubled = [name for name in names if names.count(name) > 1]
        return f"parts names {doubled[0]!r} twice" if doubled else ""

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON; `candidate_from_dict` reads it back."""
        values = asdict(self)
        values["parts"] = [part.as_dict() for part in self.parts]
        values["weights"] = list(self.weights)
        values["about"]["matryoshka"] = list(self.about.matryoshka)
        return values


def default_of(one: Any) -> Any:
    """The default of a dataclass field."""
    return one.default if one.default_factory is MISSING else one.default_factory()


BUILT_IN: tuple[Candidate, ...] = (
    Candidate("bm25", "bm25"),
    Candidate("wordllama", "static", model="wordllama"),
    Candidate("wordllama-64", "static", model="wordllama", dimensions=64),
    Candidate("all-MiniLM-L6-v2", "encoder", model="all-MiniLM-L6-v2"),
)
"""What runs with nothing configured: a lexical baseline and three embeddings, all offline."""

KNOWN = {
    "wordllama": About("MIT", "this machine", matryoshka=(64, 128, 256)),
    "all-MiniLM-L6-v2": About("Apache-2.0", "this machine", max_input=256),
}
"""What the makers of the models that come with labelkit say of them."""


def default_candidates() -> list[Candidate]:
    """The built-in candidates: bm25, wordllama, wordllama-64, all-MiniLM-L6-v2."""
    return list(BUILT_IN)


def on_paper(candidate: Candidate) -> About:
    """What is documented of a candidate: what its file says, else what is known of its model."""
    known, said = KNOWN.get(candidate.model, About()), candidate.about
    unsaid = ("", None, ())
    return About(
        **{
            one.name: getattr(known if getattr(said, one.name) in unsaid else said, one.name)
            for one in fields(About)
        }
    )


def undocumented(candidate: Candidate) -> list[str]:
    """What the makers of a candidate's model do not vouch for, or nobody wrote down."""
    notes = []
    about = on_paper(candidate)
    cut = candidate.kind != "random" and candidate.dimensions is not None
    if cut and candidate.dimensions not in about.matryoshka:
        notes.append(
            f"cut to {candidate.dimensions} dimensions, which is not documented for this model"
        )
    if candidate.kind in ("encoder", "static", "endpoint") and not about.licence:
        notes.append("licence not written down")
    return notes
