"""labelkit: build a retrieval test set you can trust, then decide with it what to ship.

The verbs of the command line are functions here too; each is imported when it is first used:

    workspace = labelkit.init("workspace", "Help desk")
    labelkit.import_file(workspace, "documents", "corpus.jsonl")
    labelkit.pool(workspace)
    labelkit.agreement_report(workspace).sentence
    labelkit.freeze(workspace, "v1", person_id)
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_VERBS = {
    "Workspace": "labelkit.store:Workspace",
    "init": "labelkit.projects:init",
    "build_demo": "labelkit.demo.build:build",
    "import_file": "labelkit.importing:import_file",
    "pool": "labelkit.judging:pool",
    "retire": "labelkit.intake:retire",
    "restore": "labelkit.intake:restore",
    "query_history": "labelkit.intake:history",
    "size_advice": "labelkit.intake:size_advice",
    "agreement_report": "labelkit.judging:agreement_report",
    "freeze": "labelkit.releases:freeze",
    "find_release": "labelkit.releases:find",
    "load_release": "labelkit.releases:load",
    "verify": "labelkit.releases:verify",
    "export": "labelkit.releases:export",
    "run_benchmark": "labelkit.bench:run_benchmark",
    "load_run": "labelkit.bench:load_run",
    "evaluator": "labelkit.bench.evaluator:evaluator",
    "beir_from_mteb": "labelkit.importing.mteb_task:beir_from_mteb",
    "candidate_from_mteb": "labelkit.retrieval.mteb_model:candidate_from_mteb",
    "failures": "labelkit.bench:failures",
    "examine": "labelkit.doctor:examine",
    "score": "labelkit.bench.score:score",
    "alpha": "labelkit.bench.alpha:alpha_of_file",
}

__all__ = ["__version__", *_VERBS]


def __getattr__(name: str) -> Any:
    if name not in _VERBS:
        raise AttributeError(f"labelkit has no {name!r}; it has {', '.join(_VERBS)}")
    module, attribute = _VERBS[name].split(":")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
