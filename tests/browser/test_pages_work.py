"""The lead's pages in a real browser: keys, text that is kept, jobs that go on, markup as text."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import harness
import measured
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, Page
from test_access import faults

from labelkit import drafting, jobs, judging
from labelkit.store import Workspace

PAGES = (
    "import", "queries", "review", "agreement", "adjudicate", "releases", "benchmark", "failures",
)  # fmt: skip
Opened = Callable[[Workspace, str], Page]


@pytest.fixture
def opened(context: BrowserContext) -> Iterator[Opened]:
    """Open a page as the lead on a server of its own."""
    servers: list[harness.Server] = []

    def open_page(workspace: Workspace, path: str) -> Page:
        server = harness.Server(workspace.path)
        server.start()
        servers.append(server)
        page = context.new_page()
        harness.open_page(page, f"{server.url}/{path}")
        harness.sign_in(page, samples.LEAD)
        return page

    yield open_page
    for server in servers:
        server.stop()


def test_review_by_keyboard(opened: Opened, tmp_path: Path) -> None:
    """A held "a" accepts one draft; e edits and a refresh keeps the words; x and a digit reject."""
    workspace = measured.drafted(tmp_path / "workspace")
    page = opened(workspace, "review")
    wording = page.get_by_label("The query, as a user would type it")
    first = measured.DRAFTS["d1.natural"]
    page.wait_for_timeout(500)
    page.keyboard.down("a")
    for _ in range(20):
        page.wait_for_timeout(30)
        page.keyboard.down("a")
    page.keyboard.up("a")
    page.get_by_text("Accepted d1.natural").wait_for()
    harness.idle(page)
    assert wording.input_value() == measured.DRAFTS["d2.lifted"] != first
    assert drafting.reviewed(workspace).accepted == 1
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("keep the header row, axe 1")
    page.wait_for_timeout(900)
    page.reload()
    harness.idle(page)
    page.wait_for_timeout(300)
    harness.idle(page)
    assert wording.input_value() == "keep the header row, axe 1"
    page.get_by_role("button", name="Accept as edited").click()
    page.get_by_text("Accepted d2.lifted").wait_for()
    harness.idle(page)
    page.wait_for_timeout(500)
    page.keyboard.press("x")
    page.get_by_role("button", name="nobody would type this").wait_for()
    page.keyboard.press("2")
    page.get_by_text("Every draft is decided on").wait_for()
    done = drafting.reviewed(workspace)
    assert (done.accepted, done.edited, done.rejected) == (2, 1, 1)


def test_adjudication_by_keyboard(opened: Opened, tmp_path: Path) -> None:
    """A held 0 selects and saves nothing; the reason survives a refresh; Ctrl+Enter saves once."""
    workspace = measured.judged(tmp_path / "workspace")
    page = opened(workspace, "adjudicate")
    reason = page.get_by_label("Why this level is right")
    page.keyboard.down("0")
    for _ in range(10):
        page.wait_for_timeout(30)
        page.keyboard.down("0")
    page.keyboard.up("0")
    page.get_by_text("Final level: 0 does not help").wait_for()
    harness.idle(page)
    assert reason.input_value() == ""
    assert judging.load(workspace).adjudications == ()
    page.keyboard.type("Names the call, 1 of 2 steps is missing.")
    page.wait_for_timeout(900)
    page.reload()
    harness.idle(page)
    page.wait_for_timeout(300)
    harness.idle(page)
    assert reason.input_value() == "Names the call, 1 of 2 steps is missing."
    page.keyboard.press("0")
    page.get_by_text("Final level: 0 does not help").wait_for()
    reason.press("Control+Enter")
    page.get_by_text("Settled:").wait_for()
    harness.idle(page)
    [settled] = judging.load(workspace).adjudications
    assert (settled.level, settled.reason) == (0, "Names the call, 1 of 2 steps is missing.")
    assert reason.input_value() == ""
    page.get_by_text("1 open, 0 of them 0 against 2; 1 settled.").wait_for()


def test_freeze_download_verify_tamper(opened: Opened, tmp_path: Path) -> None:
    """Refused with the reason; frozen by a rule; the zip is whole; a changed byte is named."""
    workspace = measured.judged(tmp_path / "workspace")
    page = opened(workspace, "releases")
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text("Cannot freeze 'v1': 2 of 18 pairs are unresolved").wait_for()
    page.get_by_role("combobox").first.click()
    page.get_by_role("option", name="the lowest level given").click()
    harness.idle(page)
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text("Froze v1").wait_for()
    harness.idle(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download (zip)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert "v1/qrels.txt" in archive.namelist()
        assert archive.testzip() is None
    with (workspace.releases / "v1" / "queries.jsonl").open("ab") as file:
        file.write(b" ")
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("queries.jsonl has changed").wait_for()


def test_benchmark_goes_on_without_its_tab_and_failures_read_it(
    opened: Opened, context: BrowserContext, tmp_path: Path
) -> None:
    """Started by a click, seen from a second tab after the first is closed, read to the end."""
    workspace = measured.frozen(tmp_path / "workspace")
    page = opened(workspace, "benchmark")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_text("It goes on when this page").wait_for()
    address = page.url.split("?")[0]
    page.close()
    assert jobs.running(workspace, "bench") is not None
    page = context.new_page()
    harness.open_page(page, address)
    # Not the word that it is completed: that is for a tab which saw it run, and this may be late.
    table = page.get_by_role("region", name="Candidates", exact=True)
    table.wait_for(timeout=120_000)
    harness.idle(page)
    for name in ("bm25", "wordllama", "wordllama-64", "all-MiniLM-L6-v2"):
        table.get_by_text(name, exact=True).wait_for()
    page.get_by_role("link", name="Read where they differ").click()
    page.get_by_role("heading", name="Where does one fail and the other not").wait_for()
    harness.idle(page)
    before = judging.count(judging.load(workspace)).pairs
    page.get_by_role("button", name="Send to the labeling queue").first.click()
    page.get_by_text("On the Label page now").wait_for()
    assert judging.count(judging.load(workspace)).pairs == before + 1


def test_running_job_can_be_cancelled(opened: Opened, tmp_path: Path) -> None:
    """Cancel ends the process; the run stays, is the one that is shown, and can go on."""
    workspace = measured.benched(tmp_path / "workspace")
    page = opened(workspace, "benchmark")
    page.get_by_text("Start a run", exact=True).click()
    page.get_by_role("button", name="Start the run").click()
    page.get_by_role("region", name="Candidates of the run at work").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Benchmark: cancelled").wait_for()
    [job] = jobs.list_jobs(workspace, "bench")
    assert job.state == "cancelled"
    page.get_by_role("button", name="Go on with this run").click()
    page.get_by_text("It goes on when this page").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Benchmark: cancelled").wait_for()
    again, first = jobs.list_jobs(workspace, "bench")
    assert again.arguments["out"] == first.arguments["out"]


def test_pooling_from_the_import_page(opened: Opened, tmp_path: Path) -> None:
    """A file comes in by upload; pooling runs as a job and its pairs appear by themselves."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=2)
    page = opened(workspace, "import?kind=queries")
    file = tmp_path / "more.jsonl"
    file.write_text('{"query_id": "q9", "text": "remove a temp dir"}\n', encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Import 1 query").click()
    page.get_by_text("more.jsonl: 1 query added").wait_for()
    page.get_by_text("1 of 7 accepted queries have none yet").wait_for()
    page.get_by_role("button", name="Pool the accepted queries").click()
    page.get_by_text("Pooling: completed.").wait_for(timeout=120_000)
    assert "q9" not in judging.load(workspace).unpooled_queries


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[harness.Server]:
    """A server on a project in which every text is full of markup."""
    workspace = measured.hostile_everywhere(tmp_path_factory.mktemp("hostile") / "workspace")
    with harness.serving(workspace.path) as running:
        yield running


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_page_fits_is_accessible_and_shows_markup_as_text(
    browser: Browser, hostile: harness.Server, name: str, scheme: str
) -> None:
    """At 390 px nothing sticks out, axe finds nothing serious, and no markup of others acts."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    harness.open_page(page, f"{hostile.url}/{name}")
    page.get_by_role("button", name="Ann Lead").click()
    page.get_by_role("button", name="Change person").wait_for(state="attached")
    harness.idle(page)
    assert page.get_by_test_id("stException").count() == 0
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert page.evaluate("window.hacked") is None
    main = page.get_by_test_id("stMain")
    assert main.locator("img, script, a[href*='example.org']").count() == 0
    if name in ("review", "adjudicate", "failures"):
        assert samples.HOSTILE.splitlines()[0] in main.inner_text()
    assert faults(page) == []
    context.close()
