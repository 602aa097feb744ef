"""The Queries page in a real browser: a log drawn from, masked, brought in, and a query retired."""

from __future__ import annotations

from pathlib import Path

import harness
import samples
from playwright.sync_api import BrowserContext
from test_access import faults

from labelkit import judging
from labelkit.model import QueryState
from labelkit.store import Workspace, queries

DOC = "csv.DictWriter.writeheader#1.0"
LOG = f"""\
query,count,clicked
Reset Password,3,{DOC}
printer offline for jane@example.org,2,
call +49 30 901820,1,
"""


def texts(workspace: Workspace) -> set[str]:
    """What accepted queries say."""
    return {query.text for query in queries.in_state(workspace, QueryState.ACCEPTED)}


def test_a_log_is_drawn_from_masked_and_brought_in_and_a_query_retired(
    context: BrowserContext, tmp_path: Path
) -> None:
    """The edited mask is what comes in; undecided queries stay out; words survive a refresh."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)
    log = tmp_path / "log.csv"
    log.write_text(LOG, encoding="utf-8")
    with harness.serving(workspace.path) as server:
        page = context.new_page()
        harness.open_page(page, f"{server.url}/queries?view=log")
        harness.sign_in(page, samples.LEAD)
        page.locator("input[type=file]").set_input_files(log)
        page.get_by_text("Personal data: 2 queries to decide on").wait_for()
        harness.idle(page)
        assert faults(page) == []
        page.get_by_text("mask by hand").first.click()
        edit = page.get_by_label("The text without it")
        edit.wait_for()
        edit.fill("printer offline for somebody")
        page.get_by_role("button", name="leave out the 1 undecided").click()
        page.get_by_text("2 queries added, 1 of them masked, 1 left out").wait_for()
        assert {"Reset Password", "printer offline for somebody"} <= texts(workspace)
        assert not any("jane" in text or "901820" in text for text in texts(workspace))
        assert judging.load(workspace).judgments == ()

        page.get_by_text("Production misses").click()
        harness.idle(page)
        pasted = page.get_by_label("Queries that failed, one a line")
        pasted.click()
        page.keyboard.type("vpn drops at noon")
        page.wait_for_timeout(900)
        page.reload()
        harness.idle(page)
        page.wait_for_timeout(300)
        harness.idle(page)
        assert pasted.input_value() == "vpn drops at noon"
        page.get_by_role("button", name="Bring in 1 query").click()
        page.get_by_text("1 query added.").wait_for()
        harness.idle(page)
        assert pasted.input_value() == ""

        [miss] = [q for q in queries.in_state(workspace, QueryState.ACCEPTED) if "vpn" in q.text]
        harness.open_page(page, f"{server.url}/queries?query={miss.query_id}")
        why = page.get_by_role("combobox", name="Why", exact=True)
        why.scroll_into_view_if_needed()
        page.wait_for_timeout(400)  # scrolling would close the list of reasons again
        why.click()
        page.get_by_role("option", name="ambiguous beyond repair").click()
        page.get_by_role("button", name="Retire").click()
        page.get_by_text(f"Retired {miss.query_id}").wait_for()
        page.get_by_role("button", name="Restore as accepted").wait_for()
        assert "vpn drops at noon" not in texts(workspace)
