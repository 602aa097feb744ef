"""Which passages are drawn: by the traffic, by the seed, and not those that give nothing."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import small_project as small
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from small_drafting import BODY, LEAD, TOPICS, document, project, settings

from labelkit import drafting
from labelkit.drafting.passages import cut, find_type_field
from labelkit.drafting.plan import allocate, make_plan
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QuerySource, QueryState
from labelkit.store import Workspace, documents, queries


def by_type(plan: drafting.DraftPlan) -> dict[str, int]:
    """How many passages of each type were drawn."""
    return {row.name: row.drawn for row in plan.types}


def mixed(path: Path) -> Workspace:
    """Ten guides, ten notes, ten recipes, each about something of its own."""
    kinds = ("guide", "note", "recipe")
    return project(
        path,
        *(
            Document(
                f"{kind}{n}",
                f"{kind} {n}",
                BODY.format(topic=f"{TOPICS[n]} {kind}"),
                {"type": kind},
            )
            for kind in kinds
            for n in range(10)
        ),
    )


def add(workspace: Workspace, *given: Query) -> None:
    """Save queries."""
    with workspace.writing() as db:
        queries.save(db, given)


def test_mix_follows_the_real_queries(tmp_path: Path) -> None:
    """Eight of ten logged queries lead to notes: so do eight of ten passages, not a third."""
    workspace = mixed(tmp_path / "w")
    asked = ["note on zip archives"] * 8 + ["guide to sockets", "recipe for heap queues"]
    add(workspace, *(Query(f"q{n}", text, QuerySource.LOG) for n, text in enumerate(asked)))
    plan = make_plan(workspace, settings(passages=10))
    assert by_type(plan) == {"note": 8, "guide": 1, "recipe": 1}
    assert "10 real queries" in plan.mix_from


def test_shares_set_by_hand_and_a_type_that_runs_out(tmp_path: Path) -> None:
    """What a type lacks goes to the others, and the plan shows what was wanted and what is."""
    workspace = mixed(tmp_path / "w")
    plan = make_plan(workspace, settings(passages=15, shares={"guide": 9, "note": 1}))
    assert by_type(plan) == {"guide": 10, "note": 5, "recipe": 0}
    row = plan.types[0]
    assert (row.name, row.share, row.eligible) == ("guide", 0.9, 10)
    with pytest.raises(InputError, match="there are guide, note, recipe"):
        make_plan(workspace, settings(shares={"blog": 1}))


def test_seed_decides_and_nothing_else(tmp_path: Path) -> None:
    """The same seed, the same plan, whatever the order of import; another seed, another plan."""
    first, second = mixed(tmp_path / "a"), Workspace.create(tmp_path / "b")
    with second.writing() as db:
        documents.save(db, reversed(documents.all(first)))
    wanted = settings(passages=6, seed=4)
    assert make_plan(first, wanted).passages == make_plan(second, wanted).passages
    assert make_plan(first, wanted).passages != make_plan(first, settings(passages=6)).passages


def test_short_boilerplate_and_covered_documents_are_left_out(tmp_path: Path) -> None:
    """Each with its reason and count."""
    legal = "All rights reserved. " * 20
    workspace = project(
        tmp_path / "w",
        *(document(n) for n in range(4)),
        document(5, text="Too short to hold an answer."),
        *(Document(f"legal{n}", "Legal", legal, {}) for n in range(6)),
        Document("table", "Table", "1 2 3 4 5 6 7 8 9 0 " * 20, {}),
    )
    add(workspace, Query("q", "zips", QuerySource.MANUAL, source_doc_id="d00"))
    rejected = Query("r", "x", QuerySource.SYNTHETIC, QueryState.REJECTED, source_doc_id="d01")
    add(workspace, rejected)
    plan = make_plan(workspace, settings())
    assert sorted(passage.doc_id for passage in plan.passages) == ["d01", "d02", "d03"]
    assert plan.skipped == {"covered by a query": 1, "too short": 1, "boilerplate": 7}


def test_document_that_answers_a_judged_query_is_covered(tmp_path: Path) -> None:
    """A level 2 says that some accepted query finds its answer there."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2)
    with workspace.writing() as db:
        documents.save(db, [document(1)])
    small.work_through(workspace, small.ANN, lambda task: 2)
    plan = make_plan(workspace, settings(shortest_words=1))
    assert [passage.doc_id for passage in plan.passages] == ["d01"]
    assert "number of documents" in plan.mix_from, "no document of the traffic's type is left"


