"""Chunking functions for the tests, named as "chunkers:…"."""

from __future__ import annotations


def overlapping_thirds(text: str) -> list[tuple[int, int]]:
    """Three pieces that overlap and leave out the last character."""
    third = len(text) // 3
    return [(0, 2 * third), (third, max(third, len(text) - 1)), (0, third)]


def words(text: str) -> list[tuple[int, int]]:
    """Where the white space of a text leaves something."""
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return spans
