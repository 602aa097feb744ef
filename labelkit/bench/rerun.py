"""Run a benchmark again from its manifest, and say what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelkit.bench import files
from labelkit.bench.plan import plan_from_dict
from labelkit.bench.results import RunResult, load_run
from labelkit.bench.run import LIBRARIES, ReleaseData, run_benchmark
from labelkit.errors import InputError
from labelkit.retrieval import candidate_from_dict
from labelkit.retrieval.embed import Progress, silent
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.weights import library_versions


@dataclass(frozen=True, slots=True)
class Rerun:
    """A repeated run beside the first one.

    `same` are the candidates whose run files are equal byte by byte, `other` what differs in
    the others' in words. `surroundings` are differences of machine, libraries and models that
    may explain them.
    """

    first: RunResult
    second: RunResult
    same: tuple[str, ...]
    other: dict[str, str]
    surroundings: tuple[str, ...]


def rerun(
    folder: Path,
    release: ReleaseData,
    out_dir: Path,
    progress: Progress = silent,
    cache_dir: Path | None = None,
) -> Rerun:
    """Repeat the run of a folder with its own plan and candidates into `out_dir`.

    Raises InputError where the release is not the one that the manifest names.
    """
    first = load_run(folder)
    wanted = first.manifest["release"]["content_sha256"]
    if release.content_sha256 != wanted:
        raise InputError(
            f"was run on a release with the content {wanted[:12]}…; this one has "
            f"{release.content_sha256[:12]}…",
            file=folder,
        )
    second = run_benchmark(
        release,
        [candidate_from_dict(one) for one in first.manifest["candidates"]],
        out_dir,
        plan_from_dict(first.manifest["plan"]),
        progress,
        cache_dir,
    )
    names = [one["name"] for one in first.manifest["candidates"]]
    other = {
        name: word + other_fingerprint(first, second, name)
        for name in names
        if (word := difference(first, second, name))
    }
    same = tuple(name for name in names if name not in other)
    around = (*surroundings(first.manifest), *devices(first, second, names))
    return Rerun(first, second, same, other, around)


def difference(first: RunResult, second: RunResult, name: str) -> str:
    """What differs between two results of one candidate, or the empty string."""
    states = [run.candidate(name)["state"] for run in (first, second)]
    if states[0] != states[1]:
        return f"was {states[0]} and is {states[1]} now"
    if states[0] != "completed":
        return ""
    runs = [files.run_file(run.folder, name) for run in (first, second)]
    if runs[0].read_bytes() == runs[1].read_bytes():
        return ""
    hits = [files.read_hits(files.hits_file(run.folder, name)) for run in (first, second)]
    orders = [
        {query: [hit.doc_id for hit in ranked] for query, ranked in one.items()} for one in hits
    ]
    moved = sum(orders[0][query] != orders[1].get(query) for query in orders[0])
    if moved:
        return f"ranks {moved} of {len(orders[0])} queries otherwise"
    return "gives other scores in the same order"


def other_fingerprint(first: RunResult, second: RunResult, name: str) -> str:
    """What to look for where a candidate is not what it was, such as a changed endpoint."""
    prints = [run.candidate(name).get("fingerprint") for run in (first, second)]
    if None in prints or prints[0] == prints[1]:
        return ""
    return "; its fingerprint is another: its model, files, code or libraries have changed"


def surroundings(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """What is another machine or library than when the run was made."""
    now = library_versions(*LIBRARIES)
    then = manifest.get("libraries", {})
    found = [
        f"{name} was {then.get(name, 'not there')} and is {version}"
        for name, version in now.items()
        if then.get(name) != version
    ]
    if manifest.get("machine") != machine_name():
        found.append(f"the machine was {manifest.get('machine')} and is {machine_name()}")
    return tuple(found)


def _again(one: Mapping[str, Any]) -> str:
    done = one["state"] == "completed"
    return "the same, byte by byte" if done else f"{one['state']} again: {one['why']}"


def devices(first: RunResult, second: RunResult, names: Sequence[str]) -> list[str]:
    """The candidates whose model computed on another device, where both runs needed the model."""
    found = []
    for name in names:
        then, now = (run.candidate(name).get("device", "") for run in (first, second))
        if then and now and then != now:
            found.append(f"{name} was computed on {then} and is now on {now}")
    return found


def rerun_text(found: Rerun) -> str:
    """A rerun in words."""
    lines = [f"{name}: {_again(found.second.candidate(name))}" for name in found.same]
    lines += [f"{name}: {word}" for name, word in found.other.items()]
    lines += [f"differs from then: {word}" for word in found.surroundings]
    return "\n".join(lines)