def test_nothing_to_draw_says_why(tmp_path: Path) -> None:
    """No documents; or only short ones."""
    with pytest.raises(NotReady, match="import them first"):
        make_plan(Workspace.create(tmp_path / "a"), settings())
    workspace = project(tmp_path / "b", document(1, text="Short."))
    with pytest.raises(NotReady, match="1 too short"):
        make_plan(workspace, settings())


def test_styles_and_languages_go_round_evenly(tmp_path: Path) -> None:
    """Thirty passages of two: each of three styles in each of two languages ten times."""
    workspace = mixed(tmp_path / "w")
    styles = ("keywords", "question", "misspelled")
    plan = make_plan(
        workspace, settings(passages=30, styles=styles, languages=("English", "German"))
    )
    tasks = Counter((t.style, t.language) for p in plan.passages for t in p.tasks)
    assert len(tasks) == 6
    assert set(tasks.values()) == {10}
    with pytest.raises(InputError, match="Choose styles among"):
        settings(styles=("rude",))


def test_type_field_is_found() -> None:
    """type, else kind, else category."""
    assert find_type_field([Document("a", "", "", {"kind": "x"})]) == "kind"
    assert find_type_field([Document("a", "", "", {"kind": "x", "type": "y"})]) == "type"
    assert find_type_field([]) == "type"


def test_long_document_gives_one_passage_with_its_characters(tmp_path: Path) -> None:
    """Whole paragraphs up to the size; the offsets point into the document's text."""
    text = "\n\n".join(BODY.format(topic=topic) for topic in TOPICS)
    workspace = project(tmp_path / "w", document(1, text=text))
    (passage,) = make_plan(workspace, settings(longest_characters=900)).passages
    assert text[passage.start : passage.end] == passage.text
    assert len(passage.text) <= 900
    assert passage.text.startswith("To work with")


@given(st.text("ab \n", max_size=400), st.integers(5, 80))
@examples(max_examples=200, deadline=None)
def test_passages_cover_every_word_once(text: str, longest: int) -> None:
    """In order, without overlap, none longer than allowed, and no word lost."""
    spans = list(cut(text, longest))
    assert all(end - start <= longest for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    kept = "".join("".join(text[start:end].split()) for start, end in spans)
    assert kept == "".join(text.split())


SHARES = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 9), min_size=1)


@given(st.integers(0, 60), SHARES, st.dictionaries(st.sampled_from("abcde"), st.integers(0, 20)))
@examples(max_examples=300, deadline=None)
def test_allocation_gives_all_it_can(total: int, shares: dict, available: dict) -> None:
    """Never more than there is, nothing where the share is 0, and as many as can be had."""
    drawn = allocate(total, shares, available)
    assert all(0 <= drawn[kind] <= available[kind] for kind in available)
    assert all(drawn[kind] == 0 for kind in available if not shares.get(kind))
    reachable = sum(number for kind, number in available.items() if shares.get(kind))
    assert sum(drawn.values()) == min(total, reachable)


def test_largest_remainder() -> None:
    """Ten by 5 : 3 : 1 is 6, 3, 1."""
    many = dict.fromkeys("abc", 100)
    assert allocate(10, {"a": 5, "b": 3, "c": 1}, many) == {"a": 6, "b": 3, "c": 1}


def test_plan_is_kept_with_its_run(tmp_path: Path) -> None:
    """How the passages were drawn stands in the run."""
    workspace = mixed(tmp_path / "w")
    plan = make_plan(workspace, settings(passages=3, seed=9))
    run_id = drafting.start(
        workspace, LEAD, plan, drafting.Endpoint("http://127.0.0.1:1/v1", "m"),
        drafting.Prompt(), drafting.Decoding(), drafting.Limits(),
    )  # fmt: skip
    kept = drafting.standing(workspace, run_id).run.plan
    assert kept["settings"]["seed"] == 9
    assert kept["mix_from"].startswith("the number of documents")
