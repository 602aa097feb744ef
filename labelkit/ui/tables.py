"""Tables of text: dense, readable by a screen reader, every cell shown as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from labelkit.ui.markup import Markup, draw, element

Row = Sequence[Any]


def show(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    label: str,
    numbers: Iterable[str] = (),
    wide: bool = False,
) -> None:
    """Draw a table; `numbers` names the columns that stand on the right.

    Where the screen is too narrow the table scrolls on its own, and `label` names it.
    """
    draw(build(columns, rows, label=label, numbers=numbers, wide=wide))


def build(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    label: str,
    numbers: Iterable[str] = (),
    wide: bool = False,
) -> Markup:
    """The table as HTML."""
    right = {columns.index(name) for name in numbers}
    head = [element("th", name, scope="col", cls=_side(i, right)) for i, name in enumerate(columns)]
    body = [
        element("tr", *(element("td", cell, cls=_side(i, right)) for i, cell in enumerate(row)))
        for row in rows
    ]
    table = element(
        "table", element("thead", element("tr", *head)), element("tbody", *body), cls="lk-table"
    )
    style = "lk-scroll lk-wide" if wide else "lk-scroll"
    return element("div", table, cls=style, tabindex=0, role="region", aria_label=label)


def facts(pairs: Iterable[tuple[str, Any]], *, label: str) -> None:
    """Draw names and values one beside the other, as many in a line as fit."""
    inside = [element("div", element("dt", name), element("dd", value)) for name, value in pairs]
    draw(element("dl", *inside, cls="lk-facts", aria_label=label))


def _side(column: int, right: set[int]) -> str | None:
    return "lk-number" if column in right else None
