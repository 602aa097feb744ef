"""A real Streamlit server and a real browser, for tests and screenshots."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from labelkit.store import Workspace
from labelkit.ui import identity

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BUSY = "[data-test-script-state='running'], [data-stale='true']"


class Server:
    """One `streamlit run` of app.py, or another script, on a workspace, in a fresh process."""

    def __init__(self, workspace: Path, port: int | None = None, script: str = "app.py") -> None:
        self.workspace = workspace
        self.script = script
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = workspace.parent / f"server-{self.port}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", self.script]
        command += ["--server.port", str(self.port), "--server.headless", "true"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "LABELKIT_WORKSPACE": str(self.workspace)},
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 30
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{self.log.read_text()}")
            time.sleep(0.1)

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End the process that `start` began, and no other."""
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1) as reply:
                return reply.status == 200
        except OSError:
            return False


@contextmanager
def serving(workspace: Path) -> Iterator[Server]:
    """A server for the length of a block."""
    server = Server(workspace)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chromium_path() -> str | None:
    """Where chromium is installed, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), args=BROWSER_ARGUMENTS
        )
        try:
            yield browser
        finally:
            browser.close()


def idle(page: Page, quiet: float = 0.15) -> None:
    """Wait until the page's script has drawn something and nothing has run for `quiet` seconds."""
    page.wait_for_selector("[data-testid='stApp'][data-test-connection-state='CONNECTED']")
    # Between the connection and its first run a busy server leaves the page empty and at rest.
    page.wait_for_selector(
        "[data-testid='stMain'] [data-testid='stElementContainer']", state="attached"
    )
    deadline, calm_since = time.monotonic() + 20, time.monotonic()
    while time.monotonic() - calm_since < quiet:
        state = page.get_attribute("[data-testid='stApp']", "data-test-script-state")
        if state not in ("notRunning", "stopped") or page.locator("[data-stale='true']").count():
            calm_since = time.monotonic()
        if time.monotonic() > deadline:
            raise TimeoutError(f"the page is still {state} after 20 s")
        page.wait_for_timeout(25)


def open_page(page: Page, url: str) -> None:
    """Go to an address and wait until its page has been drawn."""
    page.goto(url)
    page.wait_for_selector("[data-testid='stApp']")
    idle(page)


def fill(page: Page, label: str, value: str) -> None:
    """Type into the field of this label and leave it."""
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Tab")
    idle(page)


def press(page: Page, name: str) -> None:
    """Press a button and wait for the page."""
    page.get_by_role("button", name=name, exact=True).click()
    idle(page)


def known_as(context: BrowserContext, server: Server, workspace: Workspace, person: str) -> None:
    """Give the browser the cookie that an earlier sign-in would have left."""
    name = f"labelkit_{identity.workspace_tag(workspace)}"
    context.add_cookies([{"name": name, "value": quote(person, safe=""), "url": server.url}])


def sign_in(page: Page, name: str) -> None:
    """Pick a name from the list and wait for the page behind it."""
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("button", name="Change person").wait_for(state="attached")
    idle(page)
