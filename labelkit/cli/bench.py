"""Commands that measure and read what was measured: bench, compare, rerun, report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli.common import Progress, json_option, show, stoppable, workspace_option
from labelkit.cli.releases import corpus_option

if TYPE_CHECKING:
    from labelkit.bench import FailureReport, Plan
    from labelkit.retrieval import Candidate
    from labelkit.retrieval.engine import Engine
    from labelkit.store import Workspace


release_option = click.option(
    "--release", required=True, help="The tag of a release, or its folder."
)
candidates_option = click.option(
    "--candidates",
    "candidates_file",
    type=click.Path(dir_okay=False),
    help="A TOML file of candidates; default: bm25, wordllama (256 and 64), all-MiniLM-L6-v2.",
)


@click.command()
@workspace_option
@json_option
@release_option
@candidates_option
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    help="The folder of the run; default: a new one in the workspace. A killed run goes on.",
)
@click.option("--primary", help="The metric that decides, such as ndcg@10 (the default).")
@click.option("--metric", "metrics", multiple=True, help="A further metric; can be repeated.")
@click.option(
    "--relevant-level",
    type=click.IntRange(1, 2),
    default=2,
    show_default=True,
    help="Relevant means judged at this level or above; never changes nDCG.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="How many documents of each query are kept.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the resampling.")
@corpus_option
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Who encodes the documents; see docs/engines.md.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that encode on this machine; default: this one, for dask one per core.",
)
@click.option("--scheduler", help="A Dask cluster that is running, such as tcp://127.0.0.1:8786.")
def bench(
    workspace_path: str,
    as_json: bool,
    corpus_path: str | None,
    release: str,
    candidates_file: str | None,
    out: str | None,
    primary: str | None,
    metrics: tuple[str, ...],
    relevant_level: int,
    depth: int,
    seed: int,
    engine_name: str,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Run candidates against a frozen release: table, decision, and all files in one folder.

    Exit code 1 when not one candidate finished.
    """
    from labelkit import bench as benchmarks
    from labelkit import releases
    from labelkit.releases.corpus import read_corpus

    workspace = workspace_if_any(workspace_path)
    plan = plan_of(primary, metrics, relevant_level=relevant_level, depth=depth, seed=seed)
    chosen = candidates_of(candidates_file)
    frozen = releases.load(releases.find(workspace, release), workspace)
    frozen = releases.complete(frozen, read_corpus(corpus_path), workspace)
    folder = Path(out) if out else own_folder(workspace, frozen.tag)
    cache = workspace.cache if workspace else None
    with stoppable(f"--out {folder}") as progress, engine_of(engine_name, workers, scheduler) as by:
        result = benchmarks.run_benchmark(frozen, chosen, folder, plan, progress, cache, by)
    show(dict(result.summary), as_json, f"{benchmarks.run_text(result)}\n\nAll files: {folder}")
    if not result.completed:
        raise click.exceptions.Exit(1)


@contextmanager
def engine_of(name: str, workers: int | None, scheduler: str | None) -> Iterator[Engine]:
    """The engine that the options name, closed at the end."""
    from labelkit.retrieval.engine import open_engine

    if scheduler and name != "dask":
        raise click.UsageError("--scheduler is for --engine dask")
    if scheduler and workers:
        raise click.UsageError("a running cluster has its own workers: leave out --workers")
    engine = open_engine(name, workers, scheduler)
    try:
        yield engine
    finally:
        engine.close()


def workspace_if_any(path: str) -> Workspace | None:
    """The workspace at a path, or None: a release folder needs none."""
    from labelkit.store import Workspace

    return Workspace.open(path) if Workspace(path).database.exists() else None


def candidates_of(path: str | None) -> list[Candidate]:
    """The candidates of a file, or the built-in ones."""
    from labelkit import retrieval

    return retrieval.load_candidates(path) if path else retrieval.default_candidates()


