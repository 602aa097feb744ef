"""Drafted queries: what is worth a warning, and a person's decision on each."""

from labelkit.drafting.checks import Warning, check
from labelkit.drafting.review import (
    REJECTIONS,
    DraftReview,
    Reviewed,
    accept,
    next_draft,
    reject,
    reviewed,
)

__all__ = [
    "REJECTIONS",
    "DraftReview",
    "Reviewed",
    "Warning",
    "accept",
    "check",
    "next_draft",
    "reject",
    "reviewed",
]
