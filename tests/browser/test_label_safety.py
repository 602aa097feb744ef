"""Nothing typed or chosen is lost, doubled or crossed."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import harness
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, WebSocketRoute
from raters import Rater, start_rater

from labelkit.store import Workspace

SENTENCE = "It explains the header row, 2 of 3 steps."


def test_refresh_keeps_what_was_just_typed(rater: Rater) -> None:
    """A refresh a moment after the last key keeps level, reason and the person's name."""
    pair = rater.pair()
    rater.choose(0, SENTENCE)
    rater.page.keyboard.type(" More")
    rater.page.wait_for_timeout(100)
    rater.page.reload()
    rater.shows_level("0 does not help")
    rater.idle()
    assert rater.pair() == pair
    assert rater.reason.input_value() == f"{SENTENCE} More"
    rater.page.keyboard.press("Control+Enter")
    rater.next_pair(pair)
    assert [(j.level, j.reason) for j in rater.judgments()] == [(0, f"{SENTENCE} More")]


def test_typing_across_autosaves_keeps_every_letter_and_the_caret(rater: Rater) -> None:
    """Slow typing is saved on the way; no letter is lost and the caret stays in the middle."""
    rater.choose(1, "begin end")
    rater.page.wait_for_timeout(1200)
    for _ in range(4):
        rater.page.keyboard.press("ArrowLeft")
    for word in (" one", " two"):
        rater.page.keyboard.type(word)
        rater.page.wait_for_timeout(1000)
    rater.idle()
    assert rater.reason.input_value() == "begin one two end"
    draft = _draft(rater)
    assert draft == (1, "begin one two end")


def _draft(rater: Rater) -> tuple[int | None, str]:
    from labelkit.store import label_drafts

    with rater.workspace.reading() as db:
        draft = label_drafts.get(db, rater.person_id, int(rater.pair().rsplit("_", 1)[1]))
    assert draft is not None
    return draft.level, draft.reason


