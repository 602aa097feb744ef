"""Judging: who gets which pair, what they say of it, and what that comes to.

What the pages, the command line and the tests call. The Overview page's verb stands one level
up, in `labelkit.overview`: it also speaks of releases and runs.
"""

from labelkit.judging.adjudicating import (
    Disagreement,
    adjudicate,
    count_kept_from,
    disagreements,
)
from labelkit.judging.agreeing import agreement_report
from labelkit.judging.claims import (
    EmptyQueue,
    Task,
    claim,
    claim_pair,
    judge_later,
    judge_later_list,
    skip,
)
from labelkit.judging.correcting import ToCorrect, correct, to_correct
from labelkit.judging.leaving import deactivate, holdings, reactivate
from labelkit.judging.own_work import Progress, RecentJudgment, progress, recent
from labelkit.judging.pooling import PoolReport, add_to_pool, pool
from labelkit.judging.reasons import recent_reasons
from labelkit.judging.recording import record, save_draft, undo
from labelkit.judging.resolution import RULES, Resolution, State, resolve
from labelkit.judging.second_labels import Sample, draw_second_sample
from labelkit.judging.state import Counts, ProjectState, count, load

__all__ = [
    "RULES",
    "Counts",
    "Disagreement",
    "EmptyQueue",
    "PoolReport",
    "Progress",
    "ProjectState",
    "RecentJudgment",
    "Resolution",
    "Sample",
    "State",
    "Task",
    "ToCorrect",
    "add_to_pool",
    "adjudicate",
    "agreement_report",
    "claim",
    "claim_pair",
    "correct",
    "count",
    "count_kept_from",
    "deactivate",
    "disagreements",
    "draw_second_sample",
    "holdings",
    "judge_later",
    "judge_later_list",
    "load",
    "pool",
    "progress",
    "reactivate",
    "recent",
    "recent_reasons",
    "record",
    "resolve",
    "save_draft",
    "skip",
    "to_correct",
    "undo",
]
