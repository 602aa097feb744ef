"""The module that goes with an MTEB export; it runs beside its files, without labelkit."""

TASK = '''"""This test set as a retrieval task of the mteb package (2.x).

    import mteb
    from task import ReleaseRetrieval
    mteb.evaluate(model, ReleaseRetrieval())

Queries without any document of level 1 or above are left out, as labelkit does for nDCG.
"""

import csv
import json
from pathlib import Path

from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

HERE = Path(__file__).resolve().parent


def rows(name):
    with open(HERE / name, encoding="utf-8", newline="\\n") as lines:
        return [json.loads(line) for line in lines]


def qrels():
    found = {}
    with open(HERE / "qrels" / "test.tsv", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\\t", quoting=csv.QUOTE_NONE):
            found.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return {query: levels for query, levels in found.items() if any(levels.values())}


class ReleaseRetrieval(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="LabelkitRelease",
        description="A test set frozen by labelkit.",
        reference=None,
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
        dataset={"path": str(HERE), "revision": "local"},
        date=None,
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
    )

    def load_data(self, *args, **kwargs):
        if self.data_loaded:
            return
        levels = qrels()
        corpus = [
            {"id": row["_id"], "title": row["title"], "text": row["text"]}
            for row in rows("corpus.jsonl")
        ]
        queries = [
            {"id": row["_id"], "text": row["text"]}
            for row in rows("queries.jsonl")
            if row["_id"] in levels
        ]
        self.dataset = {
            "default": {
                "test": {
                    "corpus": Dataset.from_list(corpus),
                    "queries": Dataset.from_list(queries),
                    "relevant_docs": levels,
                    "top_ranked": None,
                }
            }
        }
        self.data_loaded = True
'''
