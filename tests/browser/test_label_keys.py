"""The keys of the Label page: they choose, and only Ctrl+Enter saves."""

from __future__ import annotations

from raters import Rater


def hold(rater: Rater, key: str, times: int = 25) -> None:
    """Hold a key down as a keyboard repeats it: every 30 ms."""
    for _ in range(times):
        rater.page.keyboard.down(key)
        rater.page.wait_for_timeout(30)
    rater.page.keyboard.up(key)


def test_held_digit_selects_once_and_saves_nothing(rater: Rater) -> None:
    """A held 2 chooses level 2, types no digits into the reason and saves nothing."""
    before = rater.pair()
    hold(rater, "2")
    rater.shows_level("2 answers")
    rater.idle()
    assert rater.pair() == before
    assert rater.reason.input_value() == ""
    assert rater.judgments() == []


def test_keyboard_alone_judges_a_pair(rater: Rater) -> None:
    """A digit, a sentence and Ctrl+Enter: saved as typed, and the next pair has no level."""
    rater.judge(0, "Tells how to close, not how to open.")
    [judgment] = rater.judgments()
    assert (judgment.level, judgment.reason) == (0, "Tells how to close, not how to open.")
    rater.shows_level("none yet")
    assert rater.reason.input_value() == ""


def test_held_save_saves_exactly_once(rater: Rater) -> None:
    """Ctrl+Enter held down for 0.75 s is one judgment, and the next pair stays untouched."""
    before = rater.pair()
    rater.choose(1, "Points to the writer.")
    rater.page.keyboard.down("Control")
    hold(rater, "Enter")
    rater.page.keyboard.up("Control")
    rater.next_pair(before)
    assert [judgment.level for judgment in rater.judgments()] == [1]


def test_double_click_on_save_is_one_judgment(rater: Rater) -> None:
    """Two clicks in one place: one judgment; the second finds the next pair without a level."""
    before = rater.pair()
    rater.choose(2, "Gives the call to use.")
    rater.save.dblclick()
    rater.next_pair(before)
    assert len(rater.judgments()) == 1


def test_quick_second_digit_replaces_the_first(rater: Rater) -> None:
    """0 and at once 2 is a change of mind: level 2, or the question which; never a saved 0."""
    rater.page.keyboard.press("0")
    rater.page.keyboard.press("2")
    rater.idle()
    assert rater.reason.input_value() == ""
    rater.page.keyboard.type("Shows the whole recipe.")
    rater.page.keyboard.press("Control+Enter")
    rater.idle()
    assert all(judgment.level == 2 for judgment in rater.judgments())


def test_unhurried_second_digit_replaces_the_first(rater: Rater) -> None:
    """0 and half a second later 2: the page shows 2."""
    rater.page.keyboard.press("0")
    rater.shows_level("0 does not help")
    rater.page.wait_for_timeout(300)
    rater.page.keyboard.press("2")
    rater.shows_level("2 answers")


def test_digits_in_the_reason_are_text(rater: Rater) -> None:
    """While somebody types, 0, 1, 2, s, j, x, u and h are letters."""
    rater.reason.click()
    rater.page.keyboard.type("012 sjxuh: step 2 of 3 only, 0 examples")
    rater.idle()
    assert rater.reason.input_value() == "012 sjxuh: step 2 of 3 only, 0 examples"
    rater.shows_level("none yet")


def test_escape_gives_the_keys_back(rater: Rater) -> None:
    """Esc leaves the reason, so that a digit chooses again; the text stays."""
    rater.choose(0, "Half of it.")
    rater.page.keyboard.press("Escape")
    rater.page.keyboard.press("1")
    rater.shows_level("1 helps")
    assert rater.reason.input_value() == "Half of it."


def test_save_without_level_or_reason_says_what_is_missing(rater: Rater) -> None:
    """Save is always enabled; what is missing is said, and what was typed stays."""
    rater.idle()
    rater.page.wait_for_timeout(400)
    rater.reason.click()
    rater.page.keyboard.type("A reason without a level.")
    rater.page.keyboard.press("Control+Enter")
    rater.page.get_by_text("Choose a level first").wait_for()
    assert rater.reason.input_value() == "A reason without a level."
    assert rater.judgments() == []


