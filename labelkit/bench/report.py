"""A run and its failures as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from labelkit.bench.decision import FEW_JUDGED, has_index, p95, pair_of
from labelkit.bench.failures import FailureReport, Outcome, ShownDocument
from labelkit.bench.results import RunResult
from labelkit.measures.paired import BETTER, WORSE
from labelkit.wording import counted

WIDTH = 100
LISTED = 8
"""Ids listed in full before "and n more"."""


def run_text(result: RunResult) -> str:
    """The result table, what was left out, and the decision."""
    summary = result.summary
    if not result.finished:
        return states_text(summary["candidates"])
    parts = [headline(summary), table(summary), not_run(summary["candidates"])]
    parts += [groups_note(summary), synthetic_table(summary), other_level(summary)]
    parts += [left_out_text(summary), bullets("note", summary["warnings"])]
    parts.append(wrapped(f"Decision: {summary['decision']}"))
    return "\n\n".join(part for part in parts if part)


def states_text(candidates: Sequence[Mapping[str, Any]]) -> str:
    """How far an unfinished run is."""
    rows = [f"  {one['name']}: {one['state']} {one['why']}".rstrip() for one in candidates]
    return "\n".join(["This run has not finished; run the same command again to go on.", *rows])


def headline(summary: Mapping[str, Any]) -> str:
    """What was run, over what, and what counts as relevant."""
    plan, release = summary["plan"], summary["release"]
    return (
        f"release {release['tag']} ({release['content_sha256'][:12]}) · "
        f"{counted(summary['documents'], 'document')} · "
        f"{counted(summary['queries'], 'query')} · relevant = {level_words(plan)} · "
        f"primary {plan['primary']} · intervals 95 %"
    )


def level_words(plan: Mapping[str, Any]) -> str:
    """The threshold in words."""
    return "level 2" if plan["relevant_level"] == 2 else f"level {plan['relevant_level']} and above"


def completed(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The candidates with results, best primary metric first."""
    level, metric = str(summary["plan"]["relevant_level"]), summary["plan"]["primary"]
    done = [one for one in summary["candidates"] if one["state"] == "completed"]
    return sorted(done, key=lambda one: -(one["metrics"][level][metric]["mean"] or 0.0))


def table(summary: Mapping[str, Any]) -> str:
    """One line per candidate: group, metrics with intervals, judged@k, p95, index size and
    the most memory that this process had while it ran."""
    level = str(summary["plan"]["relevant_level"])
    rows = []
    for one in completed(summary):
        metrics = one["metrics"][level]
        cells = ["/".join(map(str, one["groups"])) or "-", one["name"]]
        cells += [cell(name, row) for name, row in metrics.items()]
        cells += [speed(one), size(one), peak(one)]
        rows.append(cells)
    if not rows:
        return "no candidate finished"
    heads = metric_heads(completed(summary)[0]["metrics"][level])
    return aligned([["group", "candidate", *heads, "p95 ms", "index MB", "peak MB"], *rows])


def metric_heads(metrics: Mapping[str, Any]) -> list[str]:
    """Each metric with the number of queries that count for it, the same for every candidate."""
    return [
        name if name.startswith("judged") else f"{name} n={row['n']}"
        for name, row in metrics.items()
    ]


def cell(metric: str, row: Mapping[str, Any]) -> str:
    """A mean with its interval; judged@k as a share, with a mark when it is low."""
    if row["mean"] is None:
        return "none counts"
    if metric.startswith("judged"):
        return f"{row['mean']:.1%}" + (" !" if row["mean"] < FEW_JUDGED else "")
    if row["low"] is None:
        return f"{row['mean']:.3f} degenerate"
    return f"{row['mean']:.3f} ({row['low']:.2f}–{row['high']:.2f})"


def speed(candidate: Mapping[str, Any]) -> str:
    """The 95th percentile of a query's time; a dash when it was not measured here."""
    found = p95(candidate)
    return "-" if found is None else f"{found:.1f}"


def size(candidate: Mapping[str, Any]) -> str:
    """The index in megabytes; a dash where nobody knows it."""
    return f"{candidate['index_bytes'] / 1e6:.1f}" if has_index(candidate) else "-"


def peak(candidate: Mapping[str, Any]) -> str:
    """The most memory while the candidate ran, in megabytes; a dash in older runs."""
    found = candidate.get("peak_memory_bytes")
    return f"{found / 1e6:.0f}" if found else "-"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows as columns of equal width, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def not_run(candidates: Sequence[Mapping[str, Any]]) -> str:
    """The candidates without results and why."""
    missing = [one for one in candidates if one["state"] != "completed"]
    return "\n".join(wrapped(f"{one['name']}: {one['state']}: {one['why']}") for one in missing)


def groups_note(summary: Mapping[str, Any]) -> str:
    """What the group column means, and how small a difference can be seen."""
    comparison = summary["comparison"]
    if comparison is None:
        return ""
    text = "Candidates that share a group cannot be told apart with these queries"
    if comparison["smallest_resolvable"] is not None:
        found = f"{comparison['smallest_resolvable']:.3f}"
        text += f" (a true difference below {found} needs more of them)"
    return wrapped(f"{text}; Holm over {counted(len(comparison['pairs']), 'comparison')}.")


