"""axe finds nothing serious on the pages that a rater sees, in light and dark, wide and narrow."""

from __future__ import annotations

import harness
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from labelkit.store import Workspace, people

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
DRAWN_MS = 500


def faults(page: Page) -> list[str]:
    """What axe calls serious or critical, with the element.

    Twice where it found something: for a moment Streamlit's rail stands without its links.
    """
    if _seen_by_axe(page):
        page.wait_for_timeout(DRAWN_MS)
        return _seen_by_axe(page)
    return []


def _seen_by_axe(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:160]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_raters_pages_have_no_serious_fault(
    browser: Browser, server: harness.Server, workspace: Workspace, scheme: str, size: str
) -> None:
    """Sign-in, overview, an untouched pair, a chosen level with its reason, causes, a message."""
    width, height = SIZES[size]
    context = browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": height},
    )
    page = context.new_page()
    found = {}
    people.add(workspace, f"{scheme} {size}", ["rater"])
    harness.open_page(page, server.url)
    found["sign-in"] = faults(page)
    harness.sign_in(page, f"{scheme} {size}")
    found["overview"] = faults(page)
    harness.open_page(page, f"{server.url}/label")
    found["label"] = faults(page)
    page.keyboard.press("Control+Enter")
    page.get_by_text("Choose a level first").wait_for()
    page.keyboard.press("1")
    page.get_by_text("Your level: 1 helps").wait_for()
    harness.idle(page)
    found["label, chosen"] = faults(page)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("dialect")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.get_by_text("Marked as evidence.").wait_for()
    page.get_by_role("button", name="Rubric", exact=True).click()
    page.get_by_role("region", name="The whole rubric").wait_for()
    found["label, passage marked, rubric open"] = faults(page)
    page.keyboard.press("Escape")
    page.get_by_role("region", name="The whole rubric").wait_for(state="detached")
    page.keyboard.press("x")
    page.get_by_text("Cause: none yet").wait_for()
    harness.idle(page)
    found["label, causes"] = faults(page)
    context.close()
    assert found == {state: [] for state in found}
