"""A finished run as a document: Markdown, HTML, or its table as CSV.

Each is made of the same sections, so none says less than another; `summary.json` in the run's
folder is the JSON form.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from labelkit.bench.confounding import verdict
from labelkit.bench.report import cell, completed, counting, headline, metric_heads, size, speed
from labelkit.bench.results import RunResult
from labelkit.errors import InputError
from labelkit.formats.spreadsheet import harmless
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidates import on_paper, undocumented
from labelkit.wording import counted

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, paragraphs and a table; any of them may be empty."""

    heading: str
    paragraphs: Sequence[str] = ()
    columns: Row = ()
    rows: Sequence[Row] = field(default_factory=list)


def as_document(result: RunResult, form: str) -> str:
    """The run as "md", "html" or "csv"; raises InputError for another form or an unfinished run."""
    if form not in FORMS:
        raise InputError(f"the form of a report is one of {', '.join(FORMS)}, not {form!r}")
    if not result.finished:
        raise InputError("the run has not finished; finish it first", file=result.folder)
    return FORMS[form](result)


def sections(result: RunResult) -> list[Section]:
    """What there is to say of a run, in order."""
    summary = result.summary
    return [
        Section("Decision", [summary["decision"], headline(summary)]),
        candidate_section(summary),
        missing_section(summary),
        comparison_section(summary),
        slice_section(summary),
        paper_section(summary),
        loss_section(summary),
        Section("Left out", [left_out_words(one) for one in summary["left_out"]]),
        Section("To be read beside the figures", list(summary["warnings"])),
        manifest_section(result),
    ]


def candidate_section(summary: Mapping[str, Any]) -> Section:
    """One row per candidate with results, best first."""
    level, done = str(summary["plan"]["relevant_level"]), completed(summary)
    if not done:
        return Section("Candidates", ["No candidate finished."])
    heads = metric_heads(done[0]["metrics"][level])
    rows = [
        [
            "/".join(map(str, one["groups"])) or "-",
            one["name"],
            *(cell(name, row) for name, row in one["metrics"][level].items()),
            speed(one),
            size(one),
        ]
        for one in done
    ]
    note = "Candidates that share a group cannot be told apart with these queries."
    return Section("Candidates", [note], ["group", "candidate", *heads, "p95 ms", "index MB"], rows)


def missing_section(summary: Mapping[str, Any]) -> Section:
    """The candidates without results and why."""
    rows = [
        [one["name"], one["state"], one["why"]]
        for one in summary["candidates"]
        if one["state"] != "completed"
    ]
    return Section("Without results", (), ["candidate", "state", "why"] if rows else (), rows)


def comparison_section(summary: Mapping[str, Any]) -> Section:
    """Every declared pair on the primary metric."""
    comparison = summary["comparison"]
    if comparison is None:
        return Section("Comparisons")
    rows = [
        [
            f"{pair['a']} against {pair['b']}",
            f"{pair['difference']:+.3f}",
            "-" if pair["low"] is None else f"{pair['low']:+.3f} to {pair['high']:+.3f}",
            f"{pair['wins']}/{pair['ties']}/{pair['losses']}",
            f"{pair['p_adjusted']:.4f}",
            verdict(pair),
        ]
        for pair in comparison["pairs"]
    ]
    columns = ["pair", "difference", "95 %", "wins/ties/losses", "p (Holm)", "the first is"]
    note = f"{summary['plan']['primary']}, paired over {counted(comparison['n'], 'query')}."
    return Section("Comparisons", [note], columns, rows)


def slice_section(summary: Mapping[str, Any]) -> Section:
    """The primary metric for every part of the queries."""
    metric, names = summary["plan"]["primary"], [one["name"] for one in completed(summary)]
    rows = [
        [
            one["value"] if one["by"] == "all" else f"{one['by']}: {one['value']}",
            str(counting(one, metric)),
            *(cell(metric, one["candidates"][name][metric]) for name in names),
        ]
        for one in summary["slices"]
    ]
    return Section(f"{metric} by part of the queries", (), ["queries", "n", *names], rows)


def paper_section(summary: Mapping[str, Any]) -> Section:
    """The shortlist on paper: what is documented of each candidate, and what is not."""
    rows = [paper_row(one) for one in summary["candidates"]]
    return Section("On paper", (), PAPER_COLUMNS, rows)


PAPER_COLUMNS = (
    "candidate", "licence", "hosting", "price a million tokens", "maximum input",
    "may be cut to", "not documented",
)  # fmt: skip


def shortlist(candidates: Sequence[Candidate]) -> list[list[str]]:
    """The rows of `PAPER_COLUMNS` for candidates that have not run."""
    return [
        paper_row(
            {"name": one.name, "about": asdict(on_paper(one)), "undocumented": undocumented(one)}
        )
        for one in candidates
    ]


def paper_row(one: Mapping[str, Any]) -> list[str]:
    """What is written down of a candidate; "unknown" where nothing is."""
    about = one.get("about") or {}
    price, longest = about.get("price"), about.get("max_input")
    return [
        one["name"],
        about.get("licence") or "unknown",
        about.get("hosting") or "unknown",
        "unknown" if price is None else f"{price:g}",
        "unknown" if longest is None else f"{longest:,} tokens",
        ", ".join(map(str, about.get("matryoshka") or ())) or "unknown",
        "; ".join(one.get("undocumented", ())) or "-",
    ]


