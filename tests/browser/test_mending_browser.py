"""A pair that could not be judged, in real browsers: stopped, mended, judged after all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import harness
import pytest
import samples
from playwright.sync_api import expect
from raters import start_rater

from labelkit import judging
from labelkit.judging import mending
from labelkit.model import Cause, Document, Query, QuerySource
from labelkit.store import Workspace, documents, pairs, people

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

LEAD = "ann-lead"
QUERY = Query("q1", "how do i keep it", QuerySource.LOG)
DOCUMENT = Document("d1", "csv", "Write the header first. " * 20)
SECOND = Document("d2", "perl", "print the header")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A single pair, and a lead who does not rate."""
    folder: Path = tmp_path_factory.mktemp("mend")
    workspace = samples.one_pair(folder / "workspace", QUERY, DOCUMENT)
    people.add(workspace, samples.LEAD, ["lead"])
    return workspace


@pytest.fixture
def lead(browser: Browser, server: harness.Server, workspace: Workspace) -> Iterator[Page]:
    """The lead's browser, as wide as a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(10_000)
    harness.known_as(context, server, workspace, LEAD)
    yield context.new_page()
    context.close()


def test_a_stopped_pair_is_mended_and_comes_back_to_its_rater(
    context: BrowserContext, lead: Page, server: harness.Server, workspace: Workspace
) -> None:
    """Cannot judge, then the lead rewords the query on a phone, then the same rater grades it."""
    rater = start_rater(context, server, workspace, "Cy Rater")
    task = judging.claim(workspace, rater.person_id)
    assert isinstance(task, judging.Task)
    judging.record(
        workspace, rater.person_id, task.pair_id, cause=Cause.QUERY_UNCLEAR,
        reason="Keep what, the header?", seconds_on_screen=3,
    )  # fmt: skip
    harness.open_page(rater.page, f"{server.url}/label")
    rater.page.get_by_role("heading", name="Nothing to judge now").wait_for()

    harness.open_page(lead, f"{server.url}/adjudicate?part=cannot")
    lead.get_by_text("Keep what, the header?").wait_for()
    assert lead.evaluate("document.documentElement.scrollWidth") <= 390
    lead.get_by_label("The query as it should read").fill("how do i keep the csv header")
    lead.get_by_label("Why, one sentence; it is recorded").fill("The rater could not tell.")
    lead.reload()
    wording = lead.get_by_label("The query as it should read")
    expect(wording).to_have_value("how do i keep the csv header")
    expect(lead.get_by_label("Why, one sentence")).to_have_value("The rater could not tell.")
    harness.idle(lead)
    lead.get_by_role("button", name="Save the new text").click()
    lead.get_by_text("1 pair is in the queue again").wait_for()

    harness.open_page(rater.page, f"{server.url}/label")
    rater.ready()
    rater.page.get_by_role("heading", name="how do i keep the csv header").wait_for()
    rater.choose(1, "It names the header.")
    rater.page.keyboard.press("Control+Enter")
    rater.page.get_by_role("heading", name="Nothing to judge now").wait_for()
    assert [(j.level, j.cause) for j in rater.judgments()] == [(1, None)]


def test_a_lead_s_note_stands_on_the_pair(
    context: BrowserContext, server: harness.Server, workspace: Workspace
) -> None:
    """Whoever judges a pair again reads what the lead wrote for them."""
    with workspace.writing() as db:
        documents.save(db, [SECOND])
        pairs.add(db, [("q1", SECOND.doc_id)], "pool")
    rater = start_rater(context, server, workspace, "Di Rater")
    task = judging.claim(workspace, rater.person_id)
    assert isinstance(task, judging.Task)
    judging.record(
        workspace, rater.person_id, task.pair_id, cause=Cause.RUBRIC_GAP,
        reason="It is another language.", seconds_on_screen=3,
    )  # fmt: skip
    mending.judge_anyway(workspace, LEAD, [task.pair_id], note="Perl counts as code, <b>too</b>.")
    harness.open_page(rater.page, f"{server.url}/label")
    rater.ready()
    told = "A lead's note on this pair: Perl counts as code, <b>too</b>."
    rater.page.get_by_text(told).wait_for()
