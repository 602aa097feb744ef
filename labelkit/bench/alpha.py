"""Agreement of a table file with the columns unit, rater, value: no workspace."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path

from labelkit.agreement import AgreementReport, Label, report
from labelkit.errors import InputError
from labelkit.formats.tables import Row, Table, read_table

COLUMNS = ("unit", "rater", "value")
CLUSTER = "cluster"
MISSING = ("", "NA", "NULL", "null", "NaN", "nan")


def alpha_of_file(
    path: str | Path,
    *,
    metric: str = "ordinal",
    domain: Sequence[str] | None = None,
    seed: int = 0,
) -> AgreementReport:
    """Krippendorff's alpha of a long table; rows without a value are missing labels.

    `domain` lists the possible values in ascending order; None: the values found, as numbers
    if all of them are. A column "cluster", if there is one, groups units for the interval.
    Raises InputError for a bad file, missing columns, or words without an order where the metric
    needs one.
    """
    table = _table(path)
    found = list(dict.fromkeys(_text(row) for row in table.rows if _text(row)))
    if not found:
        raise InputError("no row has a value", file=path, column="value")
    order = found if domain is None else [one.strip() for one in domain]
    read = _number if all(map(_is_number, order)) else str
    if domain is None and read is str and metric == "ordinal":
        raise _no_order(path, order)
    values = list(dict.fromkeys(read(one) for one in order))
    ascending = sorted(values) if domain is None else values  # type: ignore[type-var]
    return report(_labels(table, read, set(values)), domain=ascending, metric=metric, seed=seed)


def _labels(
    table: Table, read: Callable[[str], Hashable], domain: set[Hashable]
) -> Iterator[Label]:
    for row in table.rows:
        text = _text(row)
        if not text:
            continue
        value = read(text) if read is str or _is_number(text) else None
        if value not in domain:
            raise InputError(
                f"{text!r} is not in the domain {', '.join(sorted(map(str, domain)))}",
                file=table.file,
                line=row.line,
                column="value",
            )
        cluster = row.values.get(CLUSTER) or None
        yield Label(str(row.values["unit"]), str(row.values["rater"]), value, cluster)


def _table(path: str | Path) -> Table:
    try:
        table = read_table(str(path), Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    lacking = [column for column in COLUMNS if column not in table.columns]
    if lacking:
        raise InputError(
            f"no column {', '.join(lacking)}; the columns are {', '.join(table.columns)}, and "
            "unit, rater, value are needed",
            file=path,
            line=1,
        )
    for problem in table.problems:
        raise InputError(problem.message, file=path, line=problem.line)
    return table


def _text(row: Row) -> str:
    """The value as text, empty where it is missing."""
    value = row.values["value"]
    text = "" if value is None else str(value).strip()
    return "" if text in MISSING else text


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _number(text: str) -> Hashable:
    """A whole number as int, so that it prints as it was written."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _no_order(path: str | Path, words: Sequence[str]) -> InputError:
    return InputError(
        f"the values {', '.join(map(repr, words[:5]))} are words, which have no order of their "
        "own; give it with --domain low,mid,high, or use --metric nominal",
        file=path,
        column="value",
    )
