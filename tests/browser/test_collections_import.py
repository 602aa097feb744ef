"""The public collections, uploaded as a new user would: what comes in goes out as the same rows."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import harness
import samples
from playwright.sync_api import Browser, Page

from labelkit import releases
from labelkit.model import Role
from labelkit.store import Workspace, imports, people

Rows = set[tuple[str, str, int]]
FOUR_TO_THREE = {"0": "0", "1": "1", "2": "1", "3": "2"}


def qrels(path: Path) -> Rows:
    """The rows of a BEIR file."""
    rows = (line.split("\t") for line in path.read_text().splitlines()[1:])
    return {(query_id, doc_id, int(level)) for query_id, doc_id, level in rows}


def trec(path: Path) -> Rows:
    """The rows of exported TREC qrels."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(query_id, doc_id, int(level)) for query_id, _, doc_id, level in rows}


@contextmanager
def import_page(browser: Browser, tmp_path: Path) -> Iterator[tuple[Workspace, Page]]:
    """The Import page of an empty project, signed in as its lead."""
    workspace = Workspace.create(tmp_path / "workspace", "Public")
    people.add(workspace, samples.LEAD, [Role.LEAD])
    with harness.serving(workspace.path) as server:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        context.set_default_timeout(20_000)
        page = context.new_page()
        harness.open_page(page, f"{server.url}/import?kind=documents")
        harness.sign_in(page, samples.LEAD)
        yield workspace, page
        context.close()


def upload(page: Page, kind: str, file: Path) -> None:
    """Say what the file holds, and choose it."""
    page.get_by_role("radiogroup").get_by_text(kind, exact=True).click()
    harness.idle(page)
    page.locator("input[type=file]").set_input_files(file)
    harness.idle(page)


def say_grades(page: Page, levels: dict[str, str]) -> None:
    """Choose what each grade is read as, where that is not clear already."""
    page.get_by_text("Say what each grade of the file means here").wait_for()
    for grade, level in levels.items():
        box = page.get_by_role("combobox", name=re.compile(rf"^{grade} \("))
        if box.input_value() != level:
            box.scroll_into_view_if_needed()
            page.wait_for_timeout(150)  # an open list closes when the page scrolls
            box.click()
            page.get_by_role("option", name=level, exact=True).click()
            harness.idle(page)


def press_import(page: Page, what: str, said: str) -> None:
    """Press the button that names what is imported, and wait for what was done."""
    page.get_by_role("button", name=f"Import {what}", exact=True).click()
    page.get_by_text(said).first.wait_for()
    harness.idle(page)


