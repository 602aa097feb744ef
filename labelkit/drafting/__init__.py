"""Drafted queries: drawing passages, asking a model, what is worth a warning, and a decision.

What pages and commands call. Importing this package loads neither openai nor a retriever.
"""

from labelkit.drafting.answering import likeliest_passage
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
    draft_at,
    last_decision,
    reject,
    reviewed,
    undo,
    warnings_of,
)
from labelkit.drafting.running import (
    Estimate,
    Standing,
    change_limits,
    estimate,
    go_on,
    pause,
    prompt_versions,
    resume,
    retry_failed,
    runs,
    standing,
    start,
)
from labelkit.drafting.spotcheck import (
    SHARES,
    SampleStanding,
    choices,
    draw,
    release_held,
    sample_standing,
    settle_outside,
)

__all__ = [
    "REJECTIONS",
    "SHARES",
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
    "SampleStanding",
    "Standing",
    "Task",
    "Warning",
    "accept",
    "change_limits",
    "check",
    "check_drafts",
    "choices",
    "draft_at",
    "draw",
    "estimate",
    "go_on",
    "key_for",
    "last_decision",
    "likeliest_passage",
    "make_plan",
    "pause",
    "prompt_versions",
    "reject",
    "release_held",
    "require_key",
    "resume",
    "retry_failed",
    "reviewed",
    "runs",
    "sample_standing",
    "settle_outside",
    "standing",
    "start",
    "undo",
    "warnings",
    "warnings_of",
]
