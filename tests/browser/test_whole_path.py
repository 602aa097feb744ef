"""From signing in to reading failures, in one browser on one fresh server."""

from __future__ import annotations

from pathlib import Path

import harness
import samples
from playwright.sync_api import Browser, BrowserContext, Page
from raters import Rater, start_rater

from labelkit import judging, releases
from labelkit.store import Workspace

SAMPLE = 4


def test_a_team_goes_from_first_label_to_failures(browser: Browser, tmp_path: Path) -> None:
    """A rater labels by keyboard, a second one blind; the lead settles, freezes and compares."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=2)
    with harness.serving(workspace.path) as server:
        first = _sign_in(browser, server, workspace)
        _label_safely(first)
        _label_the_rest(first)
        lead = _lead(browser, server)
        _draw_sample(lead, server)
        _label_again(browser, server, workspace)
        _label_a_third_time(browser, server, workspace)
        _settle(lead, server, workspace)
        _freeze(lead, server, workspace)
        _compare(lead, server)
        _read_failures(lead)


def _context(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(15_000)
    return context


def _sign_in(browser: Browser, server: harness.Server, workspace: Workspace) -> Rater:
    page = _context(browser).new_page()
    harness.open_page(page, f"{server.url}/label")
    harness.sign_in(page, samples.RATER)
    rater = Rater(page, workspace, server, samples.RATER)
    rater.ready()
    page.reload()
    rater.ready()
    assert page.get_by_text(samples.RATER).first.is_visible()
    return rater


def _label_safely(rater: Rater) -> None:
    """A held 2 selects and saves nothing; a refresh keeps the words; Ctrl+Enter saves once."""
    page, before = rater.page, rater.pair()
    for _ in range(10):
        page.keyboard.down("2")
        page.wait_for_timeout(30)
    page.keyboard.up("2")
    rater.shows_level("2 answers")
    page.keyboard.type("Says how the header row is written.")
    assert rater.judgments() == []
    page.wait_for_timeout(900)
    page.reload()
    rater.ready()
    rater.shows_level("2 answers")
    assert rater.reason.input_value() == "Says how the header row is written."
    rater.reason.press("Control+Enter")
    rater.next_pair(before)
    assert [(one.level, one.reason) for one in rater.judgments()] == [
        (2, "Says how the header row is written.")
    ]


def _label_the_rest(rater: Rater) -> None:
    for number in range(11):
        rater.judge(number % 3, f"Names step {number} of what was asked.")
    assert len(rater.judgments()) == 12
    rater.page.get_by_text("judged").first.wait_for()


def _lead(browser: Browser, server: harness.Server) -> Page:
    page = _context(browser).new_page()
    harness.open_page(page, server.url)
    harness.sign_in(page, samples.LEAD)
    return page


def _draw_sample(page: Page, server: harness.Server) -> None:
    harness.open_page(page, f"{server.url}/agreement")
    page.get_by_label("Pairs to draw").fill(str(SAMPLE))
    page.get_by_label("Pairs to draw").press("Tab")
    harness.idle(page)
    page.get_by_role("button", name="Draw a sample").click()
    harness.idle(page)


def _label_again(browser: Browser, server: harness.Server, workspace: Workspace) -> None:
    """The second rater sees none of the first one's words, and says 0 throughout."""
    second = start_rater(_context(browser), server, workspace, "Cy Second")
    for number in range(SAMPLE):
        assert "Names step" not in second.page.locator("body").inner_text()
        second.judge(0, f"Example {number} is about something else.")


def _label_a_third_time(browser: Browser, server: harness.Server, workspace: Workspace) -> None:
    """Where two gave 0 and 2 a third person is asked; until then the lead could be that one, and
    is kept from seeing the pair."""
    asked = [pair for pair in _quotas(workspace) if pair == 3]
    third = start_rater(_context(browser), server, workspace, "Dee Third") if asked else None
    for number in range(len(asked)):
        assert third is not None
        third.judge(0, f"Sample {number} answers another question.")


def _quotas(workspace: Workspace) -> list[int]:
    with workspace.reading() as db:
        return [row[0] for row in db.execute("select quota from pairs")]


def _settle(page: Page, server: harness.Server, workspace: Workspace) -> None:
    harness.open_page(page, f"{server.url}/adjudicate")
    differing = judging.count(judging.load(workspace)).pairs_unresolved
    assert differing > 0
    for number in range(differing):
        page.get_by_role("button", name="0 does not help").click()
        page.get_by_text("Final level: 0 does not help").wait_for()
        reason = page.get_by_label("Why this level is right")
        reason.fill(f"The example {number} leaves the question open.")
        reason.press("Control+Enter")
        _until_unresolved(page, workspace, differing - number - 1)
        harness.idle(page)


def _until_unresolved(page: Page, workspace: Workspace, wanted: int) -> None:
    """Wait until so many pairs are left; the message of the pair before looks the same."""
    for _ in range(100):
        if judging.count(judging.load(workspace)).pairs_unresolved == wanted:
            return
        page.wait_for_timeout(100)
    raise AssertionError("the pair was not settled")


def _freeze(page: Page, server: harness.Server, workspace: Workspace) -> None:
    harness.open_page(page, f"{server.url}/releases")
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text("Froze v1").wait_for()
    release = releases.load(releases.find(workspace, "v1"), workspace)
    assert sum(map(len, release.qrels.values())) == 12


def _compare(page: Page, server: harness.Server) -> None:
    harness.open_page(page, f"{server.url}/benchmark")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_text("Benchmark: completed.").wait_for(timeout=180_000)
    harness.idle(page)
    table = page.get_by_role("region", name="Candidates", exact=True)
    for name in ("bm25", "wordllama", "all-MiniLM-L6-v2"):
        table.get_by_text(name, exact=True).wait_for()


def _read_failures(page: Page) -> None:
    page.get_by_role("link", name="Read where they differ").click()
    page.get_by_role("heading", name="Where does one fail and the other not").wait_for()
    harness.idle(page)
    assert page.get_by_text("no answer exists").count()
    assert page.get_by_test_id("stException").count() == 0
