"""A run read back from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelkit.bench import files
from labelkit.bench.plan import Plan, plan_from_dict
from labelkit.errors import InputError


@dataclass(frozen=True, slots=True)
class RunResult:
    """A benchmark run: its folder, its manifest and its summary (shapes in docs/benchmark.md)."""

    folder: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]

    @property
    def finished(self) -> bool:
        """Whether every candidate has come to an end and was scored."""
        return bool(self.summary["state"] == "completed")

    @property
    def plan(self) -> Plan:
        """What was declared before the run."""
        return plan_from_dict(self.manifest["plan"])

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """What the summary says of each candidate, in the order of the request."""
        return list(self.summary["candidates"])

    @property
    def completed(self) -> list[str]:
        """The names of the candidates that have results."""
        return [one["name"] for one in self.candidates if one["state"] == "completed"]

    @property
    def decision(self) -> str:
        """The result in plain words; empty while the run goes on."""
        return str(self.summary.get("decision", ""))

    def candidate(self, name: str) -> dict[str, Any]:
        """What the summary says of one candidate; raises InputError for an unknown name."""
        for one in self.candidates:
            if one["name"] == name:
                return one
        known = ", ".join(one["name"] for one in self.candidates)
        raise InputError(f"the run has no candidate {name!r}; there are {known}")

    def require_completed(self, name: str) -> None:
        """Raise InputError unless this candidate has results, saying why it has none."""
        one = self.candidate(name)
        if one["state"] != "completed":
            because = f" ({one['why']})" if one["why"] else ""
            raise InputError(f"candidate {name!r} has no results: it is {one['state']}{because}")

    def run(self, name: str) -> files.RunScores:
        """The scores of a candidate: query_id to doc_id to score."""
        return files.scores(self.hits(name))

    def hits(self, name: str) -> files.Hits:
        """The ranked documents of a candidate with their winning chunks, by query."""
        self.require_completed(name)
        return files.read_hits(files.hits_file(self.folder, name))


def load_run(folder: Path | str) -> RunResult:
    """Read the run in a folder, finished or not; raises InputError where there is none."""
    folder = Path(folder)
    manifest = files.read_json(folder / files.MANIFEST)
    return RunResult(folder, manifest, files.read_json(folder / files.SUMMARY))
