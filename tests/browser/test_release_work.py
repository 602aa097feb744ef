"""Refused with reasons, frozen, verified, tampered with, put back, compared: in a real browser."""

from __future__ import annotations

import zipfile
from pathlib import Path

import harness
import measured
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, Page
from test_access import faults

from labelkit import judging, releases
from labelkit.formats.trec import read_qrels
from labelkit.store import Workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Everything judged, two pairs unresolved."""
    return measured.judged(tmp_path_factory.mktemp("releases") / "workspace")


@pytest.fixture
def page(context: BrowserContext, server: harness.Server) -> Page:
    """The Releases page, opened by the lead."""
    opened = context.new_page()
    harness.open_page(opened, f"{server.url}/releases")
    harness.sign_in(opened, samples.LEAD)
    return opened


def settle(workspace: Workspace) -> None:
    for one in judging.disagreements(workspace, measured.LEAD):
        judging.adjudicate(
            workspace, measured.LEAD, one.query.query_id, one.document.doc_id,
            level=1, reason="Half of what was asked stands in it.",
        )  # fmt: skip


def freeze(page: Page, tag: str) -> None:
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text(f"Froze {tag}").wait_for()
    harness.idle(page)


def see(page: Page, view: str) -> None:
    page.locator("label").filter(has_text=view).last.click()
    harness.idle(page)


def test_refused_frozen_verified_tampered_put_back_and_compared(
    page: Page, workspace: Workspace, tmp_path: Path
) -> None:
    """The whole way of a release, as a lead walks it; axe finds nothing serious on the way."""
    page.get_by_text("2 of 18 pairs are unresolved").first.wait_for()
    page.get_by_role("button", name="Freeze", exact=True).click()
    page.get_by_text("Cannot freeze 'v1': 2 of 18 pairs are unresolved").wait_for()
    assert releases.list_releases(workspace) == []
    assert faults(page) == []
    settle(workspace)
    page.reload()
    harness.idle(page)
    freeze(page, "v1")
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("v1 is byte for byte as it was frozen").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="TREC qrels").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert sorted(archive.namelist()) == [
            "v1-trec/qrels-rater-02.txt", "v1-trec/qrels-rater-03.txt", "v1-trec/qrels.txt",
        ]  # fmt: skip
        again = read_qrels(archive.extract("v1-trec/qrels.txt", tmp_path))
    assert again == releases.load(releases.find(workspace, "v1"), workspace).qrels

    qrels = workspace.releases / "v1" / "qrels.txt"
    whole = qrels.read_bytes()
    qrels.write_bytes(whole[:-2] + (b"0" if whole[-2:-1] != b"0" else b"1") + b"\n")
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("qrels.txt has changed since it was frozen").wait_for()
    harness.idle(page)
    assert page.get_by_role("button", name="Download (zip)").count() == 0
    assert faults(page) == []
    qrels.write_bytes(whole)
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("v1 is byte for byte as it was frozen").wait_for()
    harness.idle(page)

    settled = judging.load(workspace).adjudications[0]
    judging.adjudicate(
        workspace, measured.LEAD, settled.query_id, settled.doc_id, level=2, reason="All of it."
    )
    freeze(page, "v2")
    see(page, "Two releases")
    change = page.locator(".lk-change")
    change.get_by_text("then: Half of what was asked stands in it.").wait_for()
    change.get_by_text("now: All of it.").wait_for()
    assert change.count() == 1
    assert faults(page) == []
    # The address holds what is on screen: whoever gets it sees the same.
    page.reload()
    harness.idle(page)
    change.get_by_text("now: All of it.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_colleagues_zip_on_a_phone(
    browser: Browser, server: harness.Server, workspace: Workspace, tmp_path: Path, scheme: str
) -> None:
    """What the zip holds and the command that adopts it fit 390 px and pass axe."""
    settle(workspace)
    if not releases.list_releases(workspace):
        releases.freeze(workspace, "v1", measured.LEAD)
    file = tmp_path / "theirs.zip"
    file.write_bytes(releases.archive(releases.find(workspace, "v1"), workspace))
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    harness.open_page(page, f"{server.url}/releases?view=colleague")
    page.get_by_role("button", name=samples.LEAD).click()
    page.get_by_role("button", name="Change person").wait_for(state="attached")
    harness.idle(page)
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("Make a project of it:").wait_for()
    harness.idle(page)
    assert page.get_by_test_id("stException").count() == 0
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert faults(page) == []
    context.close()
