"""The Import page: looked at first, then all of a file or nothing of it."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from labelkit import jobs, judging
from labelkit.store import Workspace, documents, imports, people
from labelkit.ui import import_words

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/import.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries with one document each."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


def upload(app: AppTest, name: str, content: str | bytes, kind: str = "documents") -> AppTest:
    """Choose the kind and upload a file."""
    if kind != "documents":
        app.radio(key="lk_kind").set_value(kind).run()
    data = content.encode() if isinstance(content, str) else content
    return app.file_uploader[0].set_value((name, data, "text/plain")).run()


def box(app: AppTest, label: str) -> Selectbox:
    """The select box whose label begins so."""
    return next(one for one in app.selectbox if one.label.startswith(label))


def test_file_is_shown_before_it_is_imported(workspace: Workspace, open_page: Open) -> None:
    """First rows with how each column is read; the import adds all of it and says what it did."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "new.csv", "id,title,body,owner\nx1,One,**text** of one,me\nx2,Two,two,you\n")
    assert "2 rows" in app.subheader[0].value
    assert "**text** of one" in words(app)
    assert "owner → metadata" in words(app)
    press(app, "Import 2 documents")
    assert "new.csv: 2 documents added" in said(app)
    with workspace.reading() as db:
        held = documents.get(db, "x1")
    assert held is not None
    assert (held.text, dict(held.metadata)) == ("**text** of one", {"owner": "me"})
    assert not any(button.label.startswith("Import ") for button in app.button)


def test_problems_are_numbered_by_row_and_nothing_is_imported(
    workspace: Workspace, open_page: Open
) -> None:
    """One bad level among good ones: its line is named, and there is no button to import."""
    rows = "q1,csv.DictWriter.writeheader#1.0,2\nq2,zipfile.ZipFile.open#2.0,7\n"
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "labels.csv", f"query_id,doc_id,level\n{rows}", "judgments")
    assert "1 problem on 1 line" in app.subheader[1].value
    assert "3 level '7' is no level" in words(app)
    assert not any(button.label.startswith("Import ") for button in app.button)
    assert len(app.get("download_button")) == 1
    assert judging.load(workspace).judgments == ()


def test_columns_without_a_known_name_are_matched_by_hand(
    workspace: Workspace, open_page: Open
) -> None:
    """A required column nobody knows is asked for; once matched the file can be imported."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "odd.csv", "number,what it says\nx1,some text\n")
    assert "Say which column holds doc_id, text." in said(app)
    assert "some text" in words(app), "columns are matched by what they hold"
    by_label = {box.label: box for box in app.selectbox}
    by_label["doc_id (required)"].select("number")
    by_label["text (required)"].select("what it says").run()
    assert "As chosen here: doc_id from “number”" in words(app)
    press(app, "Import 1 document")
    assert "1 document added" in said(app)


def test_unreadable_file_is_one_plain_message(workspace: Workspace, open_page: Open) -> None:
    """Bytes that are not UTF-8: the message names the place; the page below stands."""
    app = open_page(workspace, PAGE, "ann-lead")
    app.file_uploader[0].set_value(("latin.csv", b"id,text\nx1,caf\xe9\n", "text/csv")).run()
    assert "is not UTF-8" in said(app)
    assert not app.exception
    assert "Pool" in [part.value for part in app.subheader]


def test_another_encoding_is_proposed_and_taken_once_chosen(
    workspace: Workspace, open_page: Open
) -> None:
    """The guess stands first; nothing is read before it is chosen, then the rows are shown."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "latin.csv", "id,text\nx1,El niño comió piñas\n".encode("cp1252"))
    assert "it may be cp1252, which reads 'x1,El niño comió piñas'" in said(app)
    assert "If that is right, say “Encoding” cp1252" in said(app)
    assert not any(button.label.startswith("Import ") for button in app.button)
    box(app, "Encoding").select("cp1252").run()
    assert "encoding cp1252 (as said)" in words(app)
    press(app, "Import 1 document")
    with workspace.reading() as db:
        held = documents.get(db, "x1")
    assert held is not None
    assert held.text == "El niño comió piñas"


