"""Measures of ranked retrieval and what a difference between two of them is worth.

Pure NumPy. `evaluate` gives per-query values of one run, `estimate` a mean with its interval,
`compare` and `compare_family` paired comparisons. The conventions are written where they apply:
the order in ranking.py, the formulas in perquery.py, what counts in evaluation.py.
"""

from labelkit.measures.evaluation import Evaluation, RankedDocument, evaluate, evaluate_at
from labelkit.measures.intervals import Estimate, estimate, estimates
from labelkit.measures.names import Measure, parse, parse_all, with_companions, written
from labelkit.measures.paired import Comparison, FamilyComparison, compare, compare_family
from labelkit.measures.piecewise import Range

__all__ = [
    "Comparison",
    "Estimate",
    "Evaluation",
    "FamilyComparison",
    "Measure",
    "Range",
    "RankedDocument",
    "compare",
    "compare_family",
    "estimate",
    "estimates",
    "evaluate",
    "evaluate_at",
    "parse",
    "parse_all",
    "with_companions",
    "written",
]
