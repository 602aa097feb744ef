"""Times of the store, which are UTC, in the words and the zone of the person who reads them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def local(moment: str) -> datetime:
    """A stored time in the browser's zone, or as stored where the browser names none."""
    stored = datetime.fromisoformat(moment)
    try:
        return stored.astimezone(ZoneInfo(st.context.timezone or "UTC"))
    except ZoneInfoNotFoundError:
        return stored


def time_of_day(moment: str) -> str:
    """As 10:42:07."""
    return local(moment).strftime("%H:%M:%S")


def day(moment: str) -> str:
    """As 12 Nov 2026."""
    return local(moment).strftime("%-d %b %Y")
