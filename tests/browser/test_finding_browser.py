"""Find a document in a real browser: by keyboard alone, without harm to what is typed below."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import harness
import pytest
import samples

from labelkit.judging import finding
from labelkit.model import Document
from labelkit.store import Workspace, documents, pairs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SNOW = Document("snow", "Winter <b>report</b>", "Snow falls *all night* on the mountains. " * 30)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A project with one document that nobody pooled, and its index."""
    workspace = samples.judged_from_scratch(
        tmp_path_factory.mktemp("find") / "workspace", documents_per_query=1
    )
    with workspace.writing() as db:
        documents.save(db, [SNOW])
    finding.build(workspace, {}, lambda done, total, message: None)
    return workspace


@pytest.fixture(scope="module")
def server(workspace: Workspace, browser: Browser) -> Iterator[harness.Server]:
    """A server with a page of its own."""
    running = harness.Server(workspace.path, script=str(Path(__file__).with_name("find_page.py")))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def page(context: BrowserContext, server: harness.Server, workspace: Workspace) -> Page:
    """The page as Bo sees it."""
    harness.known_as(context, server, workspace, "bo-rater")
    page = context.new_page()
    harness.open_page(page, server.url)
    return page


def origin(workspace: Workspace) -> str | None:
    """How the pair came into the pool, or None where it is not in it."""
    with workspace.reading() as db:
        pair = pairs.find(db, "q1", "snow")
        if pair is None:
            return None
        row = db.execute("select origin from pairs where pair_id = ?", (pair.pair_id,)).fetchone()
        return str(row[0])


def test_a_document_is_found_as_one_types_and_added_by_keyboard(
    page: Page, workspace: Workspace
) -> None:
    """f, words, Tab, Enter: the cursor is in the field, and no Enter is needed to search."""
    page.keyboard.press("f")
    field = page.get_by_label("Words of the document")
    field.wait_for()
    page.wait_for_function("document.activeElement.ariaLabel === 'Words of the document'")
    page.keyboard.type("snow mount", delay=20)
    page.get_by_role("dialog").get_by_text("Winter <b>report</b>").first.wait_for()
    assert page.locator("[role=dialog] mark").first.inner_text() == "Snow"
    add = page.get_by_role("button", name="Add “Winter <b>report</b>” to this query")
    for _ in range(5):
        if add.evaluate("it => it === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("is added: it comes up").wait_for()
    assert origin(workspace) == "hand"
    page.keyboard.press("Enter")
    page.get_by_text("among this query's documents already").wait_for()
    for word in ("score", "rank", "bm25", "wordllama", "judged by"):
        assert word not in page.get_by_role("dialog").inner_text().lower()


def test_a_typed_reason_outlives_opening_searching_and_closing(page: Page) -> None:
    """The text area keeps what was not yet sent; Esc closes; f opens again."""
    reason = page.get_by_label("Reason")
    reason.click()
    page.keyboard.type("half a sentence")
    page.get_by_role("button", name="Find a document").click()
    page.get_by_label("Words of the document").fill("snow")
    page.get_by_text("Snow falls *all night*").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    harness.idle(page)
    assert reason.input_value() == "half a sentence"
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("f")
    page.get_by_role("dialog").wait_for()


def test_no_key_acts_on_the_page_behind(page: Page) -> None:
    """Neither from the field nor from a button, where Streamlit's shortcuts would; f closes."""
    page.keyboard.press("f")
    page.wait_for_function("document.activeElement.ariaLabel === 'Words of the document'")
    page.keyboard.press("Control+Enter")
    page.get_by_role("dialog").get_by_role("button", name="Close").focus()
    page.keyboard.press("g")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(300)
    harness.idle(page)
    assert page.get_by_text("ran", exact=True).count() == 0
    page.keyboard.press("f")
    page.get_by_role("dialog").wait_for(state="detached")
    page.keyboard.press("g")
    page.get_by_text("ran", exact=True).wait_for()


def test_a_run_of_the_page_does_not_close_the_dialog(page: Page) -> None:
    """What the page itself sends meanwhile, as a timer does, leaves it open."""
    page.keyboard.press("f")
    page.get_by_role("dialog").wait_for()
    harness.idle(page)
    page.evaluate("document.querySelector('.st-key-lk_run button').click()")
    page.get_by_text("ran", exact=True).wait_for(state="attached")
    harness.idle(page)
    assert page.get_by_role("dialog").is_visible()


def test_a_phone_shows_it_whole(page: Page) -> None:
    """Nothing is wider than 390 px."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Find a document").click()
    page.get_by_label("Words of the document").fill("snow mountains")
    page.get_by_text("Snow falls *all night*").first.wait_for()
    harness.idle(page)
    wide = page.evaluate("document.querySelector('[role=dialog]').getBoundingClientRect().right")
    assert wide <= 390