def test_skip_later_cannot_judge_and_undo(rater: Rater) -> None:
    """s and j set aside, x asks for a cause, u opens the last judgment again."""
    first = rater.pair()
    rater.page.keyboard.press("s")
    rater.next_pair(first)
    second = rater.pair()
    rater.page.keyboard.press("j")
    rater.next_pair(second)
    rater.page.get_by_text("Set aside by you (1)").wait_for()
    third = rater.pair()
    rater.page.keyboard.press("x")
    rater.page.get_by_role("button", name="document unreadable").click()
    rater.page.get_by_text("Cause: document unreadable or cut").wait_for()
    rater.page.wait_for_timeout(400)
    rater.reason.fill("The text ends in the middle of a word.")
    rater.page.keyboard.press("Control+Enter")
    rater.next_pair(third)
    [judgment] = rater.judgments()
    assert (judgment.level, judgment.cause) == (None, "document_unreadable")
    rater.page.keyboard.press("u")
    rater.page.get_by_text("Undone.").wait_for()
    assert (rater.pair(), rater.judgments()) == (third, [])
    assert rater.reason.input_value() == "The text ends in the middle of a word."


def test_digits_choose_a_cause_while_the_pair_cannot_be_judged(rater: Rater) -> None:
    """x and 2: the cause is chosen, the cursor is in the reason, and digits are text there."""
    rater.page.keyboard.press("x")
    rater.page.get_by_text("Cause: none yet").wait_for()
    rater.idle()
    rater.page.keyboard.press("2")
    rater.page.get_by_text("Cause: document unreadable or cut").wait_for()
    rater.page.keyboard.type("Page 1 of 4 is all there is.")
    rater.idle()
    assert rater.reason.input_value() == "Page 1 of 4 is all there is."
    rater.page.get_by_text("Cause: document unreadable or cut").wait_for()


def test_held_skip_skips_one(rater: Rater) -> None:
    """s held down sets aside one pair, not a row of them."""
    before = rater.pair()
    hold(rater, "s")
    rater.next_pair(before)
    from labelkit import judging

    assert judging.progress(rater.workspace, rater.person_id).parked == 1


def test_h_shows_the_keys(rater: Rater) -> None:
    """h opens the list of keys."""
    rater.page.keyboard.press("h")
    rater.page.get_by_role("dialog").get_by_text("judge later").wait_for()


def test_letters_in_the_document_s_search_are_text(rater: Rater) -> None:
    """While somebody searches, no key chooses, marks, skips or opens anything."""
    before = rater.pair()
    rater.page.keyboard.press("/")
    rater.page.keyboard.type("012 e sjxufh/")
    rater.idle()
    search = rater.page.get_by_label("Search in the document")
    assert search.input_value() == "012 e sjxufh/"
    assert rater.pair() == before
    rater.shows_level("none yet")
    assert rater.page.get_by_role("dialog").count() == 0
    search.fill("dict")
    rater.page.get_by_text("1 of 30", exact=True).wait_for()
    rater.page.keyboard.press("Shift+Enter")
    rater.page.get_by_text("30 of 30", exact=True).wait_for()


def test_held_e_marks_once_and_f_opens_the_finding_of_documents(rater: Rater) -> None:
    """A passage marked by a held key stands once; f opens the dialog, Esc closes it."""
    rater.mark("dialect")
    rater.page.keyboard.press("Shift+ArrowDown")
    hold(rater, "e")
    rater.page.wait_for_function("document.querySelectorAll('ul.lk-evidence li').length <= 2")
    rater.idle()
    assert rater.page.locator("ul.lk-evidence li").count() in {1, 2}
    rater.page.keyboard.press("f")
    rater.page.get_by_role("dialog").get_by_text("Find a document").wait_for()
    rater.page.keyboard.press("Escape")
    rater.page.get_by_role("dialog").wait_for(state="detached")
