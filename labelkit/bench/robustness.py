"""The same judgments under changed queries and documents: what each change costs, paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit import measures
from labelkit.bench import files
from labelkit.bench.perturbing import CHANGES, COPY, QUERY_CHANGES, perturbed
from labelkit.bench.plan import Plan
from labelkit.bench.reasons import measured
from labelkit.bench.run import ReleaseData
from labelkit.errors import CandidateError, InputError
from labelkit.measures import Comparison
from labelkit.retrieval import Candidate, retrieve
from labelkit.retrieval.embed import Progress, silent
from labelkit.wording import counted

PLAIN = "as it stands"
CHEAP = (*QUERY_CHANGES, "duplicates")
"""Changes under which no document has to be encoded again."""
FILE = "robustness.json"

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Robustness:
    """One candidate: the mean of the primary metric as it stands, and each change against it.

    A comparison's `difference` is changed minus plain over the same queries, below 0 where the
    change costs; Holm over the changes. `changed` counts the queries whose words really changed,
    None for changes of documents. `why` is set, and nothing else, where the candidate failed.
    """

    candidate: str
    mean: float | None = None
    n: int = 0
    comparisons: tuple[Comparison, ...] = ()
    changed: Mapping[str, int | None] | None = None
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return {**asdict(self), "comparisons": [asdict(one) for one in self.comparisons]}


def robustness(
    release: ReleaseData,
    candidates: Sequence[Candidate],
    cache_dir: Path,
    plan: Plan | None = None,
    changes: Sequence[str] = CHEAP,
    progress: Progress = silent,
) -> list[Robustness]:
    """Score every candidate under every change, on the plan's primary metric.

    The changes are drawn from the plan's seed. A candidate that fails is reported with its
    reason. Raises InputError for an unknown change, or where none is asked for.
    """
    plan = plan or Plan()
    unknown = [one for one in changes if one not in CHANGES]
    if unknown or not changes:
        raise InputError(f"choose changes among {', '.join(CHANGES)}; {unknown or 'none'} is not")
    found = []
    for number, candidate in enumerate(candidates):
        named = f"{candidate.name} ({number + 1} of {len(candidates)})"
        progress(number, len(candidates), named)
        measure = partial(_of_candidate, release, candidate, cache_dir, plan, changes)
        found.append(measured(candidate, measure, partial(Robustness, candidate.name)))
    progress(len(candidates), len(candidates), "done")
    return found


def _of_candidate(
    release: ReleaseData,
    candidate: Candidate,
    cache_dir: Path,
    plan: Plan,
    changes: Sequence[str],
) -> Robustness:
    changes = reachable(candidate, changes)
    values = {PLAIN: _values(release, candidate, cache_dir, plan, None)}
    for change in changes:
        values[change] = _values(release, candidate, cache_dir, plan, change)
    family = measures.compare_family(
        values,
        pairs=[(change, PLAIN) for change in changes],
        seed=plan.seed,
        resamples=plan.resamples,
    )
    counted = ~np.isnan(values[PLAIN])
    return Robustness(
        candidate.name,
        mean=float(values[PLAIN][counted].mean()) if counted.any() else None,
        n=int(counted.sum()),
        comparisons=tuple(family.pairs),
        changed={change: _changed(release, change, plan.seed) for change in changes},
    )


def reachable(candidate: Candidate, changes: Sequence[str]) -> list[str]:
    """The changes that a candidate would see: a live service searches documents of its own.

    Raises CandidateError where it would see none, since then no change could cost anything.
    """
    kinds = kinds_of(candidate)
    fixed = sorted(kinds & {"run", "vectors"})
    if fixed:
        raise CandidateError(
            candidate.name, f"made elsewhere ({fixed[0]}): it reads no changed query or document"
        )
    seen = [one for one in changes if one in QUERY_CHANGES or "http" not in kinds]
    if not seen:
        raise CandidateError(candidate.name, "a live service reads no changed document")
    return seen


def kinds_of(candidate: Candidate) -> set[str]:
    """The kinds of a candidate and of its parts."""
    return {candidate.kind}.union(*map(kinds_of, candidate.parts))


def _values(
    release: ReleaseData, candidate: Candidate, cache_dir: Path, plan: Plan, change: str | None
) -> Values:
    """The primary metric per query, NaN where it does not count."""
    documents, queries = list(release.documents), list(release.queries)
    if change is not None:
        documents, queries = perturbed(change, documents, queries, plan.seed)
    found = retrieve(candidate, documents, queries, plan.depth, cache_dir)
    evaluation = measures.evaluate(
        release.qrels,
        files.scores(found.hits),
        [plan.primary],
        relevant_level=plan.relevant_level,
        require_overlap=False,
    )
    return evaluation.column(plan.primary)


def _changed(release: ReleaseData, change: str, seed: int) -> int | None:
    if change not in QUERY_CHANGES:
        return None
    _, queries = perturbed(change, (), release.queries, seed)
    return sum(a.text != b.text for a, b in zip(release.queries, queries, strict=True))


def robustness_text(found: Sequence[Robustness], primary: str) -> str:
    """What every change costs, a paragraph per candidate."""
    return "\n\n".join(_paragraph(one, primary) for one in found)


def _paragraph(one: Robustness, primary: str) -> str:
    if one.why:
        return one.why
    queries = counted(one.n, "query")
    lines = [f"{one.candidate}: {primary} {one.mean or 0.0:.3f} as it stands, {queries}"]
    for row in one.comparisons:
        interval = "" if row.low is None else f" (95 % {row.low:+.3f} to {row.high:+.3f})"
        wins = f"{row.wins} better, {row.losses} worse"
        lines.append(f"  {row.a}: {row.difference:+.3f}{interval}, {wins}: {row.verdict}")
    if any(row.a == "duplicates" for row in one.comparisons):
        lines.append(
            f"  (a duplicate, its id ending in {COPY}, is judged by nobody: it takes room)"
        )
    return "\n".join(lines)
