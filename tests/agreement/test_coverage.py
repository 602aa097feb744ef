"""Alpha's interval holds the true alpha about as often as it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import alpha_coverage as simulation


def test_the_true_alpha_is_that_of_the_errors() -> None:
    """Raters without errors reach 1; the same skill gives far less where one level prevails."""
    usual, skewed = (0.60, 0.25, 0.15), (0.90, 0.06, 0.04)
    assert simulation.true_alpha(simulation.joint(usual, 1.0)) == pytest.approx(1)
    even = simulation.true_alpha(simulation.joint(usual, 0.85))
    assert even == pytest.approx(0.60, abs=0.01)
    assert simulation.true_alpha(simulation.joint(skewed, 0.85)) < even - 0.2


@pytest.mark.parametrize("units", [40, 100])
def test_coverage_is_near_nominal(units: int) -> None:
    """Of 300 samples about 95 % hold the truth; benchmarks/alpha_coverage.py has the grid."""
    mix = simulation.MIXES["60/25/15"]
    table = simulation.joint(mix, simulation.accuracy_for(0.6, mix))
    held, width, none = simulation.coverage(table, units, 300, seed=1)
    assert 0.92 <= held <= 0.98
    assert none == 0
    assert width / 2 == pytest.approx(0.26 if units == 40 else 0.16, abs=0.03)
