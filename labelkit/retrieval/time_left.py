"""How long work still takes, from how fast it went so far."""

from __future__ import annotations

import time
from collections.abc import Callable

MINUTE, HOUR = 60, 3600


class TimeLeft:
    """An estimate in words. What comes before the first report, such as loading a model, is no
    sign of how fast the rest will be, and does not count."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.first: tuple[float, float] | None = None

    def __call__(self, done: float, total: float) -> str:
        """ ", about 3 min left" once it can be known, for `done` of `total` units of work."""
        now = self.clock()
        if self.first is None:
            self.first = now, done
        began, before = self.first
        if done >= total or done <= before or now <= began:
            return ""
        return f", {in_words((total - done) * (now - began) / (done - before))} left"


def in_words(seconds: float) -> str:
    """A length of time, as exact as an estimate can be."""
    if seconds < 5:
        return "a few seconds"
    if seconds < 100:
        return f"about {round(seconds / 5) * 5} s"
    minutes = round(seconds / MINUTE)
    if minutes < 100:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60:02d} min"
