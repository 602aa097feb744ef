"""Spot-checks: what is drawn, what the sample says, and what a lead chose for the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small
from hypothesis import given
from hypothesis import strategies as st

from labelkit import drafting, releases
from labelkit.drafting import spotcheck
from labelkit.errors import Conflict, InputError, NotAllowed, NotReady
from labelkit.model import UNREVIEWED, Document, Query, QuerySource, QueryState
from labelkit.store import Workspace, documents, pairs, queries, query_history, reviews

LEAD, ANN, BO = small.LEAD, small.ANN, small.BO
COUNT = 20


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Twenty drafts: one half from a guide, the other from a note."""
    workspace = small.build(tmp_path / "w", pooled=False)
    with workspace.writing() as db:
        documents.save(
            db,
            [
                Document("guide", "Guide", "Mend a pump with a clamp.", {"type": "guide"}),
                Document("note", "Note", "Paint the door twice.", {"type": "note"}),
            ],
        )
        queries.save(db, [draft(number) for number in range(COUNT)])
    return workspace


def draft(number: int) -> Query:
    """A draft for one of the two documents; every fifth is too generic."""
    text = f"how should item {number} be mended quickly" if number % 5 else f"mend {number}"
    return Query(
        f"s{number:02}",
        text,
        QuerySource.SYNTHETIC,
        QueryState.DRAFT,
        source_doc_id="guide" if number % 2 else "note",
        provenance="drafted by m1",
    )


def read_sample(workspace: Workspace, *, reject: int = 0) -> list[str]:
    """Go through the sample as Ann: the first few are rejected, the others accepted."""
    seen = []
    while (shown := drafting.draft_at(workspace, only_sample=True)) is not None:
        query_id = shown.query.query_id
        if len(seen) < reject:
            drafting.reject(workspace, ANN, query_id, cause="not_natural")
        else:
            drafting.accept(workspace, ANN, query_id)
        seen.append(query_id)
        if sample(workspace).done:
            break
    return seen


def sample(workspace: Workspace) -> drafting.SampleStanding:
    found = drafting.sample_standing(workspace)
    assert found is not None
    return found


def held(workspace: Workspace, query_id: str) -> Query:
    with workspace.reading() as db:
        found = queries.get(db, query_id)
    assert found is not None
    return found


