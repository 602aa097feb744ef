"""A rubric edit: what it meant, what it voids, which labels still count, and the re-check."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner

from labelkit import judging, releases
from labelkit.cli import cli
from labelkit.errors import Conflict, InputError, NotAllowed, NotReady
from labelkit.judging import causes, rechecking
from labelkit.judging import rubric_versions as verbs
from labelkit.judging.agreeing import agreement_report
from labelkit.judging.resolution import State
from labelkit.judging.second_labels import draw_second_sample
from labelkit.rubric import STARTER, STARTERS
from labelkit.store import Workspace

EDITED = replace(STARTER, rules=(*STARTER.rules, "A date that has passed is 0."))


@pytest.fixture
def judged(tmp_path: Path) -> Workspace:
    """Twelve pairs, judged by two people who differ on one of them: 0 against 2."""
    workspace = small.build(tmp_path / "w", query_count=3, document_count=4, quota=2)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(
        workspace, small.BO, lambda task: 2 if task.pair_id == 3 else task.pair_id % 3
    )
    return workspace


def edit(workspace: Workspace, **options: bool) -> verbs.RubricSaved:
    return verbs.save_rubric(
        workspace, small.LEAD, EDITED, note="Dates were judged both ways.", **options
    )


def test_an_edit_of_meaning_is_a_version_that_voids_alpha_and_says_why(judged: Workspace) -> None:
    before = agreement_report(judged)
    saved = edit(judged)
    assert (saved.version, saved.void) == (2, True)
    assert [(one.kind, one.part) for one in saved.changes] == [("added", "rule 4")]
    assert "Alpha is void" in saved.explanation
    assert before.alpha is not None
    assert agreement_report(judged).pairable_units == 0
    assert agreement_report(judged, rubric_version=1).alpha == before.alpha


def test_a_wording_fix_keeps_alpha_and_names_who_said_so(judged: Workspace) -> None:
    before = agreement_report(judged)
    saved = edit(judged, wording_only=True)
    assert not saved.void
    assert agreement_report(judged) == before
    last = verbs.rubric_versions(judged)[-1]
    assert (last.kind, last.means, last.decided_by) == ("wording", 1, small.LEAD)
    assert last.note == "Dates were judged both ways."
    manifest = releases.load(releases.freeze(judged, "v1", small.LEAD, rule="max").folder).manifest
    assert manifest["rubric"]["same_meaning"] == [1, 2]
    assert manifest["agreement"]["alpha"] == before.alpha


def test_a_wording_fix_cannot_change_what_an_example_says(judged: Workspace) -> None:
    verbs.add_boundary_example(
        judged, small.LEAD, "q1", "d1", boundary="0/1", level=1, why="It names the glue."
    )
    held = verbs.rubric_versions(judged)[-1].rubric
    other = replace(held, examples=(replace(held.examples[0], level=0),))
    with pytest.raises(InputError, match="change of meaning"):
        verbs.save_rubric(judged, small.LEAD, other, wording_only=True, note="typo")
    better = replace(held, examples=(replace(held.examples[0], why="It names glue."),))
    assert not verbs.save_rubric(judged, small.LEAD, better, wording_only=True, note="typo").void


def test_a_disagreement_becomes_a_boundary_example_in_one_call(judged: Workspace) -> None:
    one = judging.disagreements(judged, small.LEAD)[0]
    saved = verbs.add_boundary_example(
        judged, small.LEAD, one.query.query_id, one.document.doc_id,
        boundary="1/2", level=2, why="One can act on it.", passage="glue",
    )  # fmt: skip
    assert saved.void
    example = verbs.rubric_versions(judged)[-1].rubric.examples[0]
    assert (example.query, example.passage, example.level) == (one.query.text, "glue", 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": 0}, "not at the boundary"),
        ({"why": " "}, "Write why"),
        ({"passage": "steel"}, "does not stand in the document"),
        ({"boundary": "0/2", "level": 2}, "boundary"),
    ],
)
def test_a_bad_example_is_refused(
    judged: Workspace, changes: dict[str, object], words: str
) -> None:
    said = {"boundary": "1/2", "level": 2, "why": "Because."} | changes
    with pytest.raises(InputError, match=words):
        verbs.add_boundary_example(judged, small.LEAD, "q1", "d1", **said)  # type: ignore[arg-type]
    assert len(verbs.rubric_versions(judged)) == 1


def test_nothing_new_no_note_and_no_lead_are_refused(judged: Workspace) -> None:
    with pytest.raises(InputError, match="Nothing changed"):
        verbs.save_rubric(judged, small.LEAD, STARTER, note="x")
    with pytest.raises(InputError, match="why the rubric changes"):
        verbs.save_rubric(judged, small.LEAD, EDITED, note=" ")
    with pytest.raises(NotAllowed):
        verbs.save_rubric(judged, small.ANN, EDITED, note="x")


def test_a_recheck_brings_pairs_back_to_the_people_who_judged_them(judged: Workspace) -> None:
    edit(judged)
    sample = rechecking.draw_recheck(judged, small.LEAD, size=6)
    assert len(sample.pairs) == 6
    assert rechecking.recheck(judged).waiting == 6
    seen = small.keys(small.work_through(judged, small.ANN, lambda task: task.pair_id % 3))
    again = small.keys(small.work_through(judged, small.BO, lambda task: task.pair_id % 3))
    assert sorted(seen) == sorted(again) == list(sample.pairs)
    assert not small.work_through(judged, small.CY)
    told = rechecking.recheck(judged)
    assert (told.pairs, told.waiting, told.after.pairable_units) == (6, 0, 6)
    assert told.before.pairable_units == 12
    assert told.after.alpha == 1
    assert "Alpha was" in told.sentence


def test_until_it_is_labeled_anew_a_rechecked_pair_counts_as_unjudged(judged: Workspace) -> None:
    edit(judged)
    sample = rechecking.draw_recheck(judged, small.LEAD, size=1)
    assert judging.load(judged, "max").resolutions[sample.pairs[0]].state is State.UNJUDGED
    small.work_through(judged, small.ANN, lambda task: 1)
    assert judging.load(judged).resolutions[sample.pairs[0]].level == 1


def test_a_second_recheck_draws_other_pairs_and_then_there_are_none(judged: Workspace) -> None:
    edit(judged)
    first = rechecking.draw_recheck(judged, small.LEAD, size=6)
    second = rechecking.draw_recheck(judged, small.LEAD, size=60)
    assert sorted([*first.pairs, *second.pairs]) == sorted(judging.load(judged).resolutions)
    with pytest.raises(NotReady, match="no re-check"):
        rechecking.draw_recheck(judged, small.LEAD)


def test_there_is_nothing_to_compare_under_one_meaning(judged: Workspace) -> None:
    edit(judged, wording_only=True)
    with pytest.raises(NotReady, match="one meaning only"):
        rechecking.recheck(judged)


def counted(workspace: Workspace) -> int:
    return judging.count(judging.load(workspace, "max")).pairs_resolved


def test_carried_labels_all_count(judged: Workspace) -> None:
    edit(judged)
    assert verbs.counting_choice(judged) is None
    choice = verbs.choose_counting(judged, small.LEAD, "carried", note="Few had dates.")
    assert (choice.kind, choice.requeued) == ("carried", 0)
    assert verbs.counting_choice(judged) == choice
    assert counted(judged) == 12


def test_only_relabeled_sends_everything_back_and_is_obeyed_by_the_freeze(
    judged: Workspace,
) -> None:
    edit(judged)
    assert verbs.choose_counting(judged, small.LEAD, "relabelled").requeued == 12
    assert counted(judged) == 0
    with pytest.raises(NotReady, match="No pair is judged yet"):
        releases.freeze(judged, "v1", small.LEAD)
    small.work_through(judged, small.ANN)
    frozen = releases.load(releases.freeze(judged, "v1", small.LEAD).folder)
    assert len(frozen.judgments) == 12
    assert frozen.manifest["rubric"]["earlier_labels"] == "relabelled"
    assert {row["rubric_version"] for row in frozen.judgments} == {2}


def test_near_a_boundary_example_only_its_query_and_document_go_back(judged: Workspace) -> None:
    verbs.add_boundary_example(
        judged, small.LEAD, "q1", "d1", boundary="0/1", level=1, why="It names the glue."
    )
    choice = verbs.choose_counting(judged, small.LEAD, "near_examples")
    assert choice.requeued == 4 + 3 - 1
    open_now = {p for p, r in judging.load(judged, "max").resolutions.items() if r.level is None}
    assert all(query == "q1" or doc == "d1" for query, doc in open_now)
    assert len(open_now) == 6


def test_an_adjudication_under_the_old_meaning_does_not_settle_a_pair_sent_back(
    judged: Workspace,
) -> None:
    one = judging.disagreements(judged, small.LEAD)[0]
    pair = (one.query.query_id, one.document.doc_id)
    judging.adjudicate(judged, small.LEAD, *pair, level=2, reason="It is named.")
    edit(judged)
    verbs.choose_counting(judged, small.LEAD, "relabelled")
    small.work_through(judged, small.ANN, lambda task: 0)
    assert judging.load(judged).resolutions[pair].level == 0
    small.work_through(judged, small.BO, lambda task: 1)
    assert agreement_report(judged).pairable_units == 12


def test_an_ordinary_second_sample_after_an_edit_still_goes_to_somebody_else(
    tmp_path: Path,
) -> None:
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN)
    edit(workspace)
    draw_second_sample(workspace, small.LEAD, size=3)
    assert not small.work_through(workspace, small.ANN)
    assert len(small.work_through(workspace, small.BO)) == 3


def test_choices_are_never_changed(judged: Workspace) -> None:
    edit(judged)
    rechecking.draw_recheck(judged, small.LEAD, size=2)
    connection = sqlite3.connect(judged.database)
    for attack in (
        "update rubric_choices set kind = 'wording'",
        "delete from requeued_pairs",
        "insert or replace into rubric_choices select * from rubric_choices",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(attack)
    connection.close()


def test_every_starter_rubric_is_whole_and_its_own() -> None:
    assert set(STARTERS) == {"general", "support", "products", "code", "policies"}
    assert len({rubric.text_sha256 for rubric in STARTERS.values()}) == len(STARTERS)
    for rubric in STARTERS.values():
        assert len(rubric.rules) >= 3
        assert "## Rules" in rubric.markdown()


def test_causes_of_disagreement_are_recorded_and_counted(judged: Workspace) -> None:
    one = judging.disagreements(judged, small.LEAD)[0]
    pair = (one.query.query_id, one.document.doc_id)
    causes.record_cause(judged, small.LEAD, *pair, "misread")
    causes.record_cause(judged, small.LEAD, *pair, "rubric_gap", note="Nothing on dates.")
    assert causes.count_causes(judged) == {causes.DisagreementCause.RUBRIC_GAP: 1}
    assert set(causes.ADVICE) == set(causes.DisagreementCause)
    agreed = next(p for p in judging.load(judged).resolutions if p != pair)
    with pytest.raises(Conflict, match="do not differ"):
        causes.record_cause(judged, small.LEAD, *agreed, "misread")
    with pytest.raises(InputError, match="no cause"):
        causes.record_cause(judged, small.LEAD, *pair, "bad mood")


def test_the_commands_edit_recheck_and_choose(judged: Workspace, tmp_path: Path) -> None:
    where = ["--workspace", str(judged.path)]

    def told(*command: str) -> str:
        result = CliRunner().invoke(cli, ["rubric", *command])
        assert result.exit_code == 0, result.output
        return result.output

    edited = tmp_path / "r.json"
    edited.write_text(told("starter", "support"))
    assert "Alpha is void" in told("save", str(edited), "--note", "We sell support.", *where)
    assert "v2" in told("versions", *where)
    assert "title changed" in told("diff", "1", "2", *where)
    assert json.loads(told("show", "--json", *where))["levels"]["2"]["name"] == "answers"
    assert "4 drawn pairs still wait" in told("recheck", "--draw", "--size", "4", *where)
    assert "8 pairs go back" in told("count", "relabelled", *where)
