"""A new rater in a real browser: warm-up with feedback, quiz failed and passed, real pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import harness
import pytest
import samples
from test_access import faults

from labelkit import judging
from labelkit.judging import quiz, warm_up
from labelkit.judging.quiz import QuizRule
from labelkit.store import Workspace, pairs, people

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NEW = "Nora New"
AGREED_BY = ("Cy Rater", "Di Rater")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Thirty pairs on which two people agree; a warm-up and a quiz stand before the others."""
    workspace = samples.judged_from_scratch(
        tmp_path_factory.mktemp("training") / "workspace", documents_per_query=6
    )
    with workspace.writing() as db:
        pairs.raise_quota(db, range(1, 31), 2)
    raters = [people.add(workspace, name, ["rater"]).person_id for name in AGREED_BY]
    for person in raters:
        _agree(workspace, person)
    warm_up.set_up(workspace, "ann-lead")
    quiz.require(workspace, "ann-lead", QuizRule(size=6), trusted=raters)
    people.add(workspace, NEW, ["rater"])
    return workspace


def _agree(workspace: Workspace, person: str) -> None:
    while isinstance(task := judging.claim(workspace, person), judging.Task):
        if task.pair_id > 30:
            judging.judge_later(workspace, person, task.pair_id)
        else:
            judging.record(
                workspace,
                person,
                task.pair_id,
                level=task.pair_id % 3,
                reason="It says so.",
                seconds_on_screen=2.0,
            )


@pytest.fixture(scope="module")
def served(trained: Workspace, browser: Browser) -> Iterator[harness.Server]:
    """A server on that project."""
    with harness.serving(trained.path) as running:
        yield running


def agreed_level(workspace: Workspace, page: Page) -> int:
    """The agreed level of the pair on screen."""
    item = _item(page)
    with workspace.reading() as db:
        row = db.execute("select level from training_items where item_id = ?", (item,)).fetchone()
    return int(row[0])


def _item(page: Page) -> int:
    start = "st-key-lk_reason_training_"
    classes = page.locator(f"[class*='{start}']").get_attribute("class") or ""
    return next(int(c.removeprefix(start)) for c in classes.split() if c.startswith(start))


def answer(page: Page, level: int) -> None:
    """Press the level's key, write why, save: by keyboard alone; the pair leaves the screen."""
    item = _item(page)
    mark = "document.documentElement.dataset.labelkitReady"
    page.wait_for_function(
        f"{mark} === 'lk_reason_training_{item}' || "
        f"({mark} && document.querySelector(`.st-key-${{{mark}}} textarea`) !== null)"
    )
    page.wait_for_timeout(420)
    page.keyboard.press(str(level))
    page.get_by_text(f"Your level: {level}", exact=False).wait_for()
    page.keyboard.type("It says so in words.")
    page.keyboard.press("Control+Enter")
    page.locator(f".st-key-lk_reason_training_{item}").wait_for(state="detached")
    harness.idle(page)


def test_warm_up_then_a_quiz_failed_and_passed_then_real_pairs(
    context: BrowserContext, served: harness.Server, trained: Workspace
) -> None:
    harness.known_as(context, served, trained, "nora-new")
    page = context.new_page()
    harness.open_page(page, f"{served.url}/label")
    page.get_by_role("button", name="Begin the warm-up").click()
    harness.idle(page)
    for number in range(6):
        page.get_by_text(f"pair {number + 1} of 6").wait_for()
        told = agreed_level(trained, page)
        answer(page, told if number else (told + 1) % 3)
        page.get_by_text("Agreed: ", exact=False).wait_for()
        page.keyboard.press("n")
        harness.idle(page)
    page.get_by_text("5 of 6 as agreed", exact=False).wait_for()
    page.get_by_role("button", name="Go on").click()
    harness.idle(page)

    page.get_by_role("button", name="Begin the quiz").click()
    harness.idle(page)
    for _ in range(6):
        assert page.get_by_text("Agreed: ", exact=False).count() == 0
        answer(page, (agreed_level(trained, page) + 1) % 3)
    page.get_by_role("heading", name="Not passed yet").wait_for()
    assert page.get_by_text("because: It says so.", exact=False).count() == 6

    page.get_by_role("button", name="Try again").click()
    harness.idle(page)
    answer(page, agreed_level(trained, page))
    harness.open_page(page, page.url)  # a refresh in the middle goes on where it was
    for _ in range(5):
        answer(page, agreed_level(trained, page))
    page.get_by_role("heading", name="Quiz passed").wait_for()
    page.get_by_role("button", name="Go on to the pairs").click()
    harness.idle(page)
    page.get_by_text("Your level: none yet").wait_for()
    assert judging.recent(trained, "nora-new") == []
    assert page.locator("[class*='st-key-lk_reason_training_']").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_on_the_pages_of_training_keeps_anybody_out(
    browser: Browser, served: harness.Server, trained: Workspace, scheme: str
) -> None:
    made = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    made.set_default_timeout(10_000)
    person = people.add(trained, f"Viewer {scheme}", ["rater"]).person_id
    harness.known_as(made, served, trained, person)
    page = made.new_page()
    harness.open_page(page, f"{served.url}/label")
    page.get_by_role("button", name="Begin the warm-up").click()
    harness.idle(page)
    assert faults(page) == []
    answer(page, 1)
    assert faults(page) == []
    harness.known_as(made, served, trained, "ann-lead")
    harness.open_page(page, f"{served.url}/training")
    assert faults(page) == []
    made.close()
