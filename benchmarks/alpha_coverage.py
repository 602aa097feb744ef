"""How often alpha's 95 % interval holds the true alpha, over a grid of alphas and level mixes.

Usage: python benchmarks/alpha_coverage.py [repetitions]. Two raters make independent errors
about a true level; the true alpha is that of infinitely many units. Figures: docs/measures.md.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.alpha import Array, alphas, coincidences
from labelkit.agreement.interval import alpha_interval

POSITIONS = np.array([0.0, 1.0, 2.0])
ALPHAS = (0.4, 0.6, 0.8, 0.9)
MIXES = {
    "60/25/15": (0.60, 0.25, 0.15),
    "34/33/33": (0.34, 0.33, 0.33),
    "90/6/4": (0.90, 0.06, 0.04),
}
UNITS = (40, 100, 200)
RESAMPLES = 2_000


def joint(mix: tuple[float, ...], accuracy: float) -> Array:
    """How often two raters give each pair of levels, [3, 3]; errors are twice as often near."""
    wrong = 1 - accuracy
    confusion = np.array(
        [
            [accuracy, wrong * 2 / 3, wrong / 3],
            [wrong / 2, accuracy, wrong / 2],
            [wrong / 3, wrong * 2 / 3, accuracy],
        ]
    )
    return np.asarray(confusion.T @ np.diag(mix) @ confusion)


def true_alpha(table: Array) -> float:
    """Alpha of infinitely many units: the table as so many that n - 1 is n."""
    return float(alphas(table * 1e9, POSITIONS, "ordinal"))


def accuracy_for(alpha: float, mix: tuple[float, ...]) -> float:
    """The accuracy under which two raters reach this alpha, by bisection."""
    low, high = 0.34, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        below = true_alpha(joint(mix, middle)) < alpha
        low, high = (middle, high) if below else (low, middle)
    return low


def drawn_parts(table: Array, units: int, rng: np.random.Generator) -> Array:
    """Coincidence matrices of units drawn from the table of two raters, [units, 3, 3]."""
    cells = rng.choice(9, units, p=table.ravel())
    counts: NDArray[np.int64] = np.zeros((units, 3), dtype=np.int64)
    np.add.at(counts, (np.arange(units), cells // 3), 1)
    np.add.at(counts, (np.arange(units), cells % 3), 1)
    return coincidences(counts)


def coverage(table: Array, units: int, repetitions: int, seed: int) -> tuple[float, float, float]:
    """Share of intervals that hold the true alpha, their mean width, share without an interval."""
    target, rng = true_alpha(table), np.random.default_rng(seed)
    held, widths, none = 0, [], 0
    for repetition in range(repetitions):
        parts = drawn_parts(table, units, rng)
        found = alpha_interval(
            parts, POSITIONS, "ordinal", seed=repetition, resamples=RESAMPLES, level=0.95
        )
        if found.low is None or found.high is None:
            none += 1
            continue
        held += found.low <= target <= found.high
        widths.append(found.high - found.low)
    return held / max(1, len(widths)), float(np.mean(widths)), none / repetitions


def main() -> None:
    """Print the grid as a Markdown table."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    began = time.perf_counter()
    print("| mix | true alpha | " + " | ".join(f"{n} pairs" for n in UNITS) + " |")
    print("|---|---|" + "---|" * len(UNITS))
    for name, mix in MIXES.items():
        for alpha in ALPHAS:
            table = joint(mix, accuracy_for(alpha, mix))
            cells = [coverage(table, n, repetitions, seed=n) for n in UNITS]
            row = [f"{held:.1%} (±{width / 2:.2f}; none {none:.1%})" for held, width, none in cells]
            print(f"| {name} | {alpha:.1f} | " + " | ".join(row) + " |", flush=True)
    print(f"{repetitions} repetitions a cell, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
