"""A colleague's release becomes a project that freezes to the same; two merge with their
conflicts listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner

from labelkit import judging, releases
from labelkit.cli import cli
from labelkit.errors import Conflict, InputError, NotReady
from labelkit.judging import rubric_versions
from labelkit.model import Document
from labelkit.releases import Release
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents


@pytest.fixture
def first(tmp_path: Path) -> Release:
    """Two raters, one pair settled by the lead, a wording fix in between."""
    workspace = small.build(tmp_path / "one", query_count=4, document_count=4, quota=2)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    rubric_versions.save_rubric(
        workspace, small.LEAD, replace(STARTER, title="Does it help?"),
        wording_only=True, note="Shorter.",
    )  # fmt: skip
    small.work_through(
        workspace, small.BO, lambda task: 2 if task.pair_id == 3 else task.pair_id % 3
    )
    one = judging.disagreements(workspace, small.LEAD)[0]
    judging.adjudicate(
        workspace, small.LEAD, one.query.query_id, one.document.doc_id, level=1, reason="Partly."
    )
    return frozen(workspace)


def frozen(workspace: Workspace, tag: str = "v1") -> Release:
    return releases.load(releases.freeze(workspace, tag, small.LEAD).folder)


def test_a_project_made_from_a_release_freezes_to_the_same_labels_and_alpha(
    first: Release, tmp_path: Path
) -> None:
    told = releases.adopt(tmp_path / "new", [first], lead="Lee Lead")
    assert (told.queries, told.documents, told.judgments) == (4, 4, 32)
    again = frozen(told.workspace)
    assert again.qrels == first.qrels
    assert (again.documents, again.queries) == (first.documents, first.queries)
    for key in ("alpha", "pairable_units", "raw_agreement"):
        assert again.manifest["agreement"][key] == first.manifest["agreement"][key]
    found = releases.diff(first, again)
    assert not found.counts


def test_the_same_release_twice_is_one_project_without_a_single_conflict(
    first: Release, tmp_path: Path
) -> None:
    told = releases.adopt(tmp_path / "new", [first, first], lead="Lee Lead")
    assert (told.conflicts, told.judgments, told.same_judgments) == ((), 32, 32)
    assert frozen(told.workspace).qrels == first.qrels


def other(tmp_path: Path) -> Release:
    """A release of the same pairs by somebody else: a text, a rubric and levels differ."""
    workspace = small.build(tmp_path / "two", query_count=5, document_count=4)
    with workspace.writing() as db:
        documents.save(db, [Document("d1", "Thing 1", "Another text.")])
    rubric_versions.save_rubric(
        workspace, small.LEAD, replace(STARTER, title="Is it of use?"), note="Ours."
    )
    small.work_through(workspace, small.CY, lambda task: 0)
    return frozen(workspace, "v2")


def test_conflicts_are_listed_and_texts_have_to_be_chosen(first: Release, tmp_path: Path) -> None:
    second = other(tmp_path)
    met = releases.merge_conflicts(first, second)
    assert [(one.kind, one.item) for one in met if one.blocks] == [
        ("rubric", "in force"),
        ("document", "d1"),
    ]
    assert sum(one.kind == "level" for one in met) == sum(
        level != 0 for judged in first.qrels.values() for level in judged.values()
    )
    with pytest.raises(Conflict, match="rubric in force; document d1"):
        releases.adopt(tmp_path / "new", [first, second], lead="Lee Lead")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("prefer", "text"), [("first", "glue"), ("second", "Another text.")])
def test_the_preferred_texts_are_taken_and_all_labels_kept(
    prefer: str, text: str, first: Release, tmp_path: Path
) -> None:
    told = releases.adopt(
        tmp_path / "new",
        [first, other(tmp_path)],
        lead="Lee Lead",
        prefer=prefer,  # type: ignore[arg-type]
    )
    assert (told.queries, told.judgments + told.same_judgments) == (5, 32 + 20)
    with told.workspace.reading() as db:
        held = documents.get(db, "d1")
    assert held is not None
    assert text in held.text
    assert len({j.person_id for j in judging.load(told.workspace).judgments}) == 3
    title = rubric_versions.rubric_versions(told.workspace)[-1].rubric.title
    assert title == ("Does it help?" if prefer == "first" else "Is it of use?")
    with pytest.raises(NotReady, match="unresolved"):
        releases.freeze(told.workspace, "v3", "lee-lead")


def test_a_project_in_use_and_a_release_without_texts_are_refused(
    first: Release, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="project already"):
        releases.adopt(tmp_path / "one", [first], lead="Lee Lead")
    with pytest.raises(NotReady, match="holds no texts"):
        releases.adopt(tmp_path / "new", [replace(first, texts=False)], lead="Lee Lead")
    with pytest.raises(InputError, match="one release, or two"):
        releases.adopt(tmp_path / "new", [], lead="Lee Lead")


def test_the_command_makes_the_project(first: Release, tmp_path: Path) -> None:
    command = ["adopt", str(first.folder), "--workspace", str(tmp_path / "new")]
    told = CliRunner().invoke(cli, [*command, "--lead", "Lee Lead"])
    assert told.exit_code == 0, told.output
    assert "4 queries, 4 documents, 32 judgments" in told.output
