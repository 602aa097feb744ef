"""Preflights in words, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.bench.preflight import Preflight, Side


def preflight_text(found: Sequence[Preflight]) -> str:
    """One paragraph per candidate."""
    return "\n\n".join("\n".join([headline(one), *map("  ".__add__, facts(one))]) for one in found)


def headline(one: Preflight) -> str:
    """Whether a candidate would run, and why not."""
    return f"{one.candidate}: " + (
        "; ".join(one.problems) if one.problems else "nothing against it"
    )


def facts(one: Preflight) -> list[str]:
    """What was found, a line each; what is not known is left out."""
    lines = list(one.notes)
    for name, side in (("documents", one.documents), ("queries", one.queries)):
        if side is not None:
            lines.append(f"{name}: {side_words(side)}")
    if one.truncated_share is not None:
        lines.append(
            f"{one.truncated_share:.1%} of the chunks are longer than the model reads; "
            f"{one.lost_token_share or 0:.1%} of all tokens are not read"
        )
    if one.dimensions:
        lines.append(f"vectors: {vector_words(one)}")
    if one.seconds is not None:
        lines.append(f"a run takes about {estimate_words(one)}")
    return lines


def side_words(side: Side) -> str:
    """How many texts, what stands before each, what is missing."""
    words = [f"{side.texts:,} texts", f"{side.to_encode:,} to encode"]
    words += [f"{side.empty:,} empty"] if side.empty else []
    words.append(f"after the prompt {side.prompt!r}" if side.prompt else "no prompt")
    return ", ".join(words)


def vector_words(one: Preflight) -> str:
    """Shape, lengths, and what is odd about the sample's."""
    words = [f"{one.dimensions} dimensions", one.dtype]
    if one.norms:
        words.append(f"lengths {one.norms[0]:.3f} to {one.norms[1]:.3f}")
    words += [f"{one.zero_vectors} of zeros"] if one.zero_vectors else []
    words += [f"{one.duplicate_vectors} doubled"] if one.duplicate_vectors else []
    return ", ".join(words)


def estimate_words(one: Preflight) -> str:
    """Time, money, memory and disk."""
    words = [duration(one.seconds or 0.0)]
    words += [f"{one.cost:,.2f} in the currency of the price"] if one.cost else []
    words += [f"{one.memory_bytes / 1e6:,.0f} MB of memory"] if one.memory_bytes else []
    words += [f"{one.disk_bytes / 1e6:,.0f} MB of disk"] if one.disk_bytes else []
    return ", ".join(words)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, as a person would say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
