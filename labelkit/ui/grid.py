"""A square table of counts, shaded: a picture that is read as a table."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.ui.markup import Markup, draw, element

FAINTEST, STRONGEST = 0.04, 0.5


def show(counts: Sequence[Sequence[float]], names: Sequence[str], *, label: str) -> None:
    """Draw counts by row and column; the more of all a cell holds, the stronger its shade."""
    most = max((max(row) for row in counts), default=0.0) or 1.0
    head = element("tr", element("td"), *(element("th", name, scope="col") for name in names))
    rows = [
        element("tr", element("th", name, scope="row"), *(_cell(count, most) for count in row))
        for name, row in zip(names, counts, strict=True)
    ]
    draw(element("table", element("caption", label), head, *rows, cls="lk-grid"))


def _cell(count: float, most: float) -> Markup:
    shade = FAINTEST + (STRONGEST - FAINTEST) * count / most
    return element("td", f"{round(count, 1):g}", style=f"background:rgba(47, 98, 224, {shade:.2f})")
