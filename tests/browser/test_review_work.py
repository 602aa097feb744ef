"""Reviewing drafts in a real browser: keys, chips, the passage in view, two people, a phone."""

from __future__ import annotations

from collections.abc import Iterator

import harness
import measured
import pytest
import samples
from playwright.sync_api import Browser, Page
from test_access import faults

from labelkit import drafting
from labelkit.model import Document, Query, QuerySource, QueryState
from labelkit.store import Workspace, documents, drafts, queries

WORDING = "The query, as a user would type it"
RUN = "يكتب المترجم ملفا مضغوطا بجانب كل وحدة"
SENTENCE = "هذه جملة طويلة لا تقول شيئا عن السؤال، وهي هنا لتملأ الصفحة. "
LONG = f"{SENTENCE * 160}\n\n{RUN} مستوردة.\n\n{SENTENCE * 160}"
BOLD = "**bold** <script>document.title = 'broken'</script> copy of the rows"
READING = 500
"""Milliseconds that somebody looks at a draft before a key decides on it."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The three drafts, then one lifted from the middle of a long Arabic document."""
    workspace = measured.drafted(tmp_path_factory.mktemp("review") / "workspace")
    finding = {"name": "answered elsewhere", "evidence": "bold as well", "doc_id": "bold"}
    long = Query(
        "d4.long", f"كيف {RUN}", QuerySource.SYNTHETIC, QueryState.DRAFT, source_doc_id="long"
    )
    with workspace.writing() as db:
        documents.save(db, [Document("long", "وثيقة طويلة", LONG), Document("bold", "Bold", BOLD)])
        queries.save(db, [long])
        drafts.save_findings(db, [("d4.long", long.text, [finding])])
    return workspace


@pytest.fixture(scope="module")
def reviewing(project: Workspace, browser: Browser) -> Iterator[harness.Server]:
    """A server on that project."""
    with harness.serving(project.path) as running:
        yield running


def opened(browser: Browser, server: harness.Server, query: str = "", phone: bool = False) -> Page:
    """The Review page as the lead, in a browser of its own."""
    size = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 900}
    context = browser.new_context(viewport=size)  # type: ignore[arg-type]
    context.set_default_timeout(10_000)
    page = context.new_page()
    harness.open_page(page, f"{server.url}/review{query}")
    harness.sign_in(page, samples.LEAD)
    page.wait_for_timeout(READING)
    return page


def in_view(page: Page, selector: str) -> bool:
    """Whether an element lies within its own pane as it is scrolled now."""
    return bool(
        page.evaluate(
            """selector => {
              const mark = document.querySelector(selector).getBoundingClientRect();
              const pane = document.querySelector(selector).closest('.lk-pane')
                .getBoundingClientRect();
              return mark.top >= pane.top && mark.bottom <= pane.bottom;
            }""",
            selector,
        )
    )


@pytest.mark.parametrize("phone", [False, True])
def test_the_copied_words_of_a_long_arabic_document_are_in_view(
    browser: Browser, reviewing: harness.Server, phone: bool
) -> None:
    """20,000 characters; the pane is scrolled, the rival opens beside it, nothing in it runs."""
    assert len(LONG) > 19_000
    page = opened(browser, reviewing, "?draft=d4.long", phone)
    assert in_view(page, "mark.lk-copied")
    assert page.locator("mark.lk-copied").inner_text() == RUN
    found = {"draft": faults(page)}
    page.keyboard.press("o")
    page.get_by_text("answers it as well?").wait_for()
    harness.idle(page)
    assert page.get_by_role("region", name="Document bold").inner_text() == BOLD
    assert page.title() != "broken"
    page.keyboard.press("x")
    page.get_by_role("button", name="nobody would type this").wait_for()
    harness.idle(page)
    found["beside, causes"] = faults(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert found == {"draft": [], "beside, causes": []}
    page.context.close()


def test_the_whole_path_by_keyboard(
    browser: Browser, reviewing: harness.Server, project: Workspace
) -> None:
    """Chips, beside, next, previous, edit, accept, undo (held), reject by number."""
    page = opened(browser, reviewing)
    wording = page.get_by_label(WORDING)
    page.keyboard.press("n")
    page.get_by_text("draft d2.lifted").wait_for()
    harness.idle(page)
    chip = page.locator("details.lk-why summary").first
    evidence = page.get_by_text("of its content words stand in the document")
    chip.focus()
    page.keyboard.press("Enter")
    evidence.wait_for(state="hidden")
    page.keyboard.press("Enter")
    evidence.wait_for()
    page.keyboard.press("p")
    page.get_by_text("draft d1.natural").wait_for()
    harness.idle(page)
    page.wait_for_timeout(READING)
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" naxupo 127")  # no key acts while somebody types
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Accept as edited").wait_for()
    harness.idle(page)
    assert drafting.reviewed(project).accepted == 0
    page.keyboard.press("a")
    page.get_by_text("Accepted d1.natural").wait_for()
    harness.idle(page)
    page.keyboard.down("u")
    for _ in range(15):
        page.wait_for_timeout(30)
        page.keyboard.down("u")
    page.keyboard.up("u")
    page.get_by_text("Taken back: d1.natural").wait_for()
    harness.idle(page)
    assert wording.input_value() == measured.DRAFTS["d1.natural"]
    assert drafting.reviewed(project).waiting == 4
    page.wait_for_timeout(READING)
    page.keyboard.press("x")
    page.get_by_role("button", name="nobody would type this").wait_for()
    harness.idle(page)
    page.keyboard.press("3")
    page.get_by_text("Rejected d1.natural: copies the document's words").wait_for()
    harness.idle(page)
    assert drafting.reviewed(project).rejected == 1
    page.keyboard.press("u")
    page.get_by_text("Taken back: d1.natural").wait_for()
    assert drafting.reviewed(project).waiting == 4
    page.context.close()


def test_two_reviewers_on_one_draft(
    browser: Browser, reviewing: harness.Server, project: Workspace
) -> None:
    """One decision; the second is told and goes on elsewhere; a double click decides once."""
    first, second = (opened(browser, reviewing, "?draft=d3.generic") for _ in range(2))
    first.get_by_role("button", name="Accept").dblclick()
    first.get_by_text("Accepted d3.generic").wait_for()
    harness.idle(first)
    second.keyboard.press("a")
    second.get_by_text("Somebody else decided on d3.generic").wait_for()
    harness.idle(second)
    following, elsewhere = (one.get_by_text("of 3", exact=False).first for one in (first, second))
    assert following.inner_text() != elsewhere.inner_text()
    assert drafting.reviewed(project).accepted == 1
    first.context.close()
    second.context.close()


def test_a_sample_is_drawn_read_and_the_rest_held(
    browser: Browser, reviewing: harness.Server, project: Workspace
) -> None:
    """One of the three that wait, by the lead; the two others are held with a reason."""
    page = opened(browser, reviewing)
    page.get_by_text("Spot-check", exact=True).click()
    page.get_by_role("button", name="Draw", exact=True).click()
    page.get_by_text("1 draft drawn").wait_for()
    harness.idle(page)
    page.wait_for_timeout(READING)
    page.keyboard.press("a")
    page.get_by_role("heading", name="The sample is read").wait_for()
    harness.idle(page)
    page.get_by_label("Why (one sentence").fill("One is too few to go by.")
    page.get_by_role("button", name="Hold 2 drafts").click()
    page.get_by_text("2 drafts held").wait_for()
    harness.idle(page)
    assert faults(page) == []
    counts = drafting.reviewed(project)
    assert (counts.accepted, counts.held, counts.waiting) == (2, 2, 0)
    page.context.close()
