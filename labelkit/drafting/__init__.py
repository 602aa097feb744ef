"""Drafted queries: drawing passages, asking a model, what is worth a warning, and a decision.

What pages and commands call. Importing this package loads neither openai nor a retriever.
"""

from labelkit.drafting.batch import check_drafts, warnings
from labelkit.drafting.checks import Warning, check
from labelkit.drafting.endpoint import (
    WHAT_TO_SET,
    Decoding,
    Endpoint,
    Limits,
    key_for,
    require_key,
)
from labelkit.drafting.passages import Passage
from labelkit.drafting.plan import DraftPlan, PlanSettings, make_plan
from labelkit.drafting.prompt import STYLES, Prompt, Task
from labelkit.drafting.review import (
    REJECTIONS,
    DraftReview,
    Reviewed,
    accept,
    next_draft,
    reject,
    reviewed,
)
from labelkit.drafting.running import (
    Estimate,
    Standing,
    change_limits,
    estimate,
    go_on,
    pause,
    prompt_versions,
    retry_failed,
    runs,
    standing,
    start,
)

__all__ = [
    "REJECTIONS",
    "STYLES",
    "WHAT_TO_SET",
    "Decoding",
    "DraftPlan",
    "DraftReview",
    "Endpoint",
    "Estimate",
    "Limits",
    "Passage",
    "PlanSettings",
    "Prompt",
    "Reviewed",
    "Standing",
    "Task",
    "Warning",
    "accept",
    "change_limits",
    "check",
    "check_drafts",
    "estimate",
    "go_on",
    "key_for",
    "make_plan",
    "next_draft",
    "pause",
    "prompt_versions",
    "reject",
    "require_key",
    "retry_failed",
    "reviewed",
    "runs",
    "standing",
    "start",
    "warnings",
]
