"""Models of the mteb package as candidates.

`labelkit.candidate_from_mteb(model)` puts a loaded model into this module under a name, where a
candidate of kind "function" finds it as "labelkit.retrieval.mteb_model:<name>". It is there for
as long as the process lives: whoever runs such a candidate in another process registers the same
model there first, in a module of their own.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np

from labelkit.errors import InputError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Vectors

BATCH_SIZE = 32

_registered: dict[str, MtebModel] = {}


class MtebModel:
    """A callable `(texts, side) -> vectors` around an object with mteb's `encode`.

    `prompts` are what the model itself puts before the texts of each side for this task.
    """

    def __init__(self, model: Any, task_metadata: Any) -> None:
        self.model, self.task_metadata = model, task_metadata
        self.prompts = _prompts(model, task_metadata)

    def __call__(self, texts: list[str], side: str) -> Vectors:
        """Vectors [texts, width], the texts given as mteb gives a task's."""
        from datasets import Dataset
        from mteb.types import PromptType
        from torch.utils.data import DataLoader

        beside = "query" if side == "query" else "body"
        rows: Any = Dataset.from_dict({"text": texts, beside: texts})
        vectors = self.model.encode(
            DataLoader(rows, batch_size=BATCH_SIZE),
            task_metadata=self.task_metadata,
            hf_split="test",
            hf_subset="default",
            prompt_type=PromptType.query if side == "query" else PromptType.document,
            batch_size=BATCH_SIZE,
            show_progress_bar=False,
        )
        return np.asarray(getattr(vectors, "cpu", lambda: vectors)(), dtype=np.float32)


def candidate_from_mteb(
    model: Any,
    *,
    name: str = "",
    task: Any = None,
    revision: str = "",
    **settings: Any,
) -> Candidate:
    """A candidate that encodes with a model as `mteb.get_model` gives it, in this process.

    `task` is the mteb task whose metadata chooses the model's prompts; default: a plain
    retrieval task in English. `revision` tells the model from others of its name; default: the
    one that mteb knows and a hash of its weights. `settings` are further fields of Candidate.
    Raises InputError for an object without mteb's `encode`, or of which nothing is known that
    would tell its vectors from another model's.
    """
    meta = getattr(model, "mteb_model_meta", None)
    if meta is None or not callable(getattr(model, "encode", None)):
        raise InputError(
            f"{type(model).__name__} is no model of the mteb package: it needs encode and "
            "mteb_model_meta; wrap it, for example with "
            "mteb.models.SentenceTransformerEncoderWrapper"
        )
    known = revision or "-".join(filter(None, (getattr(meta, "revision", None), weights(model))))
    if not known:
        raise InputError(
            "neither a revision nor weights tell this model from another; give a revision"
        )
    short = name or re.sub(r"[^A-Za-z0-9._-]+", "-", str(meta.name or "mteb").rpartition("/")[2])
    metadata = task.metadata if task is not None else plain_task()
    key = re.sub(r"\W+", "_", f"{short}_{known}_{metadata.name}")
    _registered[key] = MtebModel(model, metadata)
    return Candidate(short, "function", function=f"{__name__}:{key}", revision=known, **settings)


def weights(model: Any) -> str:
    """A hash of a torch model's parameters, 16 hexadecimal digits; "" where there are none."""
    inner = getattr(model, "model", model)
    state = inner.state_dict() if callable(getattr(inner, "state_dict", None)) else {}
    digest = hashlib.sha256()
    for key, tensor in sorted(state.items()):
        digest.update(key.encode())
        digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16] if state else ""


def plain_task() -> Any:
    """Metadata of a retrieval task that asks for no prompt of its own."""
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name="LabelkitRetrieval",
        description="Retrieval over a test set frozen by labelkit.",
        type="Retrieval",
        category="t2t",
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
        dataset={"path": "labelkit", "revision": "local"},
    )


def _prompts(model: Any, task_metadata: Any) -> dict[str, str]:
    from mteb.models.abs_encoder import get_prompt
    from mteb.types import PromptType

    own = getattr(model, "model_prompts", None)
    sides = {"query": PromptType.query, "document": PromptType.document}
    return {side: get_prompt(own, task_metadata, kind) or "" for side, kind in sides.items()}


def __getattr__(name: str) -> MtebModel:
    if name not in _registered:
        raise AttributeError(
            f"no mteb model was registered as {name!r} in this process; call "
            "labelkit.candidate_from_mteb(model) first"
        )
    return _registered[name]
