"""Where a model computes: on the processor, or on a card that a candidate asks for by name.

There is no choice by what a machine happens to have: the kind of device changes the last bits of
a vector, so it is part of what a candidate is.
"""

from __future__ import annotations

import re

from labelkit.errors import CandidateError

CPU = "cpu"
DEVICE = re.compile(r"cpu|mps|cuda(:[0-9]+)?")
WORDS = 'cpu, cuda, cuda with the number of a card such as "cuda:1", or mps'


def kind_of(device: str) -> str:
    """The device without the number of its card, which changes no vector."""
    return device.partition(":")[0]


def require_device(candidate: str, device: str) -> None:
    """Raise CandidateError where this machine has no such device; no model is loaded.

    torch is imported only where something else than the processor is asked for.
    """
    if device == CPU:
        return
    missing = _missing_mps() if kind_of(device) == "mps" else _missing_card(device)
    if missing:
        raise CandidateError(
            candidate, f'asks for the device {device}, but {missing}; set device = "cpu"'
        )


def _missing_mps() -> str:
    import torch

    return "" if torch.backends.mps.is_available() else "torch finds no Apple GPU (mps) here"


def _missing_card(device: str) -> str:
    import torch

    if not torch.cuda.is_available():
        return "torch finds no CUDA device here"
    cards, number = torch.cuda.device_count(), int(device.partition(":")[2] or 0)
    held = "cuda:0" if cards == 1 else f"cuda:0 to cuda:{cards - 1}"
    return "" if number < cards else f"torch finds only {held} here"


def name_of(device: str) -> str:
    """A device that torch reports, with the card's own name, for whoever reads a manifest."""
    if kind_of(device) != "cuda":
        return kind_of(device)
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})"
