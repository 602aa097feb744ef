"""The workspace on which the Label page is measured."""

from __future__ import annotations

import random
from pathlib import Path

from labelkit.model import Document, Query, QuerySource, Role
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, pairs, people, queries, rubrics

QUERIES, DOCUMENTS_OF_A_QUERY = 200, 20
WORDS = ["glue", "thing", "mend", "table", "header", "row", "field", "write", "read", "member"]


def build(folder: Path, raters: int) -> Workspace:
    """A workspace of 4,000 pairs, every fifth of them for two people."""
    draw = random.Random(5)
    workspace = Workspace.create(folder, "Latency")
    people.add(workspace, "Lead", [Role.LEAD])
    for number in range(raters):
        people.add(workspace, f"Rater {number}", [Role.RATER])
    texts = [" ".join(draw.choices(WORDS, k=250)) for _ in range(400)]
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        made = [Document(f"d{n}", f"Thing {n}", text) for n, text in enumerate(texts)]
        documents.save(db, made)
        asked = [Query(f"q{n}", f"mend thing {n}", QuerySource.LOG) for n in range(QUERIES)]
        queries.save(db, asked)
        for query in asked:
            found = draw.sample(made, DOCUMENTS_OF_A_QUERY)
            pairs.add(db, [(query.query_id, one.doc_id) for one in found], "pool")
        pairs.raise_quota(db, range(1, QUERIES * DOCUMENTS_OF_A_QUERY, 5), 2)
    return workspace
