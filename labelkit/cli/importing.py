"""labelkit import: documents, queries, judgments, runs, events, BEIR folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli import import_options
from labelkit.cli.common import Progress, acting_name, json_option, open_workspace, show
from labelkit.cli.common import workspace_option as in_workspace
from labelkit.cli.drawing import sample_log
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.importing import ImportOptions, ImportPreview, ImportReport
    from labelkit.store import Workspace

ROWS_SHOWN = 5
CELL = 60
FORMATS = "CSV, TSV, Excel, JSON, JSON Lines, Parquet"
OF_KIND = {
    "documents": f"{FORMATS}, a SMART collection, a folder or zip of text, Markdown or HTML files",
    "queries": f"{FORMATS}, TREC topics, a SMART collection, plain lines, a Quepid book or case",
    "judgments": f"{FORMATS}, TREC or BEIR qrels, Quepid, OpenSearch or Label Studio exports",
    "runs": f"a TREC run, {FORMATS}",
}

look_option = click.option(
    "--preview", "only_look", is_flag=True, help="Show how the files are read; write nothing."
)
report_option = click.option(
    "--report", type=click.Path(dir_okay=False), help="Write every problem by row to this CSV."
)
by_option = click.option(
    "--person", help="Who does this, as it is recorded; default: your user name."
)


@click.group(name="import")
def import_() -> None:
    """Import files into the workspace: all of the files, or nothing of them."""


def _import_command(kind: str) -> None:
    @import_.command(name=kind, help=f"Import {kind}: {OF_KIND[kind]}.")
    @in_workspace
    @json_option
    @look_option
    @report_option
    @by_option
    @import_options.for_kind(kind)
    @click.argument("files", nargs=-1, required=True, type=click.Path())
    def command(
        workspace_path: str,
        as_json: bool,
        only_look: bool,
        report: str | None,
        person: str | None,
        files: tuple[str, ...],
        **said: Any,
    ) -> None:
        from labelkit.importing import large, merging

        workspace, options = open_workspace(workspace_path), import_options.gather(said)
        merging.sweep(workspace)
        by = acting_name(workspace, person)
        if said.get("background"):
            _start(workspace, files, options, by, report)
            return
        if large.is_large(kind, files) and not only_look:
            _show([_import_large(workspace, files, options, by, report)], as_json)
            return
        looked_at = _look(workspace, kind, files, options, report)
        if only_look or not any(one.problems for one in looked_at):
            click.echo("\n".join(line for one in looked_at for line in _described(one)), err=True)
        if only_look:
            _show_looked_at(looked_at, as_json)
        else:
            _write(workspace, looked_at, said.get("rater"), by, as_json)


for _kind in OF_KIND:
    _import_command(_kind)
import_.add_command(sample_log, name="events")


@import_.command()
@in_workspace
@json_option
@by_option
@click.option("--split", help="Which qrels of the folder; default: test, or the only ones.")
@click.option("--rater", help="Who judged; default: the name of the qrels.")
@click.option("--levels", metavar="MAPPING", help="As for judgments.")
@click.argument("folder", type=click.Path(exists=True))
def beir(
    workspace_path: str,
    as_json: bool,
    person: str | None,
    split: str | None,
    rater: str | None,
    levels: str | None,
    folder: str,
) -> None:
    """Import a BEIR folder, or a zip of one: corpus, queries and qrels together."""
    from labelkit.importing import beir as verb

    workspace, progress = open_workspace(workspace_path), Progress()
    reports = verb.import_beir(
        workspace,
        folder,
        split=split,
        options=import_options.gather({"levels": levels}),
        rater=rater,
        by=acting_name(workspace, person),
        progress=progress,
    )
    progress.end()
    _show(reports, as_json)


def _start(
    workspace: Workspace,
    files: Sequence[str],
    options: ImportOptions,
    by: str,
    report: str | None,
) -> None:
    """Leave the import to a process of its own."""
    from labelkit import jobs
    from labelkit.importing import job

    paths = [str(Path(path).resolve(strict=True)) for path in files]
    at = Path(report).resolve() if report else None
    job_id = jobs.start(workspace, "import", job.arguments_for(paths, options, by=by, report=at))
    click.echo(f"Import {job_id} goes on by itself; the Import page shows how far it is.")


def _import_large(
    workspace: Workspace,
    files: Sequence[str],
    options: ImportOptions,
    by: str,
    report: str | None,
) -> ImportReport:
    from labelkit.formats.tables import Problem
    from labelkit.importing import large, problems_csv

    def keep(problems: list[Problem], unit: str) -> None:
        if report:
            Path(report).write_bytes(problems_csv(problems, unit))

    progress = Progress()
    done = large.import_documents(
        workspace, files, options=options, by=by, progress=progress, on_problems=keep
    )
    progress.end()
    return done


def _look(
    workspace: Workspace,
    kind: str,
    files: Sequence[str],
    options: ImportOptions,
    report: str | None,
) -> list[ImportPreview]:
    """Look at each file, and write every problem to the report, if one is wanted."""
    from labelkit.importing import preview_path, problems_csv

    looked_at = [preview_path(workspace, kind, path, options) for path in files]
    if report:
        problems = [problem for one in looked_at for problem in one.problems]
        Path(report).write_bytes(problems_csv(problems, looked_at[0].unit))
    return looked_at


def _described(one: ImportPreview) -> list[str]:
    how = ", ".join(f"{name} {value}" for name, value in one.how.items())
    read = ", ".join(f"{ours} from {theirs!r}" for ours, theirs in one.headers.items())
    lines = [f"{one.file}: {how}", f"  {read}"]
    if one.grades:
        lines.append("  grade        rows  read as")
        lines += [f"  {g.name[:10]:10} {g.count:>6,}  {g.words}" for g in one.grades]
    return [*lines, *(f"  note: {note}" for note in one.notes)]


def _show_looked_at(looked_at: Sequence[ImportPreview], as_json: bool) -> None:
    from labelkit.importing import sample

    values, lines = [], []
    for one in looked_at:
        rows = list(sample(one, ROWS_SHOWN))
        values.append(_as_dict(one, rows))
        found = counted(len(one.problems), "problem")
        lines.append(f"{one.file}: {counted(len(one.rows), 'row')}, {found}")
        lines += ["  " + "  ".join(f"{k}={_cell(v)}" for k, v in row.items()) for row in rows]
        lines += [f"  {one.unit} {p.line}: {p.column} {p.message}" for p in one.problems]
    show(values, as_json, "\n".join(lines))
    if any(one.problems for one in looked_at):
        click.get_current_context().exit(1)


def _as_dict(one: ImportPreview, rows: list[Any]) -> dict[str, Any]:
    return {
        "file": one.file,
        "read_as": dict(one.how),
        "columns": list(one.columns),
        "headers": dict(one.headers),
        "rows": len(one.rows),
        "first_rows": [{name: _cell(value) for name, value in row.items()} for row in rows],
        "grades": {grade.name: [grade.count, grade.words] for grade in one.grades},
        "problems": [[p.line, p.column, p.message] for p in one.problems],
        "notes": list(one.notes),
    }


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= CELL else f"{text[:CELL]} …"


def _write(
    workspace: Workspace,
    looked_at: list[ImportPreview],
    rater: str | None,
    by: str,
    as_json: bool,
) -> None:
    from labelkit.importing import write_all

    _show(write_all(workspace, looked_at, rater=rater, by=by), as_json)


def _show(reports: Sequence[ImportReport], as_json: bool) -> None:
    text = "\n".join(report.sentence for report in reports)
    show([report.as_dict() for report in reports], as_json, text)
