"""The result of a run in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labelkit.measures import parse, written
from labelkit.measures.intervals import SAME
from labelkit.measures.paired import BETTER, WORSE
from labelkit.wording import counted

FEW_JUDGED = 0.90
"""Below this judged@k a result is held back by holes."""

SAME_TIME = 1.5
SAME_SIZE = 1.1
"""Below these ratios a cost is no reason to prefer one candidate."""

Candidates = Sequence[Mapping[str, Any]]


def decide(summary: Mapping[str, Any]) -> str:
    """Which candidate to ship, how certain that is, and what would make it more certain."""
    plan = summary["plan"]
    scored = [one for one in summary["candidates"] if primary(one, plan)["mean"] is not None]
    if not scored:
        return "Nothing to decide: no candidate finished with a query that counts."
    ranked = sorted(scored, key=lambda one: -primary(one, plan)["mean"])
    parts = [verdict(ranked, summary), weaker(ranked, summary), synthetic(summary)]
    parts += [unfinished(summary["candidates"]), holes(ranked, plan)]
    return " ".join(part for part in parts if part)


def primary(candidate: Mapping[str, Any], plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """The primary metric of a candidate at the declared threshold, empty where it has none."""
    levels = candidate.get("metrics", {})
    found: Mapping[str, Any] = levels.get(str(plan["relevant_level"]), {}).get(
        str(parse(plan["primary"])), {"mean": None}
    )
    return found


def pair_of(comparison: Mapping[str, Any] | None, a: str, b: str) -> Mapping[str, Any] | None:
    """The declared comparison of a with b, as it stands or turned round; None if undeclared."""
    for pair in (comparison or {}).get("pairs", ()):
        if (pair["a"], pair["b"]) == (a, b):
            return dict(pair)
        if (pair["a"], pair["b"]) == (b, a):
            return turned(pair)
    return None


def turned(pair: Mapping[str, Any]) -> dict[str, Any]:
    """The same comparison, speaking of the other candidate."""
    low, high = pair["low"], pair["high"]
    return {
        **pair,
        "a": pair["b"],
        "b": pair["a"],
        "difference": -pair["difference"],
        "low": None if high is None else -high,
        "high": None if low is None else -low,
        "wins": pair["losses"],
        "losses": pair["wins"],
        "verdict": {BETTER: WORSE, WORSE: BETTER}.get(pair["verdict"], pair["verdict"]),
    }


def verdict(ranked: Candidates, summary: Mapping[str, Any]) -> str:
    """What can be said of the candidate with the highest mean."""
    plan, best = summary["plan"], ranked[0]
    value = primary(best, plan)
    queries = counted(value["n"], "query")
    what = f"the highest {written(plan['primary'])} ({value['mean']:.3f} over {queries})"
    if len(ranked) == 1:
        return (
            f"{best['name']} has {what}; no other candidate finished, so there is nothing to "
            "compare it with."
        )
    rivals = equals(ranked, summary)
    if not rivals:
        second = ranked[1]["name"]
        return (
            f"Ship {best['name']}: it has {what} and is better than every other candidate; the "
            f"next, {second}, is behind by {margin(best['name'], second, summary)}."
        )
    return f"{no_evidence(ranked, rivals, what, summary)} {cheapest([best, *rivals])}"


def no_evidence(
    ranked: Candidates, rivals: Candidates, what: str, summary: Mapping[str, Any]
) -> str:
    """Who leads, and whom the leader was not shown to beat."""
    plan = summary["plan"]
    top = primary(ranked[0], plan)["mean"]
    level = [one for one in ranked if top - primary(one, plan)["mean"] < SAME]
    names = listed([one["name"] for one in level])
    head = f"{names} {'has' if len(level) == 1 else 'share'} {what}"
    others = [one["name"] for one in rivals if one not in level]
    if others:
        head += f", but there is no evidence of a difference from {listed(others)}"
    return f"{head}.{resolution(summary)}"


def equals(ranked: Candidates, summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The candidates that the best one was not shown to beat."""
    best = ranked[0]["name"]
    pairs = {one["name"]: pair_of(summary["comparison"], best, one["name"]) for one in ranked[1:]}
    return [one for one in ranked[1:] if (pairs[one["name"]] or {}).get("verdict") != BETTER]


