"""A value with its interval, drawn as a line inside a table or a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.ui.markup import Markup, element


def span(
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    marks: Sequence[float] = (),
) -> Markup:
    """A dot at `value` on a line from `low` to `high`; `marks` are fine lines across.

    It repeats figures that stand beside it, so a screen reader skips it.
    """
    if value is None:
        return Markup("")
    parts = [element("i", cls="lk-mark", style=f"left:{_place(at, scale):.2f}%") for at in marks]
    if low is not None and high is not None:
        left, right = _place(low, scale), _place(high, scale)
        style = f"left:{left:.2f}%;width:{right - left:.2f}%"
        parts.append(element("i", cls="lk-range", style=style))
    parts.append(element("i", cls="lk-dot", style=f"left:{_place(value, scale):.2f}%"))
    return element("span", *parts, cls="lk-span", aria_hidden="true")


def _place(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return 100 * min(max((value - low) / (high - low), 0.0), 1.0)


def figure(value: float | None, digits: int = 2) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def between(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval in words, or a dash where there is none."""
    if low is None or high is None:
        return "–"
    return f"{low:.{digits}f} to {high:.{digits}f}"


def share(value: float | None) -> str:
    """A share in per cent, or a dash where there is none."""
    return "–" if value is None else f"{value:.0%}"
