"""A project to doubt: three raters who differ, with evidence, times, types and like reasons."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import samples

from labelkit.model import Role, Span
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    pairs,
    people,
    rubrics,
)

LEAD = "lee-lead"
RATERS = ("ada-rater", "bo-rater", "cy-rater")
RIGHT = {"ada-rater": 0.95, "bo-rater": 0.85, "cy-rater": 0.6}
SECONDS = {"ada-rater": 41.0, "bo-rater": 38.0, "cy-rater": 9.0}


def build(path: Path) -> Workspace:
    """72 pairs, each labeled by two of three raters over four days; Cy is quick and differs."""
    workspace = samples.judged_from_scratch(path, documents_per_query=12)
    people.add(workspace, "Lee Lead", [Role.LEAD])
    for name in ("Ada Rater", "Cy Rater"):
        people.add(workspace, name, [Role.RATER])
    chance = random.Random(5)
    with workspace.writing() as db:
        _types(db)
        version = rubrics.ensure(db)
        for number, (query_id, doc_id) in enumerate(pairs.keys(db)):
            truth = chance.choices((0, 1, 2), (60, 25, 15))[0]
            for round_, rater in enumerate(chance.sample(RATERS, 2)):
                _label(db, number, (query_id, doc_id), rater, _level(chance, rater, truth),
                       ("first", "second")[round_], version)  # fmt: skip
    return workspace


def _types(db: Connection) -> None:
    """Every second document is a howto."""
    for number, doc_id in enumerate(sorted({doc_id for _, doc_id in pairs.keys(db)})):
        document = documents.get(db, doc_id)
        assert document is not None
        kind = ("reference", "howto")[number % 2]
        documents.save(db, [replace(document, metadata={"type": kind})])


def _level(chance: random.Random, rater: str, truth: int) -> int:
    return truth if chance.random() < RIGHT[rater] else chance.choice((0, 1, 2))


def _label(
    db: Connection, number: int, key: tuple[str, str], rater: str, level: int, round_: str, v: int
) -> None:
    pair, document = pairs.find(db, *key), documents.get(db, key[1])
    assert pair is not None
    assert document is not None
    pairs.raise_quota(db, [pair.pair_id], 2)
    start = document.text.index("field names" if rater < "c" else "names, as given")
    judgments.append(
        db,
        pair_id=pair.pair_id,
        person_id=rater,
        rubric_version=v,
        level=level,
        cause=None,
        reason="It helps." if rater == "cy-rater" else f"{rater} found {level} in part {number}.",
        evidence=(Span(start, start + 14, document.text[start : start + 14]),) if level else (),
        round=round_,
        active_seconds=SECONDS[rater] + number % 7,
        created_at=f"2026-11-{2 + number // 18:02d}T10:{number % 60:02d}:00.000000+00:00",
    )
