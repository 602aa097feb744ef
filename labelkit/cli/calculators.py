"""Two calculators that need no workspace: score and alpha."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelkit.errors import InputError
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.agreement import AgreementReport
    from labelkit.bench.score import RunScore

COLUMNS = ("query_id", "run", "metric", "relevant_level", "value")
ALPHA_KEYS = (
    *("alpha", "low", "high", "units", "raters", "pairable", "raw_agreement", "undefined"),
    *("metric", "domain", "pairable_units", "label_mix", "coincidences", "undefined_resamples"),
    *("band", "band_low", "warnings", "sentence"),
)

file_path = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")


@click.command()
@click.option(
    "--qrels", required=True, type=file_path, help="TREC qrels or BEIR tsv, plain or gzip."
)
@click.option(
    "--run", "runs", required=True, multiple=True, type=file_path, help="A TREC run; repeatable."
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    callback=lambda _context, _option, given: tuple(map(_metric, given)),
    help="recall@k, hit@k, precision@k, mrr@k, ndcg@k, ndcg_exp@k, ap@k, ap, judged@k, rbp@k, "
    "rbp, bpref or rprecision; repeatable. Default: ndcg@10 and recall@10.",
)
@click.option(
    "--relevant-level",
    default=2,
    show_default=True,
    type=click.IntRange(min=1),
    help="Relevant means judged at this level or above; never changes nDCG.",
)
@click.option(
    "--no-relevant",
    default="exclude",
    show_default=True,
    type=click.Choice(["exclude", "zero"]),
    help="Queries without a relevant document: leave out, or score 0 as trec_eval does.",
)
@click.option(
    "--missing",
    default="zero",
    show_default=True,
    type=click.Choice(["zero", "drop"]),
    help="Judged queries that a run lacks: score 0, or leave out.",
)
@click.option(
    "--negative",
    default="refuse",
    show_default=True,
    type=click.Choice(["refuse", "unjudged", "not_relevant"]),
    help="What a level below 0 means in these qrels.",
)
@click.option(
    "--score-dtype",
    default="float64",
    show_default=True,
    type=click.Choice(["float64", "float32"]),
    help="Precision in which scores tie; float32 as pytrec_eval and trec_eval 9.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
@click.option("--per-query", type=file_path, help="Write every query's values to this CSV file.")
@json_option
def score(
    qrels: Path,
    runs: tuple[Path, ...],
    metrics: tuple[str, ...],
    per_query: Path | None,
    as_json: bool,
    **rules: Any,
) -> None:
    """Score TREC runs against qrels: means over queries with 95 % intervals.

    Recall@k and MRR@k are always reported together, with judged@k beside them. Intervals: BCa
    bootstrap over queries; exact binomial where all values are 0 or 1.
    """
    from labelkit.bench.score import DEFAULT_MEASURES, per_query_rows
    from labelkit.bench.score import score as score_files

    scores = score_files(qrels, runs, metrics or DEFAULT_MEASURES, **rules)
    if per_query is not None:
        _write_csv(per_query, per_query_rows(scores))
    if as_json:
        figures = {"seed": rules["seed"], "runs": [one.as_dict() for one in scores]}
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        click.echo("\n\n".join(_score_text(one) for one in scores))


@click.command()
@click.argument("file", type=file_path)
@click.option(
    "--metric",
    default="ordinal",
    show_default=True,
    type=click.Choice(["ordinal", "nominal", "interval", "ratio"]),
    help="How far apart two values are.",
)
@click.option(
    "--domain",
    help="All possible values in ascending order, as in 0,1,2. Default: the values found.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
@json_option
def alpha(file: Path, metric: str, domain: str | None, seed: int, as_json: bool) -> None:
    """Krippendorff's alpha of a table with the columns unit, rater, value.

    An optional column "cluster" groups units (pairs of one query) for the interval.
    """
    from labelkit.bench.alpha import alpha_of_file

    values = None if domain is None else domain.split(",")
    report = alpha_of_file(file, metric=metric, domain=values, seed=seed)
    if as_json:
        figures = report.as_dict()
        click.echo(json.dumps({key: figures[key] for key in ALPHA_KEYS}, indent=2))
    else:
        click.echo(_alpha_text(report))


def _metric(text: str) -> str:
    from labelkit.measures import parse

    try:
        return str(parse(text))
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None


def _score_text(one: RunScore) -> str:
    level = one.evaluation.relevant_level
    head = (
        f"{one.name}: {counted(one.n, 'query')}, {len(one.excluded):,} without a relevant "
        f"document, {len(one.evaluation.missing)} missing; relevant means level ≥ {level}"
    )
    rows = [["metric", "mean", "95% interval", "n", *(["at level ≥ 1"] if one.at_level_1 else [])]]
    for name, figure in one.estimates.items():
        interval = f"{_number(figure.low)} – {_number(figure.high)}"
        beside = [_number(one.at_level_1[name])] if name in one.at_level_1 else []
        shown = interval if figure.low is not None else figure.method
        rows.append([name, _number(figure.mean), shown, str(figure.n), *beside])
    return "\n".join([head, *_columns(rows), *(f"note: {note}" for note in one.warnings)])


def _alpha_text(report: AgreementReport) -> str:
    lines = [report.sentence, *(f"note: {note}" for note in report.warnings)]
    rows = [["label", *map(str, report.domain)]]
    for value, row in zip(report.domain, report.coincidences, strict=True):
        rows.append([str(value), *(f"{cell:g}" for cell in row)])
    mix = ", ".join(f"{value}: {count}" for value, count in report.label_mix.items())
    facts = (
        f"{counted(report.units, 'unit')}, {counted(report.raters, 'rater')}, "
        f"{counted(report.pairable, 'pairable value')}; "
        f"labels {mix}"
    )
    return "\n".join([*lines, facts, "coincidences:", *_columns(rows)])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    width = max(map(len, rows))
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
    for row in filled:
        yield "  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip()
