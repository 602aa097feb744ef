"""Pictures of figures: each with the sentence that says it and the table it was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from labelkit.ui.text import plain

if TYPE_CHECKING:
    import altair
    import pandas

    Picture = altair.Chart | altair.LayerChart | altair.FacetChart


def show(sentence: str, chart: Picture, table: pandas.DataFrame, *, key: str) -> None:
    """Draw the sentence, the chart, and the table behind it; nobody has to read the picture."""
    st.write(plain(sentence))
    st.altair_chart(chart, key=f"{key}_chart")
    with st.expander("The same as a table"):
        st.dataframe(table, hide_index=True, key=f"{key}_table")


def intervals(
    table: pandas.DataFrame,
    *,
    name: str = "candidate",
    value: str = "value",
    low: str = "low",
    high: str = "high",
    domain: tuple[float, float] | None = (0.0, 1.0),
) -> Picture:
    """A point with its interval for each row, in the order of the table.

    A row without an interval (low or high is missing) keeps its point. `domain` None lets the
    axis follow the data, as for differences, where a rule marks zero.
    """
    import altair

    rows = altair.Y(name, type="nominal", sort=None, title=None, axis=altair.Axis(labelLimit=260))
    scale = altair.Scale(domain=list(domain)) if domain else altair.Scale(zero=True)
    tips = [
        altair.Tooltip(name, type="nominal"),
        *(altair.Tooltip(part, type="quantitative", format=".3f") for part in (value, low, high)),
    ]
    base = altair.Chart(table).encode(y=rows, tooltip=tips)
    spans = base.mark_rule(strokeWidth=2).encode(
        x=altair.X(low, type="quantitative", scale=scale, title=value), x2=high
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=altair.X(value, type="quantitative", scale=scale)
    )
    layers = [spans, points]
    if domain is None:
        zero = altair.Chart(table.head(1)).mark_rule(strokeDash=[4, 4])
        layers.insert(0, zero.encode(x=altair.datum(0)))
    return altair.layer(*layers).properties(height=40 + 30 * len(table))


def matrix(
    counts: Sequence[Sequence[float]], labels: Sequence[str], *, rows: str, columns: str
) -> tuple[Picture, pandas.DataFrame]:
    """A square table of counts as a picture, each cell with its number, and that table."""
    import altair
    import pandas

    table = pandas.DataFrame(
        [
            {rows: labels[row], columns: labels[column], "count": counts[row][column]}
            for row in range(len(labels))
            for column in range(len(labels))
        ]
    )
    most = max(1.0, float(table["count"].max()))
    base = altair.Chart(table).encode(
        x=altair.X(columns, type="nominal", sort=list(labels), axis=altair.Axis(labelAngle=0)),
        y=altair.Y(rows, type="nominal", sort=list(labels)),
    )
    cells = base.mark_rect(color="#1d4ed8").encode(
        opacity=altair.Opacity("count", type="quantitative", legend=None).scale(
            domain=[0, most], range=[0.05, 0.35]
        )
    )
    # The cells stay pale, so that the theme's own text colour can be read on them.
    numbers = base.mark_text(fontSize=15).encode(text=altair.Text("count", format=","))
    chart = altair.layer(cells, numbers).properties(height=70 + 55 * len(labels))
    return chart, table
