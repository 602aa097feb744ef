"""What is declared before a run: the primary metric, the family of comparisons, the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from labelkit.errors import InputError
from labelkit.measures import Measure, parse, with_companions
from labelkit.wording import counted

LARGEST_SHARE = 0.01
"""Above this share of the corpus in its top k, a metric says little."""

DEFINITIONS = {
    "recall": "relevant documents in the top k, divided by all relevant documents R",
    "hit": "1 if a relevant document stands in the top k, else 0",
    "precision": "relevant documents in the top k, divided by k",
    "mrr": "1 / rank of the first relevant document in the top k, else 0",
    "ndcg": "gains 0, 1, 2; discount 1/log2(rank + 1); ideal from all judgments, cut at k",
    "ndcg_exp": "gains 2^level - 1; discount 1/log2(rank + 1); ideal from all judgments, cut at k",
    "ap": "precision at each relevant document of the top k, summed and divided by R",
    "rprecision": "relevant documents in the top R, divided by R",
    "rbp": "0.2 × 0.8^(rank - 1), summed over the relevant documents (of the top k)",
    "bpref": "1 - judged irrelevant documents above (of at most R) / min(R, N), summed over the "
    "relevant documents and divided by R; N judged irrelevant ones",
    "judged": "share of the documents shown in the top k that somebody judged",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will be judged by; it stands in the manifest before the first query is sent.

    `primary` decides; `measures` are reported. `pairs` is the family of comparisons that Holm's
    correction covers (None: every pair of candidates). `depth` documents per query are kept.
    """

    primary: str = "ndcg@10"
    measures: tuple[str, ...] = ("ndcg@10", "recall@10", "mrr@10")
    relevant_level: int = 2
    depth: int = 100
    pairs: tuple[tuple[str, str], ...] | None = None
    seed: int = 0
    resamples: int = 10_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "primary", str(parse(self.primary)))
        cutoff = self.primary_measure.k
        if cutoff is None or not self.primary_measure.needs_relevant:
            raise InputError(f"{self.primary!r} cannot decide a run; take one such as ndcg@10")
        deepest = max(measure.k or 1 for measure in self.reported)
        if self.depth < deepest:
            raise InputError(
                f"a depth of {self.depth} cannot carry a metric at {deepest}; raise the depth"
            )
        if self.relevant_level not in (1, 2):
            raise InputError(f"relevant_level must be 1 or 2, not {self.relevant_level}")

    @property
    def primary_measure(self) -> Measure:
        """The primary metric, parsed."""
        return parse(self.primary)

    @property
    def k(self) -> int:
        """The rank at which the primary metric cuts."""
        return self.primary_measure.k or 0

    @property
    def reported(self) -> tuple[Measure, ...]:
        """Primary first, the others, recall and MRR together, judged@k beside every k."""
        return with_companions([self.primary, *self.measures])

    @property
    def levels(self) -> tuple[int, ...]:
        """The thresholds shown: the declared one first."""
        return tuple(dict.fromkeys((self.relevant_level, 1)))

    def as_dict(self) -> dict[str, Any]:
        """Every field, as JSON gives it back."""
        return {**asdict(self), "measures": list(self.measures), "pairs": _lists(self.pairs)}

    def definitions(self) -> dict[str, str]:
        """The reported metrics in words."""
        return {str(measure): DEFINITIONS[measure.name] for measure in self.reported}

    def warnings(self, documents: int) -> list[str]:
        """What to say where metrics look at too much of the corpus to tell retrievers apart."""
        deep: dict[int, list[str]] = {}
        for measure in self.reported:
            if measure.name != "judged" and (measure.k or 0) > LARGEST_SHARE * documents:
                deep.setdefault(measure.k or 0, []).append(str(measure))
        return [
            f"a corpus of {counted(documents, 'document')} is small for {', '.join(names)}: {k} "
            f"ranks are more than {LARGEST_SHARE:.0%} of it, which tells candidates apart poorly"
            for k, names in deep.items()
        ]


def _lists(pairs: Sequence[tuple[str, str]] | None) -> list[list[str]] | None:
    return None if pairs is None else [list(pair) for pair in pairs]


def plan_from_dict(values: Mapping[str, Any]) -> Plan:
    """The plan that a manifest records; raises InputError for unknown keys."""
    known = {one.name for one in fields(Plan)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise InputError(f"unknown key {unknown[0]!r} in a plan; known keys: {', '.join(known)}")
    values = dict(values)
    if values.get("measures") is not None:
        values["measures"] = tuple(values["measures"])
    if values.get("pairs") is not None:
        values["pairs"] = tuple((str(a), str(b)) for a, b in values["pairs"])
    return Plan(**values)
