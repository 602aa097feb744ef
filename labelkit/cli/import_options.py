"""The options of the import commands, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from labelkit.formats.options import ReadOptions
    from labelkit.importing import ImportOptions

HOW_READ = (
    click.option("--format", "format_", help="What the file is; default: detected."),
    click.option(
        "--encoding", help="Such as cp1252; 'detect' takes the guess. Default: Unicode only."
    ),
    click.option("--delimiter", help="comma, tab, semicolon, bar or a character."),
    click.option("--quote", help="The quote character, or 'none'; default: detected."),
    click.option(
        "--header-row", type=click.IntRange(min=0), help="The line of the header; 0 for none."
    ),
    click.option("--sheet", help="The sheet of a workbook; default: the first that is not empty."),
)
READING = (
    *HOW_READ,
    click.option(
        "--column",
        "named",
        multiple=True,
        metavar="NAME=HEADER",
        help="Read the column HEADER as NAME, such as doc_id=sku; repeat for more.",
    ),
)
IDS = click.option(
    "--ids",
    type=click.Choice(["given", "from-text"]),
    default="given",
    help="from-text: make ids out of the content, where the file has none.",
)
BACKGROUND = click.option(
    "--background", is_flag=True, help="Import in a process of its own and return at once."
)
JUDGED = (
    click.option("--rater", help="Who judged, if no column says so."),
    click.option(
        "--rater-column", "raters", multiple=True, help="A column of one rater's grades; repeat."
    ),
    click.option(
        "--levels",
        metavar="MAPPING",
        help="What the file's grades are read as: GRADE=LEVEL,… with level 0, 1, 2 or unjudged; "
        "or as-is, 0-3, esci, binary.",
    ),
    click.option(
        "--query-ids",
        type=click.Choice(["exact", "by-position"]),
        default="exact",
        help="by-position: the file's query numbers count the queries.",
    ),
    click.option(
        "--unknown",
        type=click.Choice(["refuse", "skip"]),
        default="refuse",
        help="skip: leave out rows that point to ids which are not here.",
    ),
)


def for_kind(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a command with the options that its kind of file has."""
    options = [*READING]
    options += [IDS] if kind in ("documents", "queries") else []
    options += [BACKGROUND] if kind == "documents" else []
    options += JUDGED if kind == "judgments" else ()

    return decorated(options)


def decorated(
    options: Sequence[Callable[..., Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that gives a command these options, listed in their order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def how_read(said: dict[str, Any]) -> ReadOptions:
    """How a file is to be read, out of what click gives."""
    from labelkit.formats.options import ReadOptions, delimiter_of

    delimiter, quote = said.get("delimiter"), said.get("quote")
    return ReadOptions(
        format=said.get("format_"),
        encoding=said.get("encoding"),
        delimiter=delimiter_of(delimiter) if delimiter else None,
        quote="" if quote == "none" else quote,
        header_row=said.get("header_row"),
        sheet=said.get("sheet"),
    )


def gather(said: dict[str, Any]) -> ImportOptions:
    """The options of an import out of what click gives."""
    from labelkit.importing import ImportOptions, scales

    return ImportOptions(
        read=how_read(said),
        named=_headers(said.get("named", ())),
        levels=scales.parse(said["levels"]) if said.get("levels") else None,
        query_ids=said.get("query_ids", "exact"),
        ids=said.get("ids", "given"),
        unknown=said.get("unknown", "refuse"),
        raters=tuple(said.get("raters", ())),
    )


def _headers(named: tuple[str, ...]) -> dict[str, str]:
    pairs = [one.partition("=") for one in named]
    for name, sign, header in pairs:
        if not sign or not header:
            raise click.BadParameter(f"{name!r}: write NAME=HEADER.", param_hint="--column")
    return {name.strip(): header for name, _, header in pairs}
