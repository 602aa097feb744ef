"""What changed between two releases is named part by part, and scores are split by cause."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from labelkit import judging, releases
from labelkit.bench.ledger import ledger
from labelkit.cli import cli
from labelkit.errors import InputError
from labelkit.judging.rubric_diff import rubric_changes, word_diff
from labelkit.model import Document, Query, QuerySource, Span
from labelkit.releases.anchoring import anchor
from labelkit.rubric import STARTER, Example, LevelText
from labelkit.store import Workspace, documents, queries, rubrics


@pytest.fixture
def frozen_twice(tmp_path: Path) -> Workspace:
    """v1, then: a level changed, one withdrawn, a query, a document, a rubric and a text new."""
    workspace = small.build(tmp_path / "w")
    while isinstance(task := judging.claim(workspace, small.ANN), judging.Task):
        quote = task.document.text[:5]
        judging.record(
            workspace, small.ANN, task.pair_id, level=task.pair_id % 3, reason="At first.",
            evidence=[Span(0, 5, quote)], seconds_on_screen=small.LOOKED,
        )  # fmt: skip
    releases.freeze(workspace, "v1", small.LEAD)
    last = judging.recent(workspace, small.ANN, 10)
    judging.correct(workspace, small.ANN, last[0].judgment_id, level=(last[0].level + 1) % 3,
                    reason="I misread it.")  # fmt: skip
    with workspace.writing() as db:
        queries.save(db, [small.query(3)])
        documents.save(db, [small.document(4)])
        documents.save(db, [Document("d1", "Thing 1", "Now: Thing 1 is mended with glue.")])
        rubrics.save(db, replace(STARTER, rules=(*STARTER.rules, "Dates count.")), None)
    small.pool(workspace, [("q3", "d1")])
    small.work_through(workspace, small.ANN)
    releases.freeze(workspace, "v2", small.LEAD)
    return workspace


def both(workspace: Workspace) -> tuple[releases.Release, releases.Release]:
    old, new = (releases.load(releases.find(workspace, tag), workspace) for tag in ("v1", "v2"))
    return old, new


def test_every_kind_of_change_is_found_once(frozen_twice: Workspace) -> None:
    found = releases.diff(*both(frozen_twice))
    assert [(one.kind, one.item_id) for one in found.queries] == [("added", "q3")]
    assert [(d.kind, d.item_id, d.fields) for d in found.documents] == [
        ("changed", "d1", ("text",)),
        ("added", "d4", ()),
    ]
    assert [(change.kind, change.part) for change in found.rubric] == [("added", "rule 4")]
    changed = [one for one in found.labels if one.kind == "changed"]
    assert len(changed) == 1
    assert (changed[0].reasons_before, changed[0].reasons_after) == (
        ("At first.",),
        ("I misread it.",),
    )
    assert [one.kind for one in found.labels if one.query_id == "q3"] == ["added"]
    told = {(drift.found.how, drift.found.start) for drift in found.evidence}
    assert told == {("moved", 5)}
    assert found.counts["evidence moved"] == len(found.evidence) == 2


def test_backwards_what_was_added_is_withdrawn(frozen_twice: Workspace) -> None:
    old, new = both(frozen_twice)
    back = releases.diff(new, old)
    assert [one.kind for one in back.labels if one.query_id == "q3"] == ["withdrawn"]
    assert [one.kind for one in back.queries] == ["removed"]


def test_a_release_does_not_differ_from_itself(frozen_twice: Workspace) -> None:
    old, _ = both(frozen_twice)
    same = releases.diff(old, old)
    assert same.same_content
    assert not same.counts
    assert "the same content" in releases.diff_text(same)


def test_the_command_prints_lines_and_json(frozen_twice: Workspace) -> None:
    where = ["--workspace", str(frozen_twice.path)]
    told = CliRunner().invoke(cli, ["diff", "v1", "v2", *where])
    assert told.exit_code == 0, told.output
    assert "“At first.” → “I misread it.”" in told.output
    as_json = CliRunner().invoke(cli, ["diff", "v1", "v2", "--json", *where])
    assert json.loads(as_json.output)["counts"]["queries added"] == 1


@pytest.mark.parametrize(
    ("text", "how", "start"),
    [
        ("abc glue", "kept", 4),
        ("glue, abc", "moved", 0),
        ("glue and more of the glue", "ambiguous", 0),
        ("nothing", "lost", None),
    ],
)
def test_evidence_is_found_again_by_its_quote(text: str, how: str, start: int | None) -> None:
    found = anchor(Span(4, 8, "glue"), text)
    assert (found.how, found.start) == (how, start)


@given(st.text(), st.text())
def test_a_word_diff_holds_both_texts_whole(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(text for kind, text in pieces if kind != "added") == before
    assert "".join(text for kind, text in pieces if kind != "removed") == after


def test_a_rubric_diff_names_levels_rules_and_examples() -> None:
    levels = {**STARTER.levels, 1: LevelText("helps", "It gives a small part of the answer.")}
    example = Example("0/1", "q", "d1", 1, "It names the place.")
    edited = replace(STARTER, levels=levels, rules=STARTER.rules[1:], examples=(example,))
    told = [(change.kind, change.part) for change in rubric_changes(STARTER, edited)]
    assert told == [
        ("changed", "level 1, definition"),
        ("removed", "rule 1"),
        ("added", "example 0/1"),
    ]
    assert "gives a{+ small+} part" in rubric_changes(STARTER, edited)[0].sentence


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 2, "c": 0}}
RUN = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in ("q1", "q2", "q3")}


def test_the_ledger_gives_each_cause_its_part_and_sums_to_the_whole() -> None:
    new_qrels = {"q2": {"a": 1, "b": 2, "c": 0}, "q3": {"a": 2, "b": 0, "c": 0}}
    new_run = {q: {"a": 1.0, "b": 2.0, "c": 3.0} for q in RUN}
    told = ledger(QRELS, new_qrels, RUN, new_run)
    parts = told.labels_changed + told.system_changed + told.queries_added + told.queries_withdrawn
    assert parts == pytest.approx(told.total, abs=1e-12)
    assert all((told.labels_changed, told.system_changed, told.queries_added))


def test_what_did_not_change_has_no_part_in_the_ledger() -> None:
    other_run = {q: {"a": 1.0, "b": 2.0} for q in RUN}
    system = ledger(QRELS, QRELS, RUN, other_run)
    assert (system.labels_changed, system.queries_added, system.queries_withdrawn) == (0, 0, 0)
    assert system.system_changed == system.total != 0
    labels = ledger(QRELS, {**QRELS, "q2": {"a": 2, "b": 1, "c": 0}}, RUN, RUN)
    assert (labels.system_changed, labels.queries_added, labels.interaction) == (0, 0, 0)
    assert labels.labels_changed == labels.total != 0
    with pytest.raises(InputError, match="share no query"):
        ledger(QRELS, {"other": {"a": 1}}, RUN, RUN)


def test_a_changed_query_names_its_fields(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN)
    old = releases.load(releases.freeze(workspace, "v1", small.LEAD).folder)
    reworded = Query("q1", "how do I mend it", QuerySource.LOG)
    new = replace(old, content_sha256="", queries=[reworded, *old.queries[1:]])
    assert [(one.kind, one.fields) for one in releases.diff(old, new).queries] == [
        ("changed", ("text",))
    ]
