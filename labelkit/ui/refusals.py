"""A refusal in one part of a page leaves the other parts standing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from labelkit.errors import LabelkitError
from labelkit.ui import notice

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


@contextmanager
def shown(
    slot: DeltaGenerator | None = None, *, word: Callable[[str], str] = str
) -> Iterator[None]:
    """Show a LabelkitError of the block as its message, put into the page's words by `word`, and
    go on behind the block."""
    try:
        yield
    except LabelkitError as error:
        notice.show("error", word(str(error)), slot)
