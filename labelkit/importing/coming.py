"""What is imported together with a file, and so is as good as here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labelkit.model import Query


@dataclass(frozen=True, slots=True)
class Coming:
    """Queries, and a way to ask whether a document is among what comes in."""

    queries: Sequence[Query] = ()
    has_document: Callable[[str], bool] = lambda doc_id: False


NOTHING = Coming()