def exported(workspace: Workspace, tmp_path: Path) -> Rows:
    """Freeze and export twice; the copies are the same bytes."""
    lead = next(one for one in people.all(workspace) if one.name == samples.LEAD)
    frozen = releases.freeze(workspace, "v1", lead.person_id, rule="max")
    loaded = releases.load(frozen.folder, workspace)
    for copy in ("one", "two"):
        releases.export(loaded, tmp_path / copy, ["trec"])
    first, second = (tmp_path / copy / "qrels.txt" for copy in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    return trec(first)


def test_cranfield_as_its_public_copy_has_it(
    browser: Browser, shared_data: Path, tmp_path: Path
) -> None:
    """SMART files; the refused judgments are read by position, each grade as it is said."""
    folder = shared_data / "cranfield"
    with import_page(browser, tmp_path) as (workspace, page):
        upload(page, "documents", folder / "orig" / "cran.all.1400")
        press_import(page, "1,400 documents", "cran.all.1400: 1,400 documents added")
        upload(page, "queries", folder / "orig" / "cran.qry")
        press_import(page, "225 queries", "cran.qry: 225 queries added")
        upload(page, "judgments", folder / "orig" / "cranqrel")
        say_grades(page, {"1": "2", "2": "2", "3": "1", "4": "1", "-1": "0"})
        page.get_by_text("point to ids that are not here").wait_for()
        page.get_by_text("Ids that the judgments point to").click()
        page.get_by_text("The query numbers count the queries, in the order").click()
        harness.idle(page)
        press_import(page, "1,837 judgments", "cranqrel: 1,837 judgments added")
        with workspace.reading() as db:
            place = {query_id: str(n) for n, query_id in enumerate(imports.query_order(db), 1)}
        found = {(place[query], doc, level) for query, doc, level in exported(workspace, tmp_path)}
    assert found == qrels(folder / "qrels" / "test.tsv")


def test_esci_as_one_zip_with_four_grades(
    browser: Browser, shared_data: Path, tmp_path: Path
) -> None:
    """A BEIR folder: refused as documents with where it belongs, then read with its 4 grades."""
    folder = shared_data / "esci_opensearch"
    packed = tmp_path / "esci.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(folder.rglob("*l")):
            archive.write(file, f"esci/{file.relative_to(folder)}")
        archive.write(folder / "qrels" / "test.tsv", "esci/qrels/test.tsv")
        archive.write(folder / "qrels" / "4level.tsv", "esci/qrels/4level.tsv")
    with import_page(browser, tmp_path) as (workspace, page):
        upload(page, "documents", packed)
        page.get_by_text("as “BEIR folder (zip)” on the Import page").wait_for()
        harness.open_page(page, page.url.replace("kind=documents", "kind=beir"))
        page.locator("input[type=file]").set_input_files(packed)
        page.get_by_role("combobox", name="Qrels").click()
        page.get_by_role("option", name="4level", exact=True).click()
        harness.idle(page)
        say_grades(page, FOUR_TO_THREE)
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("4level.tsv: ").first.wait_for()
        assert exported(workspace, tmp_path) == {
            (query, doc, int(FOUR_TO_THREE[str(grade)]))
            for query, doc, grade in qrels(folder / "qrels" / "4level.tsv")
        }


def test_npl_whose_one_grade_has_to_be_said(
    browser: Browser, shared_data: Path, tmp_path: Path
) -> None:
    """All of its qrels are 1: relevant, which is what 2 means here."""
    folder = shared_data / "npl_vaswani"
    with import_page(browser, tmp_path) as (workspace, page):
        upload(page, "documents", folder / "corpus.jsonl")
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("corpus.jsonl: ").first.wait_for()
        upload(page, "queries", folder / "queries.jsonl")
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("queries.jsonl: ").first.wait_for()
        upload(page, "judgments", folder / "qrels" / "test.tsv")
        say_grades(page, {"1": "2"})
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("test.tsv: ").first.wait_for()
        assert exported(workspace, tmp_path) == {
            (query, doc, 2) for query, doc, _ in qrels(folder / "qrels" / "test.tsv")
        }


def test_quepids_book_with_a_column_a_rater(
    browser: Browser, shared_data: Path, tmp_path: Path
) -> None:
    """1,920 judgments of 13 people on a scale of four."""
    folder = shared_data / "quepid"
    with import_page(browser, tmp_path) as (workspace, page):
        upload(page, "documents", folder / "beir" / "corpus.jsonl")
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("corpus.jsonl: ").first.wait_for()
        upload(page, "queries", folder / "beir" / "queries.jsonl")
        page.get_by_role("button", name="Import ").click()
        page.get_by_text("queries.jsonl: ").first.wait_for()
        upload(page, "judgments", folder / "book_export_wide.csv")
        say_grades(page, FOUR_TO_THREE)
        press_import(page, "1,920 judgments", "book_export_wide.csv: 1,920 judgments added")
        assert len(people.all(workspace)) == 1 + 13
        found = exported(workspace, tmp_path)
    judged = {(query, doc) for query, doc, _ in found}
    assert judged == {(query, doc) for query, doc, _ in qrels(folder / "beir/qrels/test.tsv")}
