"""Drafting runs on their page, and the way on to the review of what they gave."""

from __future__ import annotations

from labelkit.ui import llm_runs, navigation
from labelkit.ui.frame import Here


def show(here: Here) -> bool:
    """Draw a run, the newest unless another is chosen; False where there is none."""
    stands = llm_runs.show(here, llm_runs.DRAFTING)
    if stands is None:
        return False
    if stands.drafts:
        navigation.link("review", "Review queries")
    llm_runs.failures(stands, llm_runs.DRAFTING)
    return True
