"""Names for widgets that speak of one thing, whatever characters its ids hold."""

from __future__ import annotations

import hashlib


def item(*ids: str) -> str:
    """A short name made from ids, safe in a widget's key.

    Streamlit writes a key into a CSS class and changes most characters on the way, so that two
    ids could share one widget there.
    """
    return hashlib.sha256("\t".join(ids).encode()).hexdigest()[:12]
