"""Projects further on: judged by two people, drafted, frozen, measured."""

from __future__ import annotations

from pathlib import Path

import samples

from labelkit import bench, judging, releases
from labelkit.model import Query, QuerySource, QueryState, Role, Turn
from labelkit.retrieval import Candidate, Chunking
from labelkit.store import Workspace, documents, judgments, pairs, people, queries, rubrics

LEAD = "ann-lead"
FIRST, SECOND = "bo-rater", "cy-rater"

DRAFTS = {
    "d1.natural": "why is my header row gone",
    "d2.lifted": "Write a row with the field names, as given in the constructor",
    "d3.generic": "close",
}
SOURCE = "csv.DictWriter.writeheader#1.0"


def judged(path: Path, provenance: str = "") -> Workspace:
    """Every pair judged once, every second pair twice; q1 has a 0 against 2, q2 a 1 against 2."""
    workspace = samples.judged_from_scratch(path, documents_per_query=3)
    people.add(workspace, "Cy Rater", [Role.RATER])
    with workspace.writing() as db:
        version = rubrics.ensure(db)
        for number, (query_id, doc_id) in enumerate(pairs.keys(db)):
            level = (2, 1, 0)[number % 3]
            judge(db, query_id, doc_id, FIRST, level, version, "first", provenance)
            if number % 2 == 0:
                other = {0: 0, 4: 2}.get(number, level)
                judge(db, query_id, doc_id, SECOND, other, version, "second", provenance)
    return workspace


def judge(  # type: ignore[no-untyped-def]
    db, query_id, doc_id, person_id, level, version, round_, provenance=""
) -> None:
    """Write one person's level for a pair."""
    pair = pairs.find(db, query_id, doc_id)
    if round_ == "second":
        pairs.raise_quota(db, [pair.pair_id], 2)
    judgments.append(
        db,
        pair_id=pair.pair_id,
        person_id=person_id,
        rubric_version=version,
        level=level,
        cause=None,
        reason=f"{person_id} read {doc_id} and found level {level} for {query_id}.",
        round=round_,
        provenance=provenance,
    )


def drafted(path: Path) -> Workspace:
    """Three drafts wait for review: a natural one, a lifted one and a generic one."""
    workspace = samples.judged_from_scratch(path, documents_per_query=1)
    with workspace.writing() as db:
        queries.save(
            db,
            [
                Query(
                    query_id,
                    wording,
                    QuerySource.SYNTHETIC,
                    QueryState.DRAFT,
                    turns=(Turn("user", "earlier"),) if query_id.startswith("d1") else (),
                    source_doc_id=SOURCE,
                )
                for query_id, wording in DRAFTS.items()
            ],
        )
    return workspace


def frozen(path: Path, provenance: str = "") -> Workspace:
    """The judged project, its two disagreements settled, and frozen as v1."""
    workspace = judged(path, provenance)
    for one in judging.disagreements(workspace, LEAD):
        judging.adjudicate(
            workspace,
            LEAD,
            one.query.query_id,
            one.document.doc_id,
            level=1,
            reason="Half of what was asked stands in it.",
        )
    releases.freeze(workspace, "v1", LEAD)
    return workspace


def benched(path: Path, provenance: str = "") -> Workspace:
    """The frozen project with a finished run: two with results, one failed, one left out."""
    workspace = frozen(path, provenance)
    windows = Chunking("windows", size=400, overlap=100)
    bench.run_benchmark(
        releases.load(releases.find(workspace, "v1"), workspace),
        [
            Candidate("bm25", "bm25"),
            Candidate("bm25-windows", "bm25", chunking=windows, k1=0.1),
            Candidate("too-wide", "static", model="wordllama", dimensions=9999),
            Candidate("dear", "bm25", excluded="costs too much"),
        ],
        workspace.runs / "v1-first",
        cache_dir=workspace.cache,
    )
    return workspace


def hostile_everywhere(path: Path) -> Workspace:
    """A frozen and measured project in which every text a person wrote is full of markup."""
    workspace = Workspace.create(path, samples.HOSTILE)
    for name, roles in (("Ann Lead", tuple(Role)), ("Bo Rater", ("rater",)), ("<b>Cy", ("rater",))):
        people.add(workspace, name, roles)
    with workspace.writing() as db:
        version = rubrics.ensure(db)
        texts = [f"{samples.HOSTILE} {number}" for number in range(4)]
        documents.save(db, [samples.Document(f"d{n}", text, text) for n, text in enumerate(texts)])
        queries.save(
            db,
            [
                Query(f"q{n}", text, QuerySource.MANUAL, information_need=text)
                for n, text in enumerate(texts)
            ],
        )
        draft = Query(
            "draft", texts[0], QuerySource.SYNTHETIC, QueryState.DRAFT, source_doc_id="d0"
        )
        queries.save(db, [draft])
        pairs.add(db, [(f"q{n}", f"d{m}") for n in range(4) for m in range(2)], "pool")
        for query_id, doc_id in pairs.keys(db):
            pair = pairs.find(db, query_id, doc_id)
            for person_id, level in (("bo-rater", 2), ("b-cy", 0 if query_id == "q0" else 2)):
                judgments.append(
                    db,
                    pair_id=pair.pair_id,  # type: ignore[union-attr]
                    person_id=person_id,
                    rubric_version=version,
                    level=level if doc_id == "d0" else 1,
                    cause=None,
                    reason=samples.HOSTILE,
                )
    releases.freeze(workspace, "v1", "ann-lead", rule="median")
    bench.run_benchmark(
        releases.load(releases.find(workspace, "v1"), workspace),
        [Candidate("bm25", "bm25"), Candidate("bm25-b", "bm25", k1=0.2)],
        workspace.runs / "v1-first",
        cache_dir=workspace.cache,
    )
    return workspace