def test_header_and_delimiter_are_shown_and_can_be_said(
    workspace: Workspace, open_page: Open
) -> None:
    """A file without a header: its columns are numbered once that is said."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "plain.csv", "x1;first text\nx2;second text\n")
    app.number_input[0].set_value(0).run()
    box(app, "doc_id").select("column_1")
    box(app, "text").select("column_2").run()
    assert 'delimiter semicolon, quotes ", header none' in words(app)
    press(app, "Import 2 documents")
    assert "2 documents added" in said(app)


@pytest.mark.parametrize(
    ("message", "words_of_the_page"),
    [
        (
            "Say which line holds the column names (--header-row LINE; 0 for none).",
            "names (“Header line”; 0 for none). The field stands under “How the file is read”.",
        ),
        ("or say the format (--format csv, xls).", "say the format (“Format”: csv, xls). The"),
        ("or leave such rows out (--unknown skip)", "(tick “Leave out rows that point to"),
        ("in levels 0, 1, 2 or unjudged, such as --levels 3=2,2=1", "or unjudged under “Grades”"),
        ("nothing to say", "nothing to say"),
    ],
)
def test_messages_name_fields_and_not_options(message: str, words_of_the_page: str) -> None:
    """Who reads them in a browser has no command line."""
    found = import_words.on_page(message)
    assert words_of_the_page in found
    assert "--" not in found


def test_columns_are_remembered_by_the_header(workspace: Workspace, open_page: Open) -> None:
    """The second file with the same header is read as the first was."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "odd.csv", "number,what it says\nx1,some text\n")
    box(app, "doc_id").select("number")
    box(app, "text").select("what it says").run()
    press(app, "Import 1 document")
    upload(app, "odd2.csv", "number,what it says\nx2,more text\n")
    assert "As in the last file with this header: doc_id from “number”" in words(app)
    press(app, "Import 1 document")
    assert "1 document added" in said(app)


def test_grades_of_another_scale_are_asked_one_by_one(
    workspace: Workspace, open_page: Open
) -> None:
    """Nothing but 0 is assumed; the table shows what each is read as before it is done."""
    rows = "".join(
        f"q{n},{document.doc_id},{grade}\n"
        for n, (document, grade) in enumerate(
            zip(documents.all(workspace), (0, 1, 3, 3, 3, 2), strict=False), 1
        )
    )
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "four.csv", f"query_id,doc_id,rating\n{rows}", "judgments")
    assert "say what 3 means" in words(app)
    assert box(app, "0 (1 row)").value == "0"
    assert box(app, "2 (1 row)").value is None
    box(app, "1 (1 row)").select("1")
    box(app, "2 (1 row)").select("1")
    box(app, "3 (3 rows)").select("unjudged").run()
    assert "3 unjudged" in words(app).replace("3 3 ", "3 ")
    press(app, "Import 3 judgments")
    assert "3 judgments added, 3 rows left out" in said(app)
    assert sorted(j.level or 0 for j in judging.load(workspace).judgments) == [0, 1, 1]
    assert imports.all(workspace)[0].levels == {"0": 0, "1": 1, "2": 1, "3": None}


def test_query_numbers_may_be_positions(workspace: Workspace, open_page: Open) -> None:
    """The problem says so; ticking the box reads them as such."""
    app = open_page(workspace, PAGE, "ann-lead")
    name = documents.all(workspace)[0].doc_id
    upload(app, "old.qrels", f"1 0 {name} 2\n", "judgments")
    assert "may count the queries by position" in words(app)
    app.checkbox[0].check().run()
    press(app, "Import 1 judgment")
    assert "1 judgment added" in said(app)


