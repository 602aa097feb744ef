"""The document on the Label page: searched, marked as evidence, and never pushed off the screen."""

from __future__ import annotations

from collections.abc import Iterator

import harness
import pytest
import samples
from playwright.sync_api import BrowserContext, Page
from raters import Rater, start_rater

from labelkit.model import Document, Judgment, Query, QuerySource, Turn
from labelkit.rubric import STARTER, Rubric
from labelkit.store import Workspace, judgments, pairs

PHRASE = "الخطوة الحاسمة هي كتابة صف العناوين"
ARABIC = "يقرأ البرنامج الملف سطرا بعد سطر ثم يكتب النتيجة في ملف جديد. "
LONG_WORD = "x" * 3000
TEXT = "\n".join(
    [
        "🚀👩‍🚀 إلى القمر 🌍",
        *[ARABIC * 6] * 30,
        f"{PHRASE} قبل الصفوف.",
        *[ARABIC * 6] * 25,
        LONG_WORD,
        "如何读取压缩文件。 ファイルを読む方法。",
        "<b>not bold</b> **nor this** <script>window.hacked = 1</script>\r\n\tdef f(): return 1",
    ]
)
TURNS = tuple(Turn("user", "and what about the header, please? " * 20) for _ in range(30))
QUERY = Query(
    "q1",
    "كيف أكتب صف العناوين " * 60,
    QuerySource.CONVERSATION,
    turns=TURNS,
    information_need="Keep the header row. " * 40,
)
ENDS_ABOVE_THE_FORM = """
  document.querySelector(".lk-pane").getBoundingClientRect().bottom
    <= document.querySelector("[data-testid=stBottom]").getBoundingClientRect().top
"""
STRICT = Rubric(1, STARTER.title, STARTER.levels, STARTER.rules, evidence_required=True)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One very long pair that wants evidence and five raters."""
    made = samples.one_pair(
        tmp_path_factory.mktemp("long") / "workspace", QUERY, Document("d1", "دليل", TEXT), STRICT
    )
    with made.writing() as db:
        pair = pairs.find(db, "q1", "d1")
        assert pair is not None
        pairs.raise_quota(db, [pair.pair_id], 5)
    return made


@pytest.fixture
def rater(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    server: harness.Server,
    workspace: Workspace,
) -> Iterator[Rater]:
    """A rater for whom the pair is free again when the test is over."""
    made = start_rater(context, server, workspace, request.node.name)
    yield made
    with workspace.writing() as db:
        pair = pairs.find(db, "q1", "d1")
        assert pair is not None
        pairs.release(db, pair.pair_id, made.person_id)


def saved(rater: Rater) -> Judgment:
    """The one judgment of this rater."""
    with rater.workspace.reading() as db:
        [judgment] = judgments.recent_of(db, rater.person_id, 5)
    return judgment


def find(page: Page, words: str) -> None:
    """Search by keyboard: / goes to the search, Enter on, Esc back to the document."""
    page.keyboard.press("/")
    page.keyboard.type(words)


def marked(page: Page, number: int) -> None:
    """Wait until so many passages are listed as evidence."""
    page.wait_for_function(
        f"document.querySelectorAll('ul.lk-evidence li').length === {number}", timeout=5000
    )


def test_evidence_in_a_long_arabic_document_by_keyboard_alone(rater: Rater) -> None:
    """Emoji stand before it: the offsets are characters of the stored text all the same.

    A level above 0 without evidence is refused here, because the rubric asks for it.
    """
    page = rater.page
    rater.choose(2, "It names the step.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("This rubric wants evidence for level 2").wait_for()
    page.keyboard.press("Escape")
    find(page, PHRASE)
    page.get_by_text("1 of 1", exact=True).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    marked(page, 1)
    rater.idle()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Nothing to judge now").wait_for()
    [span] = saved(rater).evidence
    assert (span.start, span.quote) == (TEXT.index(PHRASE), PHRASE)
    assert TEXT[span.start : span.end] == PHRASE
    active = saved(rater).active_seconds
    assert active is not None
    assert 0.1 < active < 60


def test_evidence_by_mouse_several_passages_and_one_removed(rater: Rater) -> None:
    """A drag and a double click mark two passages, one is removed; a refresh keeps the other."""
    page = rater.page
    box = page.locator(".lk-pane .lk-text").bounding_box()
    assert box is not None
    line = box["y"] + 12 + 24
    page.mouse.move(box["x"] + box["width"] - 20, line)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 300, line, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Mark as evidence").click()
    marked(page, 1)
    page.mouse.dblclick(box["x"] + box["width"] - 40, line + 72)
    page.keyboard.press("e")
    marked(page, 2)
    page.get_by_role("button", name="Remove the evidence").first.click()
    marked(page, 1)
    quote = page.locator(".lk-quoted").inner_text().strip("“”")
    page.reload()
    rater.ready()
    marked(page, 1)
    rater.choose(1, "It points there.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Nothing to judge now").wait_for()
    [span] = saved(rater).evidence
    assert span.quote == quote
    assert TEXT[span.start : span.end] == quote


def test_a_run_of_the_page_leaves_what_is_being_selected(rater: Rater) -> None:
    """A level is chosen and its draft kept while a passage stands selected: e marks it still."""
    page = rater.page
    box = page.locator(".lk-pane .lk-text").bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] - 40, box["y"] + 108)
    selected = page.evaluate("getSelection().toString().trim()")
    assert selected
    rater.level(1).dispatch_event("click")  # without the pointer, which would end the selection
    rater.shows_level("1 helps")
    rater.idle()
    assert page.evaluate("getSelection().toString().trim()") == selected
    page.keyboard.press("e")
    marked(page, 1)
    rater.idle()
    page.get_by_role("button", name="Remove the evidence").click()
    page.wait_for_function("document.querySelector('ul.lk-evidence').hidden")
    rater.idle()


def test_cause_evidence_and_words_survive_refresh_and_a_second_tab(
    rater: Rater, context: BrowserContext
) -> None:
    """A cause, its reason and a passage come back; a second tab takes over what the first kept."""
    page = rater.page
    other = context.new_page()
    harness.open_page(other, f"{rater.server.url}/label")
    page.bring_to_front()
    page.keyboard.press("x")
    page.get_by_role("button", name="document unreadable").click()
    page.get_by_text("Cause: document unreadable or cut").wait_for()
    rater.reason.fill("Half of it is one word.")
    page.keyboard.press("Escape")
    find(page, PHRASE)
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    marked(page, 1)
    page.wait_for_timeout(100)
    page.reload()
    page.get_by_text("Cause: document unreadable or cut").wait_for()
    marked(page, 1)
    rater.idle()
    assert rater.reason.input_value() == "Half of it is one word."
    other.bring_to_front()
    other.get_by_role("button", name="Undo").click()
    other.get_by_text("Cause: document unreadable or cut").wait_for()
    marked(other, 1)
    harness.idle(other)
    second = Rater(other, rater.workspace, rater.server, rater.name)
    assert second.reason.input_value() == "Half of it is one word."


def test_long_query_and_turns_push_nothing_off_the_screen(rater: Rater) -> None:
    """On a desktop, at 200 % and on a phone: levels, reason, Save, rubric and document in view."""
    page = rater.page
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function(ENDS_ABOVE_THE_FORM)
    for width, height in ((1280, 900), (640, 450), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(250)
        rubric = page.get_by_role("button", name="Rubric", exact=True)
        for part in (*map(rater.level, (0, 1, 2)), rater.reason, rater.save, rubric):
            box = part.bounding_box()
            assert box is not None
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= height, (width, part)
            assert box["x"] + box["width"] <= width, (width, part)
        query = page.locator("h1.lk-query").bounding_box()
        pane = page.locator(".lk-pane").bounding_box()
        form = page.get_by_test_id("stBottom").bounding_box()
        assert query is not None
        assert pane is not None
        assert form is not None
        assert 0 <= query["y"] < pane["y"]
        assert form["y"] - pane["y"] >= 90, (width, "too little of the document")
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_document_stands_letter_by_letter_and_runs_nothing(rater: Rater) -> None:
    """Carriage returns, tabs, emoji, markup and a word of 3,000 letters: the text as stored."""
    page = rater.page
    assert page.evaluate("document.querySelector('.lk-pane .lk-text').textContent") == TEXT
    assert page.evaluate("window.hacked") is None
    assert page.locator(".lk-pane :is(b, script)").count() == 0
    pane = "document.querySelector('.lk-pane')"
    assert not page.evaluate(f"{pane}.scrollWidth > {pane}.clientWidth + 1")