def test_two_tabs_of_one_person_give_one_judgment(rater: Rater, context: BrowserContext) -> None:
    """The second tab says that its pair was finished, and saves nothing of its own."""
    pair = rater.pair()
    page = context.new_page()
    harness.open_page(page, f"{rater.server.url}/label")
    other = Rater(page, rater.workspace, rater.server, rater.name)
    assert other.pair() == pair
    rater.page.bring_to_front()
    rater.judge(2, "Saved in the first tab.")
    page.bring_to_front()
    other.reason.fill("Typed in the second tab.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("finished in another tab").wait_for()
    assert [j.reason for j in rater.judgments()] == ["Saved in the first tab."]
    assert other.reason.input_value() == ""


def test_next_person_on_the_same_computer_finds_no_text(rater: Rater) -> None:
    """Changing the person clears what the browser kept, and the name."""
    rater.choose(1, "Private words")
    rater.page.get_by_role("button", name="Change person").click()
    rater.page.get_by_text("Who are you?").wait_for()
    rater.idle()
    kept = "Object.keys(localStorage).filter(key => key.startsWith('labelkit:'))"
    rater.page.wait_for_function(f"{kept}.length === 0")
    rater.page.reload()
    rater.page.get_by_text("Who are you?").wait_for()


def test_second_rater_sees_nothing_of_the_first(rater: Rater, browser: Browser) -> None:
    """No name, level or reason of another rater is in the second rater's page."""
    rater.judge(2, "A secret reason.")
    context = browser.new_context()
    second = start_rater(context, rater.server, rater.workspace, "Second rater")
    assert "secret reason" not in second.page.content()
    assert rater.name not in second.page.content()
    context.close()


@pytest.fixture
def own_server(workspace: Workspace, browser: Browser) -> Iterator[harness.Server]:
    """A server that the test may kill."""
    with harness.serving(workspace.path) as running:
        yield running


def test_server_restart_keeps_level_and_words(
    context: BrowserContext, workspace: Workspace, own_server: harness.Server
) -> None:
    """After kill -9 and a new start the open page comes back by itself and the first save works."""
    rater = start_rater(context, own_server, workspace, "Restarted rater")
    pair = rater.pair()
    rater.choose(1, SENTENCE)
    rater.idle()
    rater.page.keyboard.press("Escape")
    rater.mark("dialect")
    rater.reason.press("End")
    rater.page.keyboard.type(" And more")
    own_server.stop(signal.SIGKILL)
    rater.page.keyboard.press("Escape")
    rater.mark("constructor")  # with nobody there to hear of it
    own_server.start()
    connected = "[data-testid='stApp'][data-test-connection-state='CONNECTED']"
    rater.page.wait_for_selector(connected, timeout=20_000)
    rater.page.wait_for_timeout(500)
    rater.shows_level("1 helps")
    rater.idle()
    assert rater.pair() == pair
    assert rater.reason.input_value() == f"{SENTENCE} And more"
    rater.page.wait_for_timeout(400)
    rater.save.click()
    rater.next_pair(pair)
    [saved] = rater.judgments()
    assert (saved.level, saved.reason) == (1, f"{SENTENCE} And more")
    assert [span.quote for span in saved.evidence] == ["constructor", "dialect"]


def test_dropped_connection_keeps_words_and_passages(
    rater: Rater,
) -> None:
    """The socket closes under a cause with half a reason: all of it is there when it is back."""
    sockets = []

    def relay(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    rater.page.route_web_socket(re.compile("/_stcore/stream"), relay)
    rater.page.reload()
    rater.ready()
    pair = rater.pair()
    rater.page.keyboard.press("x")
    rater.page.get_by_role("button", name="the rubric does not cover").click()
    rater.page.get_by_text("Cause: the rubric does not cover it").wait_for()
    rater.idle()
    rater.reason.click()
    rater.page.keyboard.type("Half a sen")
    sockets[-1].close()
    rater.page.keyboard.press("Escape")
    rater.mark("dialect")
    harness.idle(rater.page, quiet=0.6)
    rater.page.get_by_text("Cause: the rubric does not cover it").wait_for()
    assert rater.pair() == pair
    assert rater.reason.input_value() == "Half a sen"
    rater.page.reload()
    rater.page.locator("ul.lk-evidence li").wait_for()
    assert rater.reason.input_value() == "Half a sen"


def test_phone_shows_the_whole_form(
    browser: Browser, workspace: Workspace, server: harness.Server
) -> None:
    """On a phone levels, reason and Save are on screen before any scrolling, by touch alone."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    rater = start_rater(context, server, workspace, "Phone rater")
    for part in (*map(rater.level, (0, 1, 2)), rater.reason, rater.save):
        box = part.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    wider = rater.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wider
    pair = rater.pair()
    rater.level(1).tap()
    rater.shows_level("1 helps")
    assert _cuts_long_definitions(rater, 2)
    assert not _cuts_long_definitions(rater, 1)  # the chosen level shows all of its own
    _select_by_touch(rater, "current dialect")
    rater.page.get_by_role("button", name="Mark as evidence").tap()
    rater.page.locator("ul.lk-evidence li").wait_for()
    rater.reason.tap()
    rater.page.keyboard.type("Another topic.")
    rater.save.tap()
    rater.next_pair(pair)
    [saved] = rater.judgments()
    assert (saved.level, [span.quote for span in saved.evidence]) == (1, ["current dialect"])
    context.close()


def _cuts_long_definitions(rater: Rater, level: int) -> bool:
    """Whether a definition of five lines would be cut on this level's button."""
    return bool(
        rater.level(level)
        .locator("p")
        .evaluate(
            """shown => {
              const long = shown.cloneNode();
              long.textContent = "so many words ".repeat(20);
              shown.after(long);
              const cut = long.scrollHeight > long.clientHeight;
              long.remove();
              return cut;
            }"""
        )
    )


def _select_by_touch(rater: Rater, words: str) -> None:
    """What a long press with two handles leaves: a selection, and no key pressed."""
    rater.page.evaluate(
        """words => {
          const text = document.querySelector(".lk-pane .lk-text");
          const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
          let node;
          while ((node = walker.nextNode()) && !node.data.includes(words));
          const range = document.createRange();
          range.setStart(node, node.data.indexOf(words));
          range.setEnd(node, node.data.indexOf(words) + words.length);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }""",
        words,
    )


def test_html_and_markdown_are_shown_as_text_and_run_nothing(
    context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Query, need, title and document full of markup stand on the page letter by letter."""
    workspace = samples.hostile(tmp_path_factory.mktemp("hostile") / "workspace")
    with harness.serving(workspace.path) as server:
        page = context.new_page()
        harness.open_page(page, f"{server.url}/label")
        harness.sign_in(page, samples.RATER)
        assert page.locator(".lk-pane .lk-text").inner_text() == samples.HOSTILE
        assert page.locator("h1.lk-query").inner_text() == samples.HOSTILE
        assert page.evaluate("window.hacked") is None
        assert page.locator(".lk-pane img, .lk-pane a, .lk-pane script").count() == 0
