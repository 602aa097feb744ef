"""Other people's files, uploaded in a real browser: columns, grades, encodings, large files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import harness
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, Page, expect

from labelkit import judging
from labelkit.store import Workspace, documents, imports, judgments


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries with one document each."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


@pytest.fixture
def server(workspace: Workspace) -> Iterator[harness.Server]:
    """The app on this workspace."""
    with harness.serving(workspace.path) as running:
        yield running


def open_import(context: BrowserContext, server: harness.Server, kind: str) -> Page:
    """The Import page for one kind of file, signed in as the lead."""
    page = context.new_page()
    harness.open_page(page, f"{server.url}/import?kind={kind}")
    harness.sign_in(page, samples.LEAD)
    harness.idle(page)
    return page


def upload(page: Page, path: Path, data: bytes) -> None:
    """Write a file and upload it."""
    path.write_bytes(data)
    page.locator("input[type=file]").set_input_files(path)
    harness.idle(page)


def choose(page: Page, label: str, value: str) -> None:
    """Choose a value in the select box whose label begins so."""
    box = page.get_by_role("combobox", name=label)
    box.scroll_into_view_if_needed()
    page.wait_for_timeout(200)  # an open list closes when the page scrolls
    box.click()
    page.get_by_role("option", name=value, exact=True).click()
    expect(box).to_have_value(value)
    harness.idle(page)


def four_grades(workspace: Workspace) -> bytes:
    """Judgments under foreign headers on a scale of four."""
    found = documents.all(workspace)
    rows = [f"q{n},{d.doc_id},{g}" for n, (d, g) in enumerate(zip(found, "013332", strict=True), 1)]
    return "\n".join(["asked,shown,stars", *rows, ""]).encode()


def test_columns_and_grades_are_said_and_the_judgments_come_in(
    workspace: Workspace, server: harness.Server, context: BrowserContext, tmp_path: Path
) -> None:
    """Unknown headers are matched by hand, each grade is mapped, the table shows it before."""
    page = open_import(context, server, "judgments")
    upload(page, tmp_path / "stars.csv", four_grades(workspace))
    page.get_by_text("Say which column holds query_id, doc_id.").wait_for()
    for name, header in (("query_id", "asked"), ("doc_id", "shown"), ("level", "stars")):
        choose(page, name, header)
    page.get_by_text("say what 3 means in levels").wait_for()
    for grade, level in (("1", "1"), ("2", "1"), ("3", "2")):
        choose(page, f"{grade} (", level)
    page.get_by_role("textbox", name="Who judged?").fill("The stars")
    page.keyboard.press("Tab")
    harness.idle(page)
    page.get_by_role("button", name="Import 6 judgments").click()
    page.get_by_text("stars.csv: 6 judgments added").wait_for()
    with workspace.reading() as db:
        assert sorted(j.level or 0 for j in judgments.current(db)) == [0, 1, 1, 2, 2, 2]
    record = imports.all(workspace)[0]
    assert record.levels == {"0": 0, "1": 1, "2": 1, "3": 2}
    assert record.headers == {"query_id": "asked", "doc_id": "shown", "level": "stars"}
    assert judging.count(judging.load(workspace)).judgments == 6


def test_the_encoding_is_chosen_where_the_bytes_do_not_tell_it(
    workspace: Workspace, server: harness.Server, context: BrowserContext, tmp_path: Path
) -> None:
    """The message names byte and line and proposes one; the rows follow once it is chosen."""
    page = open_import(context, server, "documents")
    upload(page, tmp_path / "latin.csv", "id,text\nx1,El niño comió piñas\n".encode("cp1252"))
    page.get_by_text("byte 16 (0xf1) is not UTF-8").wait_for()
    choose(page, "Encoding", "cp1252")
    page.get_by_role("cell", name="El niño comió piñas").wait_for()
    page.get_by_role("button", name="Import 1 document").click()
    page.get_by_text("latin.csv: 1 document added").wait_for()


def test_a_large_upload_shows_how_far_it_is_and_can_be_cancelled(
    workspace: Workspace, server: harness.Server, context: BrowserContext, tmp_path: Path
) -> None:
    """It runs beside the page; cancelled, nothing of it is left."""
    before = documents.all(workspace)
    row = '{"_id": "big%d", "text": "' + "word " * 60 + '"}\n'
    page = open_import(context, server, "documents")
    upload(page, tmp_path / "big.jsonl", "".join(row % n for n in range(70_000)).encode())
    page.get_by_role("button", name="Import in the background").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Import: cancelled. It leaves nothing behind").wait_for()
    assert documents.all(workspace) == before
    assert imports.all(workspace) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_while_it_asks(
    workspace: Workspace, server: harness.Server, browser: Browser, tmp_path: Path, width: int
) -> None:
    """With every question open nothing sticks out, on a phone as well."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    context.set_default_timeout(10_000)
    page = open_import(context, server, "judgments")
    upload(page, tmp_path / "old.csv", four_grades(workspace).replace(b"asked", b"query_id"))
    page.get_by_text("Columns", exact=True).wait_for()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    context.close()
