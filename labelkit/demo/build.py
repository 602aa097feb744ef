"""Building the demo's workspace: harvested documents, our queries and labels, a frozen release."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import labelkit
from labelkit import intake, judging, releases
from labelkit.demo.drift import Drift, judged_documents_changed
from labelkit.demo.harvest import harvest
from labelkit.errors import NotReady
from labelkit.model import DEMO, Cause, Document, Query, QuerySource, QueryState, Role, Turn
from labelkit.projects import set_rubric
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    meta,
    pairs,
    people,
    queries,
    rubrics,
    samples,
)
from labelkit.wording import counted

DATA = Path(labelkit.__file__).parent.parent / "data" / "demo"
LEAD = "Demo Lead"
TAG = "v1"

Say = Callable[[str], None]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Built:
    """The demo's workspace, and how its documents compare with those that were judged."""

    workspace: Workspace
    drift: Drift
    fresh: bool


def build(path: Path, say: Say, progress: Progress, data: Path = DATA) -> Built:
    """Build the demo's workspace at `path`, or open the one that is there.

    Raises NotReady where the demo's data is not beside the package.
    """
    if not (data / "queries.jsonl").exists():
        raise NotReady(
            f"The demo's data is not at {data}: run labelkit from a clone of its repository."
        )
    workspace = Workspace.create(path, "Python documentation (demo)")
    if meta.get(workspace, DEMO) == "built":
        return Built(workspace, _drift(data, documents.all(workspace)), fresh=False)
    say("Harvesting the documentation of this Python ...")
    corpus = harvest()
    drift = _drift(data, corpus)
    say(f"{len(corpus):,} documents. {drift}")
    set_rubric(workspace, data / "rubric.json")
    _write(workspace, corpus, data)
    intake.suggest_missing(workspace, people.person_id_of(LEAD))
    _pool_the_rest(workspace, data, say, progress)
    if not any(row.tag == TAG for row in releases.list_releases(workspace)):
        frozen = releases.freeze(workspace, TAG, people.person_id_of(LEAD))
        say(
            f"Froze {TAG}: {counted(frozen.counts['queries_judged'], 'query')}, "
            f"{counted(frozen.counts['pairs_resolved'], 'judged pair')}."
        )
    meta.put(workspace, DEMO, "built")
    return Built(workspace, drift, fresh=True)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _drift(data: Path, corpus: Iterable[Document]) -> Drift:
    judged = json.loads((data / "judged_documents.json").read_text(encoding="utf-8"))
    return judged_documents_changed(judged, corpus)


def _write(workspace: Workspace, corpus: Sequence[Document], data: Path) -> None:
    """Everything that people made, in one transaction."""
    labels = _rows(data / "judgments.jsonl")
    with workspace.writing() as db:
        documents.save(db, corpus)
        known = documents.ids(db)
        found = [*_queries(data, known), *_drafts(data, known)]
        queries.save(db, found)
        people.save(db, LEAD, list(Role))
        names = {
            rater: people.save(db, rater, [Role.RATER]).person_id
            for rater in sorted({row["rater"] for row in labels})
        }
        here = [row for row in labels if row["doc_id"] in known]
        pairs.add(db, sorted({(row["query_id"], row["doc_id"]) for row in here}), "pool")
        for row in here:
            _judge(db, row, names[row["rater"]])
        _sample(db, here)
        _adjudicate(db, [r for r in _rows(data / "adjudications.jsonl") if r["doc_id"] in known])


def _queries(data: Path, known: set[str]) -> Iterable[Query]:
    for row in _rows(data / "queries.jsonl"):
        yield Query(
            query_id=row["query_id"],
            text=row["text"],
            source=QuerySource(row["source"]),
            turns=tuple(Turn(turn["role"], turn["text"]) for turn in row["turns"]),
            information_need=row["information_need"],
            tags=tuple(row["tags"]),
            language=row["language"],
            source_doc_id=_known(row["source_doc_id"], known),
            provenance=DEMO,
        )


def _drafts(data: Path, known: set[str]) -> Iterable[Query]:
    for row in _rows(data / "drafts.jsonl"):
        yield Query(
            query_id=row["draft_id"],
            text=row["text"],
            source=QuerySource.SYNTHETIC,
            state=QueryState.DRAFT,
            information_need=row["information_need"],
            tags=tuple(row["tags"]),
            language=row["language"],
            source_doc_id=_known(row["source_doc_id"], known),
            provenance=f"{DEMO}, drafted by {row['drafted_by']}",
        )


def _known(doc_id: str | None, known: set[str]) -> str | None:
    """A source document that this Python does not have cannot be pooled."""
    return doc_id if doc_id in known else None


def _judge(db: Connection, row: dict[str, Any], person_id: str) -> None:
    pair = pairs.find(db, row["query_id"], row["doc_id"])
    version = rubrics.ensure(db)
    if pair is None or judgments.last_event(db, pair.pair_id, person_id, version):
        return
    judgments.append(
        db,
        pair_id=pair.pair_id,
        person_id=person_id,
        rubric_version=version,
        level=row["level"],
        cause=Cause(row["cause"]) if row.get("cause") else None,
        reason=row["reason"],
        round=row["round"],
        provenance=DEMO,
    )


def _sample(db: Connection, labels: Sequence[dict[str, Any]]) -> None:
    """Record the sample that was drawn for second labels."""
    second = sorted({(r["query_id"], r["doc_id"]) for r in labels if r["round"] == "second"})
    if not samples.size_wanted(db):
        samples.save(
            db,
            second,
            rubric_version=rubrics.ensure(db),
            seed=1,
            detail={"drawn by": "see data/demo/README.md"},
            person_id=people.person_id_of(LEAD),
        )


def _adjudicate(db: Connection, rows: Sequence[dict[str, Any]]) -> None:
    settled = {(a.query_id, a.doc_id) for a in judgments.adjudications(db)}
    for row in rows:
        pair = pairs.find(db, row["query_id"], row["doc_id"])
        if pair is not None and (row["query_id"], row["doc_id"]) not in settled:
            lead = people.person_id_of(LEAD)
            judgments.adjudicate(db, pair.pair_id, lead, row["level"], row["reason"])


def _pool_the_rest(workspace: Workspace, data: Path, say: Say, progress: Progress) -> None:
    """Pool the queries that nobody judged yet: they are there for the visitor to label."""
    judged = {row["query_id"] for row in _rows(data / "judgments.jsonl")}
    rest = [
        query.query_id
        for query in queries.in_state(workspace, QueryState.ACCEPTED)
        if query.query_id not in judged
    ]
    say(f"Pooling {len(rest)} queries for you to label, with BM25, wordllama and MiniLM ...")
    report = judging.pool(workspace, query_ids=rest, progress=progress)
    say(f"{counted(report.pairs_new, 'pair waits', 'pairs wait')} on the Label page.")