def margin(a: str, b: str, summary: Mapping[str, Any]) -> str:
    """A difference with its interval and p."""
    pair = pair_of(summary["comparison"], a, b)
    if pair is None:
        return "a difference that was not declared for comparison"
    text = f"{pair['difference']:.3f}"
    if pair["low"] is not None:
        text += f" (95 % {pair['low']:.3f} to {pair['high']:.3f})"
    return f"{text}, p = {p_value(pair['p_adjusted'])} after Holm"


def p_value(p: float) -> str:
    """A p-value that never reads as zero."""
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def resolution(summary: Mapping[str, Any]) -> str:
    """The smallest difference that these queries could have shown."""
    found = (summary["comparison"] or {}).get("smallest_resolvable")
    if found is None:
        return ""
    queries = counted(summary["comparison"]["n"], "query")
    return f" With {queries} a difference below about {found:.2f} goes unnoticed."


def cheapest(alike: Candidates) -> str:
    """Among candidates that cannot be told apart, what else could decide."""
    real = [one for one in alike if one["kind"] != "random"]  # nobody would take a diagnostic
    times = {one["name"]: p95(one) for one in real}
    fastest = least({name: ms for name, ms in times.items() if ms is not None}, SAME_TIME)
    sizes = {one["name"]: one["index_bytes"] for one in real if has_index(one)}
    smallest = least(sizes, SAME_SIZE)
    if fastest and fastest == smallest:
        return (
            f"Among them {fastest} is the fastest and has the smallest index: take it, or judge "
            "more queries."
        )
    gains = [f"{fastest} is the fastest"] if fastest else []
    gains += [f"{smallest} has the smallest index"] if smallest else []
    if not gains:
        return "They cost about the same to run: judge more queries to decide."
    return f"Among them {' and '.join(gains)}; cost can decide, or more queries."


def has_index(candidate: Mapping[str, Any]) -> bool:
    """Whether the size of a candidate's index is known; a service keeps its own to itself."""
    return candidate["kind"] not in ("http", "run")


def least(costs: Mapping[str, float], same: float) -> str | None:
    """Who costs least, or None where the next one costs less than `same` times as much."""
    ranked = sorted(costs, key=lambda name: costs[name])
    if len(ranked) < 2:
        return None
    return ranked[0] if costs[ranked[1]] >= same * costs[ranked[0]] else None


def p95(candidate: Mapping[str, Any]) -> float | None:
    """The 95th percentile of encoding and search together, in milliseconds."""
    total = candidate["latency_ms"]["total"]
    return None if total is None else float(total["p95"])


def weaker(ranked: Candidates, summary: Mapping[str, Any]) -> str:
    """Those shown to be worse than the best, where something else is not."""
    rivals = equals(ranked, summary)
    worse = [one["name"] for one in ranked[1:] if one not in rivals]
    if not rivals or not worse:
        return ""
    return f"{listed(worse)} {'is' if len(worse) == 1 else 'are'} worse than {ranked[0]['name']}."


def synthetic(summary: Mapping[str, Any]) -> str:
    """Whether the order at the top hangs on synthetic queries."""
    without = summary["comparison_without_synthetic"]
    part = [one for one in summary["slices"] if one["value"] == "without synthetic"]
    if not without or not part:
        return ""
    means = {
        name: metrics[summary["plan"]["primary"]]["mean"]
        for name, metrics in part[0]["candidates"].items()
    }
    first = max(means, key=lambda name: means[name] or 0.0)
    best = max(summary["candidates"], key=lambda c: primary(c, summary["plan"])["mean"] or 0.0)
    if first == best["name"]:
        return f"Without the synthetic queries {first} leads as well."
    return f"Without the synthetic queries {first} leads: the order depends on them."


def unfinished(candidates: Candidates) -> str:
    """Candidates without a result; the reasons stand in the table."""
    missing = [f"{one['name']} ({one['state']})" for one in candidates if "metrics" not in one]
    return f"Not compared: {listed(missing)}." if missing else ""


def holes(ranked: Candidates, plan: Mapping[str, Any]) -> str:
    """A word of caution where too much was never judged."""
    metric = f"judged@{parse(plan['primary']).k}"
    level = str(plan["relevant_level"])
    judged = {one["name"]: one["metrics"][level][metric]["mean"] for one in ranked}
    # None: it ranked nothing at all, so there is nothing unjudged in it.
    thin = {
        name: share for name, share in judged.items() if share is not None and share < FEW_JUDGED
    }
    if not thin:
        return ""
    names = listed([f"{name} ({share:.0%})" for name, share in thin.items()])
    return (
        "Judge the holes, documents that were found and never judged, before trusting this: "
        f"{metric} is low for {names}."
    )


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