@given(count=st.integers(1, 200), seed=st.integers(0, 2**31))
def test_a_larger_share_of_one_seed_holds_every_smaller_one(count: int, seed: int) -> None:
    """Each has its share rounded up, and all of them is all."""
    population = [f"d{number}" for number in range(count)]
    before: frozenset[str] = frozenset()
    for share in drafting.SHARES:
        drawn = spotcheck.drawn_of(reversed(population), share, seed)
        assert before <= drawn
        assert len(drawn) == -(-count * share // 100)
        before = drawn
    assert before == set(population)


def test_a_sample_is_recorded_with_its_seed_and_everything_it_was_drawn_from(
    workspace: Workspace,
) -> None:
    assert drafting.draw(workspace, LEAD, 20, seed=7) == 4
    found = sample(workspace)
    assert (found.sample.share, found.sample.seed, found.sample.drawn_by) == (20, 7, "Lee Lead")
    assert (found.population, found.drawn, found.read, found.open) == (COUNT, 4, 0, 4)
    assert len(found.outside) == 16
    expected = spotcheck.drawn_of([f"s{n:02}" for n in range(COUNT)], 20, 7)
    assert set(read_sample(workspace)) == expected


def test_the_rate_counts_the_sample_only_with_its_exact_interval(workspace: Workspace) -> None:
    """One of four rejected: 3 of 4 with Clopper and Pearson's limits; others do not count."""
    drafting.draw(workspace, LEAD, 20, seed=7)
    drafting.reject(workspace, BO, sample(workspace).outside[0], cause="lifted")
    read_sample(workspace, reject=1)
    found = sample(workspace)
    assert (found.rate.mean, found.rate.n, found.rate.method) == (0.75, 4, "exact binomial")
    assert (round(found.rate.low or 0, 4), round(found.rate.high or 0, 4)) == (0.1941, 0.9937)
    assert found.done
    assert not found.enough
    assert sum(one.n for one in found.by_type.values()) == 4
    assert set(found.by_type) <= {"guide", "note"}
    assert set(found.by_warning) <= {"too generic", spotcheck.UNWARNED, "near-duplicate"}


def test_warnings_stand_with_the_decision_as_they_were_then(workspace: Workspace) -> None:
    """By warning: the generic drafts apart from the others."""
    drafting.draw(workspace, LEAD, 100, seed=1)
    for number in range(COUNT):
        if number % 5:
            drafting.accept(workspace, ANN, f"s{number:02}", text=f"something else {number}")
        else:
            drafting.reject(workspace, ANN, f"s{number:02}", cause="too_generic")
    found = sample(workspace)
    assert (found.by_warning["too generic"].mean, found.by_warning["too generic"].n) == (0.0, 4)
    assert found.edited == 16
    assert found.enough


def test_drafts_outside_wait_for_the_choice_and_say_that_nobody_read_them(
    workspace: Workspace,
) -> None:
    drafting.draw(workspace, LEAD, 20, seed=7)
    with pytest.raises(NotReady, match="4 of the 4 drafts of the sample wait"):
        drafting.settle_outside(workspace, LEAD, "accepted", note="fine")
    read_sample(workspace, reject=1)
    outside = sample(workspace).outside
    assert drafting.settle_outside(workspace, LEAD, "accepted", note=" Good enough. ") == 16
    query = held(workspace, outside[0])
    assert query.state is QueryState.ACCEPTED
    assert query.provenance == f"drafted by m1, {UNREVIEWED}"
    with workspace.reading() as db:
        assert pairs.find(db, outside[0], query.source_doc_id or "") is not None
    counts = drafting.reviewed(workspace)
    assert (counts.accepted, counts.unreviewed, counts.rejected) == (19, 16, 1)
    (choice,) = drafting.choices(workspace)
    assert (choice.choice, choice.drafts, choice.note, choice.person) == (
        "accepted", 16, "Good enough.", "Lee Lead",
    )  # fmt: skip
    assert (choice.rate["share"], choice.rate["n"]) == (0.75, 4)
    assert sample(workspace).rate.n == 4
    with pytest.raises(NotReady, match="No draft is left outside"):
        drafting.settle_outside(workspace, LEAD, "accepted", note="again")


def test_held_drafts_stay_drafts_out_of_sight_until_they_are_let_go(workspace: Workspace) -> None:
    drafting.draw(workspace, LEAD, 10, seed=7)
    assert drafting.settle_outside(workspace, LEAD, "held", note="First the sample.") == 18
    read_sample(workspace)
    assert drafting.draft_at(workspace) is None
    counts = drafting.reviewed(workspace)
    assert (counts.waiting, counts.held, counts.accepted) == (0, 18, 2)
    assert drafting.release_held(workspace, LEAD) == 18
    assert drafting.reviewed(workspace).waiting == 18
    with workspace.reading() as db:
        [first, second] = query_history.events(db, sample(workspace).outside[0])
    assert (first.action, first.detail, second.action) == ("held", "First the sample.", "released")
    assert len(sample(workspace).outside) == 18
    with pytest.raises(NotReady, match="No draft is held"):
        drafting.release_held(workspace, LEAD)


def test_an_unsettled_sample_can_only_grow_and_keeps_what_was_drawn(workspace: Workspace) -> None:
    drafting.draw(workspace, LEAD, 10, seed=7)
    first = read_sample(workspace)
    with workspace.writing() as db:
        queries.save(db, [draft(50)])
    with pytest.raises(NotReady, match="draw a larger share, which keeps it"):
        drafting.draw(workspace, LEAD, 10)
    assert drafting.draw(workspace, LEAD, 30, seed=99) == 6
    found = sample(workspace)
    assert (found.sample.seed, found.read, found.open, found.later) == (7, len(first), 4, 1)


def test_a_settled_sample_makes_room_for_the_next(workspace: Workspace) -> None:
    drafting.draw(workspace, LEAD, 10, seed=7)
    read_sample(workspace)
    drafting.settle_outside(workspace, LEAD, "held", note="Later.")
    with pytest.raises(NotReady, match="No draft waits"):
        drafting.draw(workspace, LEAD, 10)
    with workspace.writing() as db:
        queries.save(db, [draft(50), draft(51)])
    assert drafting.draw(workspace, LEAD, 100) == 2


def test_only_leads_draw_and_choose_and_every_choice_has_its_reason(workspace: Workspace) -> None:
    with pytest.raises(NotAllowed):
        drafting.draw(workspace, ANN, 10)
    with pytest.raises(InputError, match="not 50"):
        drafting.draw(workspace, LEAD, 50)
    with pytest.raises(NotReady, match="Draw a sample first"):
        drafting.settle_outside(workspace, LEAD, "held", note="x")
    drafting.draw(workspace, LEAD, 10)
    with pytest.raises(NotAllowed):
        drafting.settle_outside(workspace, ANN, "held", note="x")
    with pytest.raises(NotAllowed):
        drafting.release_held(workspace, ANN)
    with pytest.raises(InputError, match="Write down why"):
        drafting.settle_outside(workspace, LEAD, "held", note=" ")


def test_undo_takes_back_one_decision_once_and_forgets_nothing(workspace: Workspace) -> None:
    """The draft waits as it was drafted; three rows of decisions stand."""
    drafting.reject(workspace, ANN, "s01", cause="lifted")
    drafting.accept(workspace, ANN, "s02", text="another wording of it")
    last = drafting.undo(workspace, ANN, "s02")
    assert (last.text, last.edited) == ("another wording of it", True)
    query = held(workspace, "s02")
    assert (query.state, query.text, query.drafted_text) == ("draft", draft(2).text, None)
    assert drafting.last_decision(workspace, ANN) is None
    with pytest.raises(NotReady, match="not your last decision"):
        drafting.undo(workspace, ANN, "s01")
    counts = drafting.reviewed(workspace)
    assert (counts.accepted, counts.edited, counts.rejected) == (0, 0, 1)
    with workspace.reading() as db:
        rows = db.execute("select decision from review_decisions order by decision_id")
        assert [row[0] for row in rows] == ["rejected", "accepted", "reopened"]
    drafting.accept(workspace, BO, "s02")
    assert drafting.reviewed(workspace).accepted == 1


def test_undo_of_a_rejection_brings_the_draft_back(workspace: Workspace) -> None:
    drafting.reject(workspace, ANN, "s01", cause="other", note="two questions")
    drafting.undo(workspace, ANN, "s01")
    assert (held(workspace, "s01").state, held(workspace, "s01").note) == ("draft", "")
    assert drafting.reviewed(workspace).rejected == 0


def test_what_another_decided_or_somebody_judged_is_not_undone(workspace: Workspace) -> None:
    drafting.accept(workspace, ANN, "s01")
    with pytest.raises(NotReady):
        drafting.undo(workspace, BO, "s01")
    small.say(workspace, BO, small.claim(workspace, BO))
    with pytest.raises(Conflict, match="has 1 judgment by now"):
        drafting.undo(workspace, ANN, "s01")
    assert held(workspace, "s01").state is QueryState.ACCEPTED


def test_accepted_drafts_wait_for_the_retrievers_until_they_were_asked(
    workspace: Workspace,
) -> None:
    """The depth is the one the project was pooled with."""
    with workspace.writing() as db:
        assert reviews.pooling_depth(db) is None
        pairs.add(db, [("q1", "d1"), ("q1", "d2")], "pool")
        pairs.add_sources(db, [("q1", "d1", "bm25", 1), ("q1", "d2", "bm25", 2)])
    drafting.accept(workspace, ANN, "s01")
    with workspace.writing() as db:
        assert (reviews.pooling_depth(db), reviews.unpooled(db)) == (2, ["s01"])
        pairs.add_sources(db, [("s01", "guide", "bm25", 1)])
        assert reviews.unpooled(db) == []


def test_a_release_tells_unread_from_read_and_edited(workspace: Workspace) -> None:
    """One edited, three as drafted, sixteen that nobody read, in the manifest's provenance."""
    drafting.draw(workspace, LEAD, 20, seed=7)
    shown = drafting.draft_at(workspace, only_sample=True)
    assert shown is not None
    drafting.accept(workspace, ANN, shown.query.query_id, text="another wording")
    read_sample(workspace)
    drafting.settle_outside(workspace, LEAD, "accepted", note="Good enough.")
    small.work_through(workspace, BO)
    releases.freeze(workspace, "v1", LEAD)
    (row,) = releases.list_releases(workspace)
    assert row.manifest["provenance"]["drafts"] == {
        "accepted as drafted": 3, UNREVIEWED: 16, "edited": 1,
    }  # fmt: skip
