"""Every page from a cold deep link: on a fresh server, signed in or not, whatever the role."""

from __future__ import annotations

import re
from pathlib import Path

import harness
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, Page

from labelkit.model import Role
from labelkit.store import Workspace
from labelkit.ui.navigation import PAGES

PRESENT = [page for page in PAGES.values() if (harness.ROOT / page.file).exists()]


def url_of(server: harness.Server, file: str) -> str:
    """The address of a page."""
    return server.url if file == "app.py" else f"{server.url}/{Path(file).stem}"


def titles(role: Role) -> list[str]:
    """The titles of the pages that this role opens."""
    there = [page for page in PAGES.values() if (harness.ROOT / page.file).exists()]
    return [page.title for page in there if role in page.roles]


def heading(page: Page) -> str:
    """The page's first heading."""
    return page.get_by_role("heading", level=1).first.inner_text()


def test_every_file_in_pages_is_in_the_sidebar() -> None:
    """A page that navigation does not know would have no roles."""
    files = {f"pages/{path.name}" for path in (harness.ROOT / "pages").glob("*.py")}
    assert files <= {page.file for page in PAGES.values()}


def test_fresh_server_asks_who_is_there_before_it_shows_a_page(
    browser: Browser, context: BrowserContext, workspace: Workspace
) -> None:
    """The first request of a new server, for a page of a role, shows no content and no links."""
    with harness.serving(workspace.path) as server:
        page = context.new_page()
        harness.open_page(page, f"{server.url}/people")
        page.get_by_text("Who are you?").wait_for()
        assert "roles" not in page.get_by_test_id("stMain").inner_text()
        assert page.get_by_test_id("stSidebar").get_by_role("link").count() == 0
        harness.sign_in(page, samples.RATER)
        page.get_by_text("Bo Rater is not a lead").wait_for()
        assert page.get_by_role("button", name="Save roles").count() == 0


@pytest.mark.parametrize("spec", PRESENT, ids=lambda spec: spec.name)
def test_cold_deep_link_opens_the_page(spec, context, server) -> None:  # type: ignore[no-untyped-def]
    """A pasted link opens its page for a lead; a refresh keeps the name; nothing calls out."""
    page, outside = context.new_page(), []
    page.on(
        "request",
        lambda request: (
            None
            if re.match(r"(https?|wss?)://127\.0\.0\.1|data:|blob:", request.url)
            else outside.append(request.url)
        ),
    )
    harness.open_page(page, url_of(server, spec.file))
    page.get_by_text("Who are you?").wait_for()
    harness.sign_in(page, samples.LEAD)
    first = heading(page)
    page.reload()
    harness.idle(page)
    page.get_by_role("button", name="Change person").wait_for(state="attached")
    assert heading(page) == first
    assert page.get_by_test_id("stException").count() == 0
    links = page.get_by_test_id("stSidebar").get_by_role("link").all_inner_texts()
    assert links == titles(Role.LEAD)
    assert outside == []


def test_rater_sees_only_a_raters_links(context: BrowserContext, server: harness.Server) -> None:
    """The sidebar holds what the roles allow."""
    page = context.new_page()
    harness.open_page(page, server.url)
    harness.sign_in(page, samples.RATER)
    links = page.get_by_test_id("stSidebar").get_by_role("link").all_inner_texts()
    assert links == titles(Role.RATER)
    assert "People" not in links


def test_link_opens_its_page_and_keeps_the_name(
    context: BrowserContext, server: harness.Server
) -> None:
    """A click in the sidebar goes there without asking again; so does the link in a new tab."""
    page = context.new_page()
    harness.open_page(page, server.url)
    harness.sign_in(page, samples.LEAD)
    link = page.get_by_test_id("stSidebar").get_by_role("link", name="People")
    address = link.evaluate("link => link.href")
    link.click()
    page.get_by_role("heading", name="Who works here").wait_for()
    other = context.new_page()
    harness.open_page(other, address)
    other.get_by_role("heading", name="Who works here").wait_for()
    assert other.get_by_text("Who are you?").count() == 0


def test_first_person_leads_and_may_do_everything(context: BrowserContext, tmp_path: Path) -> None:
    """An empty project asks for a name, and makes that person its lead."""
    workspace = Workspace.create(tmp_path / "workspace", "New project")
    with harness.serving(workspace.path) as server:
        page = context.new_page()
        harness.open_page(page, server.url)
        page.get_by_label("Your name").fill("Çelik 李")
        page.get_by_role("button", name="Begin").click()
        page.get_by_text("rater, lead, reviewer").wait_for()
        page.reload()
        page.get_by_text("rater, lead, reviewer").wait_for()


def test_missing_workspace_says_how_to_make_one(context: BrowserContext, tmp_path: Path) -> None:
    """Without a workspace every page says what to do; no traceback."""
    with harness.serving(tmp_path / "nowhere") as server:
        page = context.new_page()
        harness.open_page(page, f"{server.url}/label")
        page.get_by_text("There is no workspace at").wait_for()
        page.get_by_text("labelkit init").wait_for()