def synthetic_table(summary: Mapping[str, Any]) -> str:
    """The primary metric with and without synthetic queries."""
    parts = [one for one in summary["slices"] if one["by"] in ("all", "synthetic")]
    if len(parts) < 2:
        return ""
    metric, names = summary["plan"]["primary"], [one["name"] for one in completed(summary)]
    heads = [f"{part['value']} n={counting(part, metric)}" for part in parts]
    rows = [[name, *(cell(metric, part["candidates"][name][metric]) for part in parts)]
            for name in names]  # fmt: skip
    return aligned([[metric, *heads], *rows])


def counting(part: Mapping[str, Any], metric: str) -> int:
    """The queries of a slice that count for a metric."""
    return max((metrics[metric]["n"] for metrics in part["candidates"].values()), default=0)


def other_level(summary: Mapping[str, Any]) -> str:
    """The metrics that change when partly relevant documents count as well."""
    declared = str(summary["plan"]["relevant_level"])
    done = completed(summary)
    levels = [level for one in done[:1] for level in one["metrics"] if level != declared]
    if not levels:
        return ""
    shown = {
        name: row
        for name, row in done[0]["metrics"][levels[0]].items()
        if not name.startswith(("ndcg", "judged"))
    }
    rows = [
        [one["name"], *(cell(name, one["metrics"][levels[0]][name]) for name in shown)]
        for one in done
    ]
    return aligned([[f"relevant = level {levels[0]} and above", *metric_heads(shown)], *rows])


def left_out_text(summary: Mapping[str, Any]) -> str:
    """The queries that do not count, with the reason."""
    return bullets(
        "left out",
        [
            f"{len(one['query_ids'])} of {summary['queries']} queries, {one['why']} "
            f"({', '.join(one['metrics'])}): {some(one['query_ids'])}"
            for one in summary["left_out"]
        ],
    )


def some(ids: Sequence[str]) -> str:
    """The first few ids."""
    shown = ", ".join(ids[:LISTED])
    return shown if len(ids) <= LISTED else f"{shown} and {len(ids) - LISTED} more"


def bullets(label: str, lines: Sequence[str]) -> str:
    """Each line under its label, wrapped."""
    return "\n".join(wrapped(f"{label}: {line}") for line in lines)


def wrapped(text: str) -> str:
    """Text folded to the terminal's width, later lines indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def failures_text(report: FailureReport, result: RunResult, limit: int = 5) -> str:
    """The counts, then the queries with the largest differences and what both show for them."""
    words = [
        f"{counted(report.counts[Outcome.ONLY_A], 'query')} only {report.a} answers",
        f"{report.counts[Outcome.ONLY_B]} only {report.b}",
        f"{report.counts[Outcome.BOTH]} both",
        f"{report.counts[Outcome.NEITHER]} neither",
        f"{report.counts[Outcome.NO_ANSWER]} no answer exists",
    ]
    head = f"{report.a} against {report.b} · answered = level ≥ {report.relevant_level} in the top "
    parts = [wrapped(f"{head}{report.k} · {' · '.join(words)}"), difference_text(report, result)]
    shown = [row for row in report.queries if row.difference][:limit]
    for row in shown:
        parts.append(
            wrapped(f"query {row.query_id} ({row.difference:+.3f} {report.primary}) {row.text!r}")
            + "".join(ranking_text(report, name, row.query_id) for name in (report.a, report.b))
        )
    return "\n\n".join(part for part in parts if part)


def difference_text(report: FailureReport, result: RunResult) -> str:
    """The comparison of the two on the primary metric."""
    pair = pair_of(result.summary.get("comparison"), report.a, report.b)
    if pair is None:
        return ""
    interval = "" if pair["low"] is None else f" (95 % {pair['low']:+.3f} to {pair['high']:+.3f})"
    verdict = pair["verdict"]
    if verdict in (BETTER, WORSE):
        verdict = f"{report.a} is {verdict} than {report.b}"
    return wrapped(
        f"{report.primary}: {pair['difference']:+.3f}{interval}, {pair['wins']} wins, "
        f"{pair['ties']} ties, {pair['losses']} losses: {verdict}"
    )


def ranking_text(report: FailureReport, name: str, query_id: str, k: int = 5) -> str:
    """The first documents of one candidate for one query."""
    lines = [shown_text(one) for one in report.ranking(name, query_id, k)]
    return f"\n  {name}\n" + "\n".join(lines or ["    nothing"])


def shown_text(one: ShownDocument) -> str:
    """One rank: level (? for a hole), id, the reason."""
    level = "?" if one.level is None else str(one.level)
    reason = one.reasons[0].reason if one.reasons else "nobody judged it"
    line = f"    {one.rank:>2}  {level}  {one.doc_id}  {reason}"
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 2]} …"