def loss_section(summary: Mapping[str, Any]) -> Section:
    """What reduced precision and approximate indexes lose, where there are any."""
    rows = loss_rows(summary)
    if not rows:
        return Section("Precision and index")
    return Section("Precision and index", (), LOSS_COLUMNS, rows)


LOSS_COLUMNS = ("candidate", "what was reduced", "what it costs")


def loss_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """One row per reduced precision and per approximate index."""
    metric = summary["plan"]["primary"]
    rows = []
    for one in completed(summary):
        fidelity, loss = one.get("fidelity"), one.get("index_loss")
        if fidelity:
            rows.append([one["name"], "precision", fidelity_words(fidelity)])
        if loss:
            found = one["index_recall"]
            kept = ", ".join(f"{share:.1%} of the exact {depth}" for depth, share in found.items())
            rows.append(
                [one["name"], one["index"], f"{kept}; {metric} {cell(metric, loss[metric])}"]
            )
    return rows


def fidelity_words(fidelity: Mapping[str, Any]) -> str:
    """How near reduced vectors are to their float32 parents."""
    norms = ""
    if fidelity["norm_ratio_min"] is not None:
        norms = f", norms × {fidelity['norm_ratio_min']:.4f} to {fidelity['norm_ratio_max']:.4f}"
    return (
        f"1 - cosine {fidelity['cosine_error_mean']:.2g} on average, at most "
        f"{fidelity['cosine_error_max']:.2g}{norms}; {fidelity['neighbours_kept']:.1%} of the "
        "ten nearest chunks stay"
    )


def left_out_words(one: Mapping[str, Any]) -> str:
    """One reason why queries do not count, with all of them."""
    many, ids = counted(len(one["query_ids"]), "query"), ", ".join(one["query_ids"])
    return f"{many}, {one['why']} ({', '.join(one['metrics'])}): {ids}"


def manifest_section(result: RunResult) -> Section:
    """What it takes to run it again."""
    manifest = result.manifest
    rows = [
        ["release", f"{manifest['release']['tag']}, {manifest['release']['content_sha256']}"],
        ["labelkit", manifest["labelkit_version"]],
        ["begun", manifest["created_at"]],
        ["machine", manifest["machine"]],
        ["resampling", f"{result.plan.resamples} resamples, seed {result.plan.seed}"],
    ]
    rows += [
        [f"fingerprint of {name}", one["fingerprint"]]
        for name, one in manifest["results"].items()
        if "fingerprint" in one
    ]
    return Section("To run it again: labelkit rerun", (), ["what", "value"], rows)


def markdown(result: RunResult) -> str:
    """The run as Markdown; signs that would mean something there are escaped."""
    parts = [f"# Benchmark {_md(result.folder.name)}"]
    for one in sections(result):
        if not one.paragraphs and not one.rows:
            continue
        parts.append(f"## {_md(one.heading)}")
        parts += [_md(paragraph) for paragraph in one.paragraphs]
        if one.rows:
            lines = [one.columns, ["---"] * len(one.columns), *one.rows]
            parts.append("\n".join("| " + " | ".join(map(_md, line)) + " |" for line in lines))
    return "\n\n".join(parts) + "\n"


def _md(text: str) -> str:
    marked = "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in text)
    return " ".join(marked.split())


STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#0b0f19;background:#fff}table{border-collapse:collapse;display:block;overflow-x:auto}"
    "th,td{border:1px solid #c9ced8;padding:.25rem .6rem;text-align:left;white-space:nowrap}"
    "td:last-child{white-space:normal;min-width:8rem;overflow-wrap:anywhere}"
    "th{background:#f3f4f6}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}"
)


def page(result: RunResult) -> str:
    """The run as one HTML file that loads nothing."""
    title = html.escape(f"Benchmark {result.folder.name}")
    body = "".join(map(_html_section, sections(result)))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><h1>{title}</h1>{body}</body></html>\n"
    )


def _html_section(one: Section) -> str:
    if not one.paragraphs and not one.rows:
        return ""
    said = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in one.paragraphs)
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in one.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in row) + "</tr>"
        for row in one.rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return f"<h2>{html.escape(one.heading)}</h2>{said}{table}"


CSV_COLUMNS = (
    "candidate", "state", "why", "metric", "relevant_level", "mean", "low", "high", "n", "method",
    "excluded", "missing", "holes_low", "holes_high",
)  # fmt: skip


def table_csv(result: RunResult) -> str:
    """One row per candidate, metric and threshold, numbers as they are; safe for spreadsheets."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for one in result.candidates:
        head = [harmless(str(one[key])) for key in ("name", "state", "why")]
        for level, metrics in (one.get("metrics") or {"": {"": {}}}).items():
            for name, row in metrics.items():
                values = [row.get(key, "") for key in CSV_COLUMNS[5:]]
                writer.writerow([*head, name, row.get("relevant_level", level), *values])
    return stream.getvalue()


FORMS: Mapping[str, Callable[[RunResult], str]] = {
    "md": markdown,
    "html": page,
    "csv": table_csv,
}
