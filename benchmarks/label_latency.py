"""Many raters at once on one real server: what a save costs them, and that nothing is mixed up.

Usage: python benchmarks/label_latency.py [--raters 25] [--seconds 120] [--every 5] [--no-browser]

`labelkit serve` runs on a generated workspace. Each rater is a websocket session of its own that
presses the Label page's real buttons and fills its real reason; one real browser judges beside
them as a control. In the same minutes a twin process serves an empty Streamlit page to as many
sessions at the same pace. At the end every save that a screen acknowledged is looked up in the
database, and every message to a rater is searched for another's words. The last line is JSON;
the exit code is 1 where something fell short.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from label_workspace import build
from streamlit_client import Session, cookie

from labelkit.store import Workspace, judgments, pairs, repeats
from labelkit.ui import identity

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

GOAL = 2.0
TOKEN = re.compile(rb"words-of-(\d+)-on-(\d+)-(\d+)")


@dataclass
class Rater:
    """One session, what its screen acknowledged, and how long that took in milliseconds."""

    number: int
    session: Session
    saved: list[str] = field(default_factory=list)
    open: str = ""
    took: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@contextmanager
def process(command: list[str], port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server process for the length of a block, once it answers."""
    with (folder / f"{port}.log").open("wb") as log:
        started = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        _wait_for(port)
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        started.wait(timeout=20)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 40
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


def resident(pid: int) -> float:
    """Megabytes that a process and its children hold in memory."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    status = Path(f"/proc/{pid}/status").read_text()
    own = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
    return own + sum(resident(int(child)) for child in children)


async def judge(rater: Rater) -> None:
    """Choose a level, write the reason, save, as the page wants it; note what the screen says."""
    session = rater.session
    reason_key = session.key("lk_reason_")
    if reason_key is None:
        rater.faults.append(f"no pair on screen: {session.errors}")
        await session.run()
        return
    pair_id = reason_key.removeprefix("lk_reason_")
    rater.open = words = f"words-of-{rater.number}-on-{pair_id}-{len(rater.saved)}"
    await session.run(press=f"lk_choice_level_{random.choice((0, 1, 2))}_{pair_id}")
    await asyncio.sleep(0.6)
    await session.run(texts={reason_key: words})
    began = time.perf_counter()
    await session.run(press=f"lk_save_{pair_id}", texts={reason_key: words})
    took = 1000 * (time.perf_counter() - began)
    after = session.key("lk_reason_")
    if after in (None, reason_key) or session.errors:
        rater.faults.append(f"pair {pair_id} was not left: {session.errors}")
        return
    rater.saved.append(words)
    rater.took.append(took)


async def pace(every: float, until: float, act: Callable[[], Awaitable[None]]) -> None:
    """Do something every so often, from a random moment on."""
    due = time.monotonic() + random.uniform(0, every)
    while due < until:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await act()
        due += every


async def empty_rerun(session: Session, took: list[float]) -> None:
    """Let the empty page run once."""
    began = time.perf_counter()
    await session.run()
    took.append(1000 * (time.perf_counter() - began))


async def load(
    raters: list[Rater], bare: list[Session], seconds: float, every: float, pid: int
) -> tuple[list[float], float]:
    """Let everybody work; returns the empty reruns' milliseconds and megabytes per session."""
    await raters[0].session.open()
    before = resident(pid)
    for rater in raters[1:]:
        await rater.session.open()
    for session in bare:
        await session.open()
    empty: list[float] = []
    until = time.monotonic() + seconds
    work = [pace(every, until, lambda rater=rater: judge(rater)) for rater in raters]  # type: ignore[misc]
    work += [pace(every, until, lambda one=one: empty_rerun(one, empty)) for one in bare]  # type: ignore[misc]
    await asyncio.gather(*work)
    each = (resident(pid) - before) / max(1, len(raters) - 1)
    for session in [*bare, *(rater.session for rater in raters)]:
        await session.close()
    return empty, each


def browser(
    workspace: Workspace, port: int, seconds: float, every: float, out: list[float]
) -> None:
    """One real browser at the same pace: save to next pair on screen, in milliseconds."""
    import harness
    from raters import start_rater

    server = harness.Server(workspace.path, port)
    with harness.chromium() as opened:
        rater = start_rater(opened.new_context(), server, workspace, "Control")
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            before = rater.pair()
            rater.choose(1, f"control {before}")
            began = time.perf_counter()
            rater.page.keyboard.press("Control+Enter")
            rater.page.locator(f".{before}").wait_for(state="detached")
            out.append(1000 * (time.perf_counter() - began))
            rater.ready()
            rater.page.wait_for_timeout(1000 * every)


