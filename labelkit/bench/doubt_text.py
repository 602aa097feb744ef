"""The winner under doubt, in sentences and as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labelkit.bench.report import aligned, bullets, wrapped
from labelkit.measures.flips import MOST
from labelkit.wording import counted

Figures = Mapping[str, Any]

ASSUMED = (
    "Assumed: raters err independently of each other and with one confusion matrix for all; a "
    "level given by two is less in doubt than one given by one, and an adjudicated level counts "
    "as by someone fooled with the cube of a rater's odds; before any second label a rater is "
    "taken to be right 8 times in 10, worth five labels of each level. Not covered: an error "
    "that raters share, and documents that nobody judged."
)

KINDS = ("labels in doubt", "queries in doubt", "both in doubt")


def doubt_text(found: Figures) -> str:
    """Everything, for a terminal."""
    parts = [wrapped(verdict(found)), aligned(chance_rows(found)), wrapped(kinds_note())]
    parts += [aligned(gap_rows(found)), wrapped(tau_sentence(found))]
    parts += [wrapped(flip_sentence(found)), *flip_lines(found), wrapped(errors_sentence(found))]
    parts += [aligned(view_rows(found)), wrapped(ASSUMED), bullets("note", found["warnings"])]
    return "\n\n".join(part for part in parts if part)


def verdict(found: Figures) -> str:
    """How far the winner stands on its labels, in one sentence."""
    leader = next(one for one in found["candidates"] if one["name"] == found["leader"])
    return (
        f"{leader['name']} has the highest {found['primary']} in {percent(leader['labels'])} of "
        f"{found['draws']:,} versions of the labels that the second labels leave possible; with "
        f"the choice of queries in doubt as well, in {percent(leader['both'])}."
    )


def kinds_note() -> str:
    """What the three columns are."""
    return (
        "Labels in doubt: these queries, with labels redrawn as raters err. Queries in doubt: "
        "these labels, with queries redrawn as if others of their kind had been asked. Ties are "
        "split. Second labels help against the first, more queries against the second."
    )


def chance_rows(found: Figures) -> list[list[str]]:
    """Candidate, mean, and how often it wins under each kind of doubt."""
    head = ["candidate", found["primary"], *(f"wins, {kind}" for kind in KINDS)]
    shares = ("labels", "queries", "both")
    rows = [
        [one["name"], f"{one['mean']:.3f}", *(percent(one[share]) for share in shares)]
        for one in found["candidates"]
    ]
    return [head, *rows]


def gap_rows(found: Figures) -> list[list[str]]:
    """Pairs of candidates: difference, its interval under each kind of doubt."""
    head = ["a", "b", "a - b", *(f"95 %, {kind}" for kind in KINDS), "a ahead, labels in doubt"]
    rows = [
        [
            one["a"],
            one["b"],
            f"{one['difference']:+.3f}",
            *(interval(one[kind]) for kind in ("labels", "queries", "both")),
            percent(one["ahead"]),
        ]
        for one in found["differences"]
    ]
    return [head, *rows]


def interval(ends: Sequence[float]) -> str:
    """An interval of a difference."""
    return f"{ends[0]:+.3f} to {ends[1]:+.3f}"


def tau_sentence(found: Figures) -> str:
    """How far the order of all candidates stands."""
    tau = found["tau"]
    return (
        "Kendall's tau of the order with the published one, over redrawn labels: "
        f"{tau['mean']:.2f} on average, 95 % {tau['low']:.2f} to {tau['high']:.2f}; the whole "
        f"order stays the same in {percent(tau['same'])}."
    )


def flip_sentence(found: Figures) -> str:
    """How few changed labels would change the winner."""
    flip = found["flip"]
    if flip is None:
        return f"No {MOST} changed labels or fewer were found that put another candidate ahead."
    n = len(flip["judgments"])
    what = counted(n, "changed label would", "changed labels would")
    how = "no fewer do" if flip["exact"] else "found step by step, fewer may do"
    likely = max(row["chance"] for row in flip["judgments"])
    which = "its changed level is" if n == 1 else "the likeliest of these changed levels is"
    return (
        f"{what} put {flip['rival']} ahead of {found['leader']} ({how}); {which} right with a "
        f"chance of {percent(likely)}."
    )


def flip_lines(found: Figures) -> list[str]:
    """The set, a line each."""
    if found["flip"] is None:
        return []
    rows = [
        [row["query_id"], row["doc_id"], *map(str, change(row)), row["query"][:60]]
        for row in found["flip"]["judgments"]
    ]
    return [aligned([["query", "document", "now", "flips at", "chance", "judged by", ""], *rows])]


def change(row: Mapping[str, Any]) -> list[Any]:
    """Level now, level that flips, its chance, and who has judged."""
    raters = counted(row["raters"], "rater")
    by = f"{raters}, adjudicated" if row["adjudicated"] else raters
    return [row["now"], row["flips_at"], percent(row["chance"]), by]


def errors_sentence(found: Figures) -> str:
    """What the second labels say of the raters' errors."""
    right = [
        f"{percent(found['confusion'][n][n])} ({percent(found['confusion_low'][n][n])} to "
        f"{percent(found['confusion_high'][n][n])}) of the true {n}s"
        for n in range(3)
    ]
    twice, once = found["pairs"]["with a second label"], found["pairs"]["judged once"]
    pairs = counted(twice, "pair has", "pairs have")
    return (
        f"{pairs} a second label: a rater gives the right level to {right[0]}, {right[1]} and "
        f"{right[2]}. {once:,} stand on one label; a version of the labels differs from the "
        f"published one in {percent(found['changed'])} of all pairs."
    )


def view_rows(found: Figures) -> list[list[str]]:
    """The leaderboard by each rater's labels and by each rule, candidates as published."""
    names = [one["name"] for one in found["candidates"]]
    head = ["labels of", "best", "queries", "labels", "differ", *names, "tau"]
    named = [(one["name"], one) for one in found["raters"]]
    named += [(f"{one['name']} where raters differ", one) for one in found["rules"]]
    return [head, *([name, *view_cells(one, names)] for name, one in named)]


def view_cells(one: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Who leads in a view, what it stands on, every mean, and how its order compares."""
    means = one["means"]
    best = max(names, key=lambda name: means[name])
    counts = [f"{one[key]:,}" for key in ("queries", "pairs", "changed")]
    return [best, *counts, *(f"{means[name]:.3f}" for name in names), f"{one['tau']:.2f}"]


def percent(share: float) -> str:
    """A share that reads as neither never nor always unless it is."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{share:.1%}".replace("%", " %")
