"""What an alpha means, in words that a lead can act on or paste."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labelkit.wording import counted

RELIABLE, TENTATIVE, NOT_USABLE = "reliable", "tentative", "not usable"
RELIABLE_FROM, TENTATIVE_FROM = 0.800, 0.667
"""Krippendorff (2004), "Reliability in content analysis", p. 429."""

ADVICE = {
    RELIABLE: "the labels can be relied on",
    TENTATIVE: "add boundary examples to the rubric rather than more raters, and draw a new sample",
    NOT_USABLE: "rework the rubric before labeling goes on",
}
UNDEFINED = {
    "no_variation": "every label given twice is the same, so chance agreement cannot be told apart "
    "from real agreement: draw a sample in which all levels occur",
    "no_overlap": "no unit was labeled by two raters: draw a second-label sample first",
    "one_rater": "only one rater has labeled: have someone else label a sample, unseen",
}


def band(alpha: float | None) -> str | None:
    """The band that a value of alpha falls into; None for none."""
    if alpha is None:
        return None
    if alpha >= RELIABLE_FROM:
        return RELIABLE
    return TENTATIVE if alpha >= TENTATIVE_FROM else NOT_USABLE


def sentence(**facts: Any) -> str:
    """One plain sentence with the number, its interval, what it stands on and what follows."""
    if facts["undefined"]:
        return f"Agreement cannot be computed: {UNDEFINED[facts['undefined']]}."
    return (
        f"{counted(facts['pairable_raters'], 'rater')} labeled "
        f"{counted(facts['pairable_units'], 'unit')} at least twice, independently; "
        f"{facts['metric']} Krippendorff's alpha is {facts['alpha']:.3f} "
        f"({_interval(facts)}), raw agreement {facts['raw_agreement']:.0%}: {_reading(facts)}."
    )


def warnings(**facts: Any) -> Iterator[str]:
    """What makes the number weaker than it looks."""
    if facts["too_few"] and facts["pairable_units"]:
        yield (
            f"too few: {counted(facts['pairable_units'], 'unit has', 'units have')} two labels or "
            "more; "
            "below 30 the interval says more than the value"
        )
    if facts["alpha"] is not None and facts["alpha"] > 1 - 1e-12 and not facts["too_few"]:
        yield "perfect agreement looks like copied labels: check that raters worked unseen" + (
            f"; {facts['in_all']} labeled every unit that was compared" if facts["in_all"] else ""
        )
    if facts["prevalence"]:
        yield facts["prevalence"]
    if facts["undefined_resamples"]:
        yield (
            f"{facts['undefined_resamples']} of {facts['resamples']} resamples held a single value "
            "and have no alpha: one level is rare"
        )


def _interval(facts: dict[str, Any]) -> str:
    if facts["low"] is None:
        return f"no interval: {facts['interval_note'].removeprefix('degenerate: ')}"
    return f"{facts['level']:.0%} interval {facts['low']:.3f} to {facts['high']:.3f}"


def _reading(facts: dict[str, Any]) -> str:
    advice = ADVICE[facts["band"]]
    if facts["too_few"] or facts["band_low"] is None:
        alone = "on too few units" if facts["too_few"] else "with no interval beside it"
        return f"{facts['band']} by the value alone, {alone}; {_cautious(facts)}"
    if facts["band_low"] == facts["band"]:
        return f"{facts['band']}; {advice}"
    return f"{facts['band']} by the value, {facts['band_low']} by the lower end; {_cautious(facts)}"


def _cautious(facts: dict[str, Any]) -> str:
    if facts["band"] == RELIABLE:
        return "label more units twice to be sure"
    return ADVICE[facts["band"]]
