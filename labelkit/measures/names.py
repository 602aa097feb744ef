"""A measure is a value: "ndcg@10" parses to it, it prints back as "ndcg@10", and it compares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from labelkit.errors import InputError

WITH_CUTOFF = ("recall", "hit", "precision", "mrr", "ndcg", "ndcg_exp", "ap", "judged", "rbp")
WITHOUT_CUTOFF = ("ap", "rprecision", "rbp", "bpref")
GRADED = ("ndcg", "ndcg_exp")
"""Measures that read levels as gains: the relevance threshold never changes them."""
DEFAULT_MRR_CUTOFF = 10
_WRITTEN = {
    "ndcg": "nDCG",
    "ndcg_exp": "nDCG (exp)",
    "mrr": "MRR",
    "ap": "AP",
    "rbp": "RBP",
    "rprecision": "R-precision",
    "judged": "judged",
    "bpref": "bpref",
}

_PATTERN = re.compile(r"([a-z_]+)(?:@([1-9][0-9]*))?")


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """One measure with its cut-off rank `k` (None: the whole ranking)."""

    name: str
    k: int | None = None

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @property
    def graded(self) -> bool:
        """Whether levels are gains (nDCG) rather than compared with the threshold."""
        return self.name in GRADED

    @property
    def needs_relevant(self) -> bool:
        """Whether the measure means nothing for a query without a relevant document."""
        return self.name != "judged"


def parse(text: str | Measure) -> Measure:
    """Read a measure such as "ndcg@10"; "mrr" alone is read as "mrr@10".

    Raises InputError for an unknown name, a missing or superfluous cut-off, or one below 1.
    """
    if isinstance(text, Measure):
        text = str(text)
    match = _PATTERN.fullmatch(text.strip().lower())
    name, k = (match[1], match[2]) if match else ("", None)
    if name == "mrr" and k is None:
        return Measure("mrr", DEFAULT_MRR_CUTOFF)
    if name not in (WITHOUT_CUTOFF if k is None else WITH_CUTOFF):
        raise InputError(_explain(text, name, k))
    return Measure(name, None if k is None else int(k))


def written(measure: str | Measure) -> str:
    """A measure's name as people write it: "nDCG@10"."""
    name, _, k = str(measure).partition("@")
    return f"{_WRITTEN.get(name, name.capitalize())}{k and '@' + k}"


def parse_all(texts: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Read measures in the order given, each once; raises InputError when there is none."""
    measures = tuple(dict.fromkeys(parse(text) for text in texts))
    if not measures:
        raise InputError("no measure was asked for; name at least one, for example ndcg@10")
    return measures


def with_companions(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures as reports show them: recall@k with mrr@k, and judged@k beside every k."""
    asked = parse_all(measures)
    pairs = {"recall": "mrr", "mrr": "recall"}
    shown = [m for one in asked for m in (one, Measure(pairs.get(one.name, one.name), one.k))]
    cutoffs = dict.fromkeys(m.k for m in shown if m.k is not None)
    return parse_all([*shown, *(Measure("judged", k) for k in cutoffs)])


def _explain(text: str, name: str, k: str | None) -> str:
    if name in WITH_CUTOFF and k is None:
        return f"measure {text!r} needs a cut-off rank, for example {name}@10"
    if name in WITHOUT_CUTOFF:
        return f"measure {text!r} takes no cut-off rank; write {name}"
    known = ", ".join([*(f"{n}@k" for n in WITH_CUTOFF), *WITHOUT_CUTOFF])
    return f"unknown measure {text!r}; known are {known} (k is a whole number from 1)"