@contextmanager
def cache_of(workspace: Workspace | None) -> Iterator[Path]:
    """The workspace's embedding cache, or one that ends with the command."""
    with TemporaryDirectory() as empty:
        yield workspace.cache if workspace else Path(empty)


def own_folder(workspace: Workspace | None, tag: str) -> Path:
    """A new folder among the workspace's runs."""
    from labelkit.bench.job import new_run_folder

    if workspace is None:
        raise click.UsageError("without a workspace, say where the run goes: --out DIR")
    return new_run_folder(workspace, tag)


def plan_of(primary: str | None, metrics: tuple[str, ...], **values: Any) -> Plan:
    """The plan that the options declare."""
    from labelkit.bench import Plan

    default = Plan()
    return Plan(primary or default.primary, metrics or default.measures, **values)


@click.command()
@workspace_option
@json_option
@click.argument("run_dir", type=click.Path(exists=True, file_okay=False))
@click.argument("a")
@click.argument("b")
@click.option("--release", help="The release's tag or folder; default: the one that was run.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many queries are shown, the largest differences first.",
)
def compare(
    workspace_path: str,
    as_json: bool,
    run_dir: str,
    a: str,
    b: str,
    release: str | None,
    limit: int,
) -> None:
    """Show where candidate A of a run finds what candidate B misses, and the other way round."""
    from labelkit import bench as benchmarks
    from labelkit import releases

    result = benchmarks.load_run(run_dir)
    workspace = workspace_if_any(workspace_path)
    folder = releases.find(workspace, release or result.manifest["release_folder"])
    report = benchmarks.failures(result, releases.load(folder, workspace), a, b)
    show(as_figures(report), as_json, benchmarks.failures_text(report, result, limit))


def as_figures(report: FailureReport) -> dict[str, Any]:
    """The report as JSON: counts by outcome and one row per query with both rankings."""
    keys = ("a", "b", "primary", "k", "relevant_level")
    return {
        **{key: getattr(report, key) for key in keys},
        "counts": {outcome.value: n for outcome, n in report.counts.items()},
        "queries": [
            {
                **asdict(row),
                "rankings": {
                    name: [asdict(one) for one in report.ranking(name, row.query_id)]
                    for name in (report.a, report.b)
                },
            }
            for row in report.queries
        ],
    }


@click.command()
@workspace_option
@click.argument("run_dir", type=click.Path(exists=True, file_okay=False))
@click.option("--release", help="The release's tag or folder; default: the one that was run.")
@click.option("--out", type=click.Path(file_okay=False), help="The folder of the new run.")
def rerun(workspace_path: str, run_dir: str, release: str | None, out: str | None) -> None:
    """Repeat a run from its manifest and say what differs; exit code 1 where something does."""
    from labelkit import bench as benchmarks
    from labelkit import releases
    from labelkit.bench import rerun as repeating

    workspace = workspace_if_any(workspace_path)
    first = benchmarks.load_run(run_dir)
    folder = releases.find(workspace, release or first.manifest["release_folder"])
    frozen = releases.load(folder, workspace)
    progress = Progress()
    target = Path(out) if out else own_folder(workspace, frozen.tag)
    cache = workspace.cache if workspace else None
    found = repeating.rerun(Path(run_dir), frozen, target, progress, cache)
    progress.end()
    click.echo(f"{repeating.rerun_text(found)}\n\nAll files: {target}")
    if found.other:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("run_dir", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "html", "csv"]),
    default="md",
    show_default=True,
    help="Markdown, one HTML page, or the figures as CSV.",
)
@click.option("--out", type=click.Path(dir_okay=False), help="A file; default: the terminal.")
def report(run_dir: str, form: str, out: str | None) -> None:
    """A finished run as Markdown, HTML or CSV; its summary.json is the JSON form."""
    from labelkit import bench as benchmarks
    from labelkit.bench.documents import as_document

    text = as_document(benchmarks.load_run(run_dir), form)
    if out is None:
        click.echo(text, nl=False)
    else:
        Path(out).write_text(text, encoding="utf-8")
