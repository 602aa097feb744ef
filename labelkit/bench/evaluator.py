"""A release as an evaluator for training with sentence-transformers."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator

from labelkit import measures
from labelkit.bench.plan import Plan
from labelkit.bench.run import ReleaseData
from labelkit.retrieval.chunking import Chunking, cut
from labelkit.retrieval.encoders import derive
from labelkit.retrieval.request import query_text
from labelkit.retrieval.search import build_index, search


class ReleaseEvaluator(SentenceEvaluator):
    """Reports the graded metrics of a plan for the model in training.

    Documents are encoded as in a benchmark (title, newline, text; cut by `chunking`), vectors
    brought to length 1 and searched exactly; the primary metric is the plan's. Queries that do
    not count for a metric are left out of its mean, as everywhere in labelkit.
    """

    def __init__(
        self,
        release: ReleaseData,
        plan: Plan | None = None,
        *,
        chunking: Chunking | None = None,
        turns: str = "ignore",
        batch_size: int = 32,
        name: str = "",
    ) -> None:
        super().__init__()
        self.release, self.plan = release, plan or Plan()
        self.chunking, self.turns, self.batch_size = chunking or Chunking(), turns, batch_size
        self.name = name or release.tag
        self.greater_is_better = True
        self.primary_metric = self.plan.primary

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """The means of the plan's metrics, named `<release>_<metric>`, for this model.

        With an `output_path` a line is added to `labelkit_<release>_results.csv` there.
        """
        scores = self.prefix_name_to_metrics(self._means(model), self.name)
        if output_path is not None:
            self._write(Path(output_path), scores, epoch, steps)
        return dict(scores)

    def _means(self, model: Any) -> dict[str, float]:
        chunks = cut(self.release.documents, self.chunking)
        asked = {query.query_id: query_text(query, self.turns) for query in self.release.queries}
        settings = {"batch_size": self.batch_size, "show_progress_bar": False}
        raw = np.asarray(model.encode_document(list(chunks.texts), **settings), dtype=np.float32)
        vectors = np.asarray(model.encode_query(list(asked.values()), **settings), np.float32)
        hits = search(
            build_index(derive(raw, None, normalise=True)),
            derive(vectors, None, normalise=True),
            chunks,
            self.plan.depth,
        )
        run = {
            query_id: {hit.doc_id: hit.score for hit in found}
            for query_id, found in zip(asked, hits, strict=True)
        }
        found = measures.evaluate(
            self.release.qrels,
            run,
            self.plan.reported,
            relevant_level=self.plan.relevant_level,
            require_overlap=False,
        )
        return {
            str(measure): float(np.nanmean(found.values[:, place]))
            for place, measure in enumerate(found.measures)
            if not np.isnan(found.values[:, place]).all()
        }

    def _write(self, folder: Path, scores: dict[str, float], epoch: int, steps: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"labelkit_{self.name}_results.csv"
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if new:
                writer.writerow(["epoch", "steps", *scores])
            writer.writerow([epoch, steps, *scores.values()])


def evaluator(release: ReleaseData, plan: Plan | None = None, **settings: Any) -> ReleaseEvaluator:
    """An evaluator for `SentenceTransformerTrainer(evaluator=…)`; see ReleaseEvaluator."""
    return ReleaseEvaluator(release, plan, **settings)
