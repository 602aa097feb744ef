"""Benchmarks: run candidates against a frozen release, compare them, say what it means."""

from labelkit.bench.failures import (
    FailureReport,
    Outcome,
    QueryFailure,
    Reason,
    ShownDocument,
    failures,
)
from labelkit.bench.plan import Plan, plan_from_dict
from labelkit.bench.report import failures_text, run_text
from labelkit.bench.results import RunResult, load_run
from labelkit.bench.run import run_benchmark

__all__ = [
    "FailureReport",
    "Outcome",
    "Plan",
    "QueryFailure",
    "Reason",
    "RunResult",
    "ShownDocument",
    "failures",
    "failures_text",
    "load_run",
    "plan_from_dict",
    "run_benchmark",
    "run_text",
]
