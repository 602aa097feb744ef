"""The scripts of the components, put together from files: a component takes a single text."""

from __future__ import annotations

from pathlib import Path

_STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """The named files of `static`, one behind the other."""
    return "\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)
