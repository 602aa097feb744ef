"""The lower part of the Releases page: two compared, why a score moved, a colleague's zip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import measured
import pytest
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import bench, judging, releases
from labelkit.judging import rubric_versions
from labelkit.retrieval import Candidate
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/releases.py"


def look(app: AppTest, view: str) -> AppTest:
    [choice] = [radio for radio in app.radio if radio.key == "lk_releases_view"]
    return choice.set_value(view).run()


def pick(app: AppTest, part: str) -> AppTest:
    [choice] = [radio for radio in app.radio if radio.key == "lk_diff_part"]
    return choice.set_value(part).run()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """v1 with a run; v2 with a label settled anew, a document edited, a rule added; its run."""
    made = measured.benched(tmp_path / "w")
    settled = judging.load(made).adjudications[0]
    judging.adjudicate(
        made, measured.LEAD, settled.query_id, settled.doc_id, level=2, reason="All of it is there."
    )
    with made.writing() as db:
        held = documents.get(db, settled.doc_id)
        assert held is not None
        documents.save(db, [replace(held, text=f"Revised.\n{held.text}")])
    rubric_versions.save_rubric(
        made, measured.LEAD, replace(STARTER, rules=(*STARTER.rules, "Dates count.")), note="New."
    )
    folder = releases.freeze(made, "v2", measured.LEAD).folder
    bench.run_benchmark(
        releases.load(folder, made), [Candidate("bm25", "bm25")], made.runs / "v2-second",
        cache_dir=made.cache,
    )  # fmt: skip
    return made


def test_two_releases_are_compared_part_by_part(workspace: Workspace, open_page: Open) -> None:
    """Labels with both reasons, the document's drift, the rubric's new rule, both alphas."""
    app = look(open_page(workspace, PAGE, measured.LEAD), "two")
    told = words(app)
    assert "changed 1 → 2" in told
    assert "then: Half of what was asked stands in it." in told
    assert "now: All of it is there." in told
    assert "alpha then, v1" in told
    assert "alpha now, v2 undefined" in told
    assert "the two alphas are about different texts" in told
    assert "Revised." in words(pick(app, "documents"))
    assert "rule 4 Dates count." in words(pick(app, "rubric"))
    assert "Nothing of this kind." in words(pick(app, "queries"))


def test_the_filter_looks_into_reasons(workspace: Workspace, open_page: Open) -> None:
    """What does not hold the words is not listed."""
    app = look(open_page(workspace, PAGE, measured.LEAD), "two")
    [field] = [one for one in app.text_input if one.label == "Holds the words"]
    assert "changed 1 → 2" in words(field.set_value("all OF it").run())
    [field] = [one for one in app.text_input if one.label == "Holds the words"]
    assert "Nothing fits the filter." in words(field.set_value("nowhere").run())


def test_a_comparison_reads_no_file_that_changed(workspace: Workspace, open_page: Open) -> None:
    """Also one that was compared before is verified before it is shown again."""
    app = look(open_page(workspace, PAGE, measured.LEAD), "two")
    with (workspace.releases / "v1" / "qrels.txt").open("ab") as file:
        file.write(b" ")
    assert "qrels.txt has changed" in said(app.run())
    assert "changed 1 → 2" not in words(app)


def test_a_score_difference_is_split_by_cause(workspace: Workspace, open_page: Open) -> None:
    """The parts, the four scores, and how many queries they stand on."""
    app = look(open_page(workspace, PAGE, measured.LEAD), "ledger")
    told = words(app)
    for part in ("labels changed", "queries added", "system changed", "together", "older run"):
        assert part in told


def test_one_run_is_not_enough_for_a_ledger(tmp_path: Path, open_page: Open) -> None:
    """The empty state says what is missing."""
    app = look(open_page(measured.benched(tmp_path / "w"), PAGE, measured.LEAD), "ledger")
    assert "Two finished runs are needed" in words(app)
    assert "A comparison needs two releases" in words(look(app, "two"))


def test_a_colleagues_zip_is_verified_and_its_conflicts_listed(
    workspace: Workspace, open_page: Open
) -> None:
    """The command to make a project of it stands there, and what a merge has to choose."""
    data = releases.archive(releases.find(workspace, "v1"), workspace)
    app = look(open_page(workspace, PAGE, measured.LEAD), "colleague")
    app.file_uploader[0].set_value(("theirs.zip", data, "application/zip")).run()
    told = words(app)
    assert "content, verified" in told
    assert "2 need a choice of side" in told
    assert "1 is a level that differs and stays open" in told
    assert [code.value for code in app.code] == [
        "labelkit adopt --workspace NEW-FOLDER theirs.zip",
        "labelkit serve --workspace NEW-FOLDER",
        "labelkit adopt --workspace NEW-FOLDER --prefer first "
        f"{workspace.releases / 'v2'} theirs.zip",
    ]


def test_a_zip_that_is_no_release_is_refused(workspace: Workspace, open_page: Open) -> None:
    """In plain words, and the rest of the page stays."""
    app = look(open_page(workspace, PAGE, measured.LEAD), "colleague")
    app.file_uploader[0].set_value(("x.zip", b"no zip", "application/zip")).run()
    assert "cannot be read as a zip archive" in said(app)
    assert not app.exception


def test_texts_are_left_out_by_choice(workspace: Workspace, open_page: Open) -> None:
    """The table says so; the workspace's texts serve the forms that need them while they fit."""
    app = open_page(workspace, PAGE, measured.LEAD)
    [choice] = [radio for radio in app.radio if radio.key == "lk_texts"]
    choice.set_value("left out").run()
    press(app, "Freeze")
    assert "Froze v3, without texts" in said(app)
    assert "(no texts)" in words(app)
    assert not releases.load(releases.find(workspace, "v3"), workspace).texts
    assert "BEIR" in [one.label for one in app.get("download_button")]
    with workspace.writing() as db:
        held = next(iter(documents.each(db)))
        documents.save(db, [replace(held, text="Other words.")])
    app.run()
    assert "BEIR and MTEB need the documents' texts. 1 of the corpus's documents differ" in words(
        app
    )
    assert "BEIR" not in [one.label for one in app.get("download_button")]


def test_labels_of_an_earlier_meaning_are_told_before_the_freeze(
    workspace: Workspace, open_page: Open
) -> None:
    """As long as nobody chose they count, and the release records a warning."""
    told = words(open_page(workspace, PAGE, measured.LEAD))
    assert "all of them count, as nobody chose otherwise" in told
    rubric_versions.choose_counting(workspace, measured.LEAD, "relabelled")
    told = words(open_page(workspace, PAGE, measured.LEAD))
    assert "none of them counts" in told
    assert "18 pairs were sent back to be labeled anew" in told