def check(workspace: Workspace, raters: list[Rater]) -> list[str]:
    """What is lost, doubled, crossed or leaked; nothing, if all is well."""
    wrong = [f"rater {one.number}: {fault}" for one in raters for fault in one.faults]
    with workspace.reading() as db:
        rows = judgments.history(db)
        for rater in raters:  # hidden repeats stand in a table of their own
            rows += repeats.recent_of(db, f"rater-{rater.number}", -1)
        rows = [row for row in rows if row.reason.startswith("words-of-")]
        number = {pairs.find(db, *key).pair_id: key for key in pairs.keys(db)}  # type: ignore[union-attr]
        held = Counter((one.query_id, one.doc_id) for one in judgments.current(db))
        passed = [key for key, count in held.items() if count > pairs.find(db, *key).quota]  # type: ignore[union-attr]
    written = Counter(row.reason for row in rows)
    wrong += [f"a quota is passed on {key}" for key in passed]
    for rater in raters:
        wrong += [f"{w}: {written[w]} rows" for w in rater.saved if written[w] != 1]
    said = {w: rater for rater in raters for w in [*rater.saved, rater.open]}
    for row in rows:
        whose, pair_id, _ = map(int, TOKEN.fullmatch(row.reason.encode()).groups())  # type: ignore[union-attr]
        crossed = row.person_id != f"rater-{whose}" or number[pair_id] != (row.query_id, row.doc_id)
        if crossed or row.reason not in said:
            wrong.append(f"{row.reason} stands under {row.person_id}, {row.query_id} {row.doc_id}")
    for rater in raters:
        seen = {int(who) for frame in rater.session.frames for who, _, _ in TOKEN.findall(frame)}
        wrong += [f"rater {rater.number} was sent words of {who}" for who in seen - {rater.number}]
    return wrong


def spread(took: list[float]) -> dict[str, Any]:
    """Median and 95th percentile, None without a figure."""
    ordered = sorted(took)
    if not ordered:
        return {"p50": None, "p95": None, "n": 0}
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"p50": round(statistics.median(ordered), 1), "p95": round(p95, 1), "n": len(ordered)}


def _ratio(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else round(value / base, 2)


def measure(wanted: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """One run; returns its figures and what went wrong."""
    import harness

    workspace = build(folder / "w", wanted.raters)
    bare = folder / "empty.py"
    bare.write_text("import streamlit as st\n\nst.write('empty')\n")
    port, twin = harness.free_port(), harness.free_port()
    serve = [sys.executable, "-m", "labelkit.cli", "serve", "--port", str(port)]
    serve += ["--workspace", str(workspace.path)]
    other = [sys.executable, "-m", "streamlit", "run", str(bare), "--server.headless=true"]
    other += ["--server.address=127.0.0.1", f"--server.port={twin}"]
    name = f"labelkit_{identity.workspace_tag(workspace)}"
    raters = [
        Rater(n, Session(port, "label", cookie(name, f"rater-{n}"))) for n in range(wanted.raters)
    ]
    empties = [Session(twin) for _ in range(wanted.raters)]
    control: list[float] = []
    with process(serve, port, folder) as server, process(other, twin, folder):
        beside = threading.Thread(
            target=browser, args=(workspace, port, wanted.seconds, wanted.every, control)
        )
        if wanted.browser:
            beside.start()
        empty, each = asyncio.run(load(raters, empties, wanted.seconds, wanted.every, server.pid))
        if wanted.browser:
            beside.join()
    save = spread([took for rater in raters for took in rater.took])
    blank = spread(empty)
    return {
        "raters": wanted.raters,
        "seconds": wanted.seconds,
        "every": wanted.every,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "save": save,
        "empty": blank,
        "ratio_p50": _ratio(save["p50"], blank["p50"]),
        "ratio_p95": _ratio(save["p95"], blank["p95"]),
        "browser": spread(control),
        "mb_per_session": round(each, 2),
        "saves": sum(len(rater.saved) for rater in raters),
        "wrong": check(workspace, raters),
    }


def main() -> None:
    """Print the figures; exit 1 where something fell short."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--raters", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--every", type=float, default=5)
    parser.add_argument("--no-browser", dest="browser", action="store_false")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(parser.parse_args(), Path(folder))
    for what in ("save", "empty", "browser"):
        one = found[what]
        print(f"{what:8} p50 {one['p50']} ms, p95 {one['p95']} ms, n {one['n']}")
    print(f"save to empty: {found['ratio_p50']} (p50), {found['ratio_p95']} (p95), goal {GOAL}")
    print(f"memory: {found['mb_per_session']} MB per session; {found['saves']} saves")
    for fault in found["wrong"][:20]:
        print(f"wrong: {fault}")
    print(json.dumps(found))
    ratio = found["ratio_p95"]
    sys.exit(1 if found["wrong"] or ratio is None or ratio > GOAL else 0)


if __name__ == "__main__":
    main()