def test_judgments_on_changed_texts_are_listed(workspace: Workspace, open_page: Open) -> None:
    """A document that was judged gets another text: the page says whose judgments stand on it."""
    name = documents.all(workspace)[0].doc_id
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "old.qrels", f"q1 0 {name} 2\n", "judgments")
    press(app, "Import 1 judgment")
    app.radio(key="lk_kind").set_value("documents").run()
    upload(app, "new.csv", f"id,text\n{name},Another text.\n")
    assert "1 judgment stands on texts that this file changes" in said(app)
    assert f"q1 {name} import-old 2" in words(app)
    press(app, "Import 1 document")
    assert f"1 judgment stands on the old text (q1 with {name})" in said(app)


def test_queries_without_ids_get_them_from_their_text(
    workspace: Workspace, open_page: Open
) -> None:
    """One a line; the box is asked for only where no column holds an id."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "asked.txt", "how to undo\nhow to redo\n", "queries")
    assert "Say which column holds query_id" in said(app)
    app.checkbox[0].check().run()
    press(app, "Import 2 queries")
    assert "2 queries added" in said(app)


def test_beir_folder_comes_in_as_one_upload(workspace: Workspace, open_page: Open) -> None:
    """Corpus, queries and qrels from one archive; a binary scale is asked for."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("set/corpus.jsonl", '{"_id": "b1", "text": "x"}\n')
        lines = [f'{{"_id": "b{n}", "text": "ask {n}"}}\n' for n in range(20)]
        archive.writestr("set/queries.jsonl", "".join(lines))
        rows = "".join(f"b{n}\tb1\t1\n" for n in range(20))
        archive.writestr("set/qrels/test.tsv", f"query-id\tcorpus-id\tscore\n{rows}")
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "set.zip", packed.getvalue(), "beir")
    assert "1 (20) and never 2" in words(app)
    box(app, "1 (20 rows)").select("2").run()
    press(app, "Import 1 document, 20 queries, 20 judgments")
    assert "test.tsv: 20 judgments added" in said(app)


def test_large_upload_goes_on_by_itself(workspace: Workspace, open_page: Open) -> None:
    """More than is looked at as a whole: a process of its own imports it, and says so."""
    text = "word " * 4_000
    content = "".join(f'{{"_id": "big{n}", "text": "{text}"}}\n' for n in range(1_100))
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "big.jsonl", content)
    assert "holds 21 MB: it is read by a process of its own" in words(app)
    press(app, "Import in the background")
    [job] = jobs.list_jobs(workspace, "import")
    until = time.monotonic() + 60
    while not job.ended and time.monotonic() < until:
        time.sleep(0.05)
        [job] = jobs.list_jobs(workspace, "import")
    assert (job.state, job.message) == ("completed", "big.jsonl: 1,100 documents added.")
    record = imports.all(workspace)[0]
    assert (record.file, record.imported_by) == ("big.jsonl", "Ann Lead")
    assert list((workspace.path / "imports").glob("*.upload*")) == []


def test_judgments_without_a_rater_column_are_given_a_name(
    workspace: Workspace, open_page: Open
) -> None:
    """The page asks who judged; TREC qrels have no header and are read all the same."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "old.qrels", "q1 0 csv.DictWriter.writeheader#1.0 2\n", "judgments")
    app.text_input[0].set_value("The crowd")
    press(app, "Import 1 judgment")
    assert "1 judgment added" in said(app)
    [judgment] = judging.load(workspace).judgments
    person = people.get(workspace, judgment.person_id)
    assert person is not None
    assert person.name == "The crowd"


def test_empty_project_says_what_pooling_waits_for(tmp_path: Path, open_page: Open) -> None:
    """Nothing imported: pooling names what is missing instead of offering a button."""
    empty = Workspace.create(tmp_path / "empty", "New")
    people.add(empty, "Ann Lead", ["lead"])
    app = open_page(empty, PAGE, "ann-lead")
    assert "no documents yet" in said(app)
    assert not any("Pool" in button.label for button in app.button)


def test_rater_may_not_import(workspace: Workspace, open_page: Open) -> None:
    """Importing belongs to leads."""
    app = open_page(workspace, PAGE, "bo-rater")
    assert "is not a lead" in said(app)
    assert app.get("file_uploader") == []
