"""The machine that this runs on."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@lru_cache(maxsize=1)
def machine_name() -> str:
    """Processor, number of usable cores and system, in one line."""
    return f"{processor_name()}, {cores()} cores, {platform.system()} {platform.machine()}"


def cores() -> int:
    """The processor cores that this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return usable or 1


def forget_peak() -> None:
    """Let `peak_memory` count from now on, where the system can (Linux)."""
    with suppress(OSError):
        FORGET.write_text("5")


def peak_memory() -> int:
    """The most memory that this process had resident since `forget_peak`, in bytes.

    Pages of mapped files count while they are mapped. Where the system does not forget: since
    the process began. 0 where it does not say.
    """
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    with suppress(ImportError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
    return 0


def processor_name() -> str:
    """The processor's model as Linux reports it, else what Python knows."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
