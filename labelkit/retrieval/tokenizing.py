"""Counting and placing tokens with a tokenizer of the `tokenizers` package, no special ones."""

from __future__ import annotations

from typing import Any


def token_ids(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """The ids of each text's tokens."""
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [one.ids for one in encoded]


def token_offsets(tokenizer: Any, text: str) -> list[tuple[int, int]]:
    """Where each token lies in a text, `[start, end)`; those without a place are left out."""
    encoded = tokenizer.encode(text, add_special_tokens=False)
    return [(start, end) for start, end in encoded.offsets if end > start]
