"""Somebody on the Label page, as the tests see them: the page, and what the store has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import harness

from labelkit import judging
from labelkit.store import Workspace, people
from labelkit.store.people import person_id_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page


@dataclass
class Rater:
    """Somebody on the Label page, and what the store has of them."""

    page: Page
    workspace: Workspace
    server: harness.Server
    name: str

    @property
    def person_id(self) -> str:
        """The person's id."""
        return person_id_of(self.name)

    @property
    def reason(self) -> Locator:
        """The reason's text area."""
        return self.page.get_by_label("Reason, one sentence")

    @property
    def save(self) -> Locator:
        """The save button."""
        return self.page.get_by_role("button", name="Save", exact=False).first

    def level(self, level: int) -> Locator:
        """A level's button."""
        return self.page.locator(f"[class*='st-key-lk_choice_level_{level}_'] button")

    def shows_level(self, words: str) -> None:
        """Wait until the page says that this is the chosen level."""
        self.page.get_by_text(f"Your level: {words}", exact=True).wait_for()

    def choose(self, level: int, reason: str) -> None:
        """Press a level's key and write the reason, at the speed of a person who looks."""
        self.page.keyboard.press(str(level))
        self.shows_level({2: "2 answers", 1: "1 helps", 0: "0 does not help"}[level])
        self.page.keyboard.type(reason)

    def judge(self, level: int, reason: str) -> None:
        """Judge the pair on screen by keyboard and wait for the next one."""
        before = self.pair()
        self.choose(level, reason)
        self.page.keyboard.press("Control+Enter")
        self.next_pair(before)

    def mark(self, words: str) -> None:
        """Find words in the document and mark them as evidence, by keyboard."""
        self.page.keyboard.press("/")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("e")
        self.page.locator("ul.lk-evidence").get_by_text(f"“{words}”").wait_for()

    def pair(self) -> str:
        """The id of the pair on screen, read from the key of its reason."""
        classes = self.page.locator("[class*='st-key-lk_reason_']").get_attribute("class") or ""
        return next(part for part in classes.split() if part.startswith("st-key-lk_reason_"))

    def ready(self) -> None:
        """Wait until the pair is drawn and the keeper of its reason listens to keys."""
        for level in (0, 1, 2):
            self.level(level).wait_for()
        mark = "document.documentElement.dataset.labelkitReady"
        self.page.wait_for_function(
            f"{mark} && document.querySelector(`.st-key-${{{mark}}} textarea`) !== null"
        )
        self.idle()

    def next_pair(self, before: str) -> None:
        """Wait until another pair than `before` is on screen."""
        self.page.locator(f".{before}").wait_for(state="detached")
        self.idle()
        if self.page.get_by_text("Your level:").count():
            self.ready()

    def judgments(self) -> list[judging.RecentJudgment]:
        """What stands in the store for this person, newest first."""
        return judging.recent(self.workspace, self.person_id, 50)

    def idle(self) -> None:
        """Wait until nothing runs."""
        harness.idle(self.page)


def start_rater(
    context: BrowserContext, server: harness.Server, workspace: Workspace, name: str
) -> Rater:
    """Add a rater and open the Label page in a browser that knows them already."""
    person = people.add(workspace, name, ["rater"])
    harness.known_as(context, server, workspace, person.person_id)
    page = context.new_page()
    harness.open_page(page, f"{server.url}/label")
    rater = Rater(page, workspace, server, name)
    rater.ready()
    return rater
