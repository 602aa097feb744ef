"""A lead's path in a real browser: a disagreement becomes a boundary example, the rubric a new
version, alpha void, and a fresh sample brings a new alpha beside the old one."""

from __future__ import annotations

from pathlib import Path

import harness
import measured
from playwright.sync_api import BrowserContext, Page
from test_access import faults

from labelkit import judging
from labelkit.judging import Task, causes, rechecking
from labelkit.store import Workspace, rubrics

REASON = "It names the call and does not say how to keep the header."


def judge_all(workspace: Workspace, person_id: str) -> int:
    """Somebody works through their queue; returns how many pairs they had."""
    done = 0
    while isinstance(task := judging.claim(workspace, person_id), Task):
        done += 1
        judging.record(
            workspace,
            person_id,
            task.pair_id,
            level=len(task.document.doc_id) % 3,
            reason=f"{person_id} read {task.document.doc_id} anew.",
            seconds_on_screen=3,
        )
    return done


def part(page: Page, name: str) -> None:
    """Go to a part of the Rubric page."""
    page.get_by_test_id("stMain").get_by_text(name, exact=True).first.click()
    harness.idle(page)


def test_disagreement_to_example_to_version_to_void_alpha_to_fresh_sample(
    context: BrowserContext, tmp_path: Path
) -> None:
    """One click for the example; what is typed survives a refresh on both pages."""
    workspace = measured.judged(tmp_path / "workspace")
    old = judging.agreement_report(workspace).alpha
    assert old is not None
    with harness.serving(workspace.path) as server:
        harness.known_as(context, server, workspace, measured.LEAD)
        page = context.new_page()
        harness.open_page(page, f"{server.url}/agreement")
        page.get_by_text(f"Krippendorff's alpha is {old:.3f}").first.wait_for()
        assert faults(page) == []

        page.get_by_role("link", name="Settle what they differ on").click()
        page.get_by_text("2 open, 1 of them 0 against 2").wait_for()
        harness.idle(page)
        cause = page.get_by_role("combobox", name="Why they differ")
        cause.click()
        page.get_by_role("option", name="the rubric has a gap").click()
        page.get_by_text("Recorded. What helps: add a rule").wait_for()
        page.get_by_role("button", name="0 does not help").click()
        page.get_by_text("Final level: 0 does not help").wait_for()
        why = page.get_by_label("Why this level is right")
        why.click()
        page.keyboard.type(REASON)
        page.reload()
        harness.idle(page)
        page.wait_for_timeout(300)
        harness.idle(page)
        assert why.input_value() == REASON
        page.get_by_role("button", name="0 does not help").click()
        page.get_by_text("Final level: 0 does not help").wait_for()
        assert faults(page) == []
        page.get_by_role("button", name="Settle, and make it a boundary example").click()
        page.get_by_text("A boundary example 0/1").wait_for()
        page.get_by_text("Alpha is void").wait_for()
        assert causes.count_causes(workspace) == {"rubric_gap": 1}
        [example] = rubrics.read_current(workspace).examples
        assert (example.boundary, example.level, example.why) == ("0/1", 0, REASON)

        harness.open_page(page, f"{server.url}/rubric")
        part(page, "Versions")
        page.locator("ins", has_text=REASON).wait_for()
        part(page, "Edit")
        rules = page.get_by_label("Rules, one a line")
        rules.click()
        page.keyboard.press("Control+End")
        page.keyboard.type("\nA title alone is 0.")
        page.reload()
        harness.idle(page)
        part(page, "Edit")
        page.wait_for_timeout(300)
        harness.idle(page)
        assert rules.input_value().endswith("A title alone is 0.")
        page.locator("ins", has_text="A title alone is 0.").wait_for()
        page.get_by_label("Why it changes").fill("Two raters counted titles.")
        page.get_by_role("button", name="Save as a new meaning").click()
        page.get_by_text("Saved as version 3").wait_for()
        assert rubrics.read_current(workspace).rules[-1] == "A title alone is 0."

        harness.open_page(page, f"{server.url}/agreement")
        page.get_by_text("Alpha is void: its labels were given under v1").wait_for()
        page.get_by_label("Pairs for the re-check").fill("6")
        page.get_by_role("button", name="Draw a fresh sample").click()
        page.get_by_text("Drew 6 pairs for the re-check").wait_for()
        given = judge_all(workspace, measured.FIRST) + judge_all(workspace, measured.SECOND)
        assert given >= 12
        page.reload()
        harness.idle(page)
        new = rechecking.recheck(workspace).after.alpha
        assert new is not None
        table = page.get_by_role("region", name="Old and new alpha")
        table.get_by_role("cell", name=f"{old:.3f}", exact=True).first.wait_for()
        table.get_by_role("cell", name=f"{new:.3f}", exact=True).first.wait_for()
        assert page.get_by_text("Alpha is void").count() == 0
        assert faults(page) == []
