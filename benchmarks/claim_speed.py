"""Time of the verbs behind every save, by size of the pool.

Usage: python benchmarks/claim_speed.py [PAIRS] [RATERS]. Twenty documents for each query; a third
of the pairs is judged by one person each, every tenth of those waits for a second label, and the
raters take turns claiming and saving while it is timed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from labelkit import judging
from labelkit.judging import Task
from labelkit.model import Document, Query, QuerySource, Role
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, judgments, pairs, people, queries, rubrics

DOCUMENTS_OF_A_QUERY = 20
ROUNDS = 8


def build(folder: Path, pair_count: int, raters: int) -> tuple[Workspace, list[str]]:
    """A workspace in the middle of its labelling."""
    workspace = Workspace.create(folder, "Claims")
    names = [people.add(workspace, f"Rater {n}", [Role.RATER]).person_id for n in range(raters)]
    count = pair_count // DOCUMENTS_OF_A_QUERY
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        documents.save(
            db,
            [
                Document(f"d{n}", f"Thing {n}", f"Thing {n} is mended with glue.")
                for n in range(DOCUMENTS_OF_A_QUERY)
            ],
        )
        queries.save(db, [Query(f"q{n}", f"mend thing {n}", QuerySource.LOG) for n in range(count)])
        keys = [(f"q{n}", f"d{m}") for n in range(count) for m in range(DOCUMENTS_OF_A_QUERY)]
        pairs.add(db, keys, "pool")
        version = rubrics.ensure(db)
        pairs.raise_quota(db, range(1, pair_count // 3, 10), 2)
        for pair_id in range(1, pair_count // 3):
            judgments.append(
                db,
                pair_id=pair_id,
                person_id=names[pair_id // DOCUMENTS_OF_A_QUERY % raters],
                rubric_version=version,
                level=pair_id % 3,
                cause=None,
                reason=f"Reason {pair_id}.",
            )
    return workspace, names


def work(workspace: Workspace, names: list[str]) -> dict[str, list[float]]:
    """Milliseconds of each verb, as the Label page calls them."""
    took: dict[str, list[float]] = defaultdict(list)
    for turn in range(ROUNDS):
        for person_id in names:
            began = time.perf_counter()
            task = judging.claim(workspace, person_id)
            took["claim"].append(time.perf_counter() - began)
            assert isinstance(task, Task)
            began = time.perf_counter()
            judging.claim(workspace, person_id)
            took["claim again"].append(time.perf_counter() - began)
            began = time.perf_counter()
            judging.progress(workspace, person_id)
            took["progress"].append(time.perf_counter() - began)
            began = time.perf_counter()
            judging.record(
                workspace,
                person_id,
                task.pair_id,
                level=turn % 3,
                reason=f"Turn {turn} of {person_id}.",
                seconds_on_screen=3,
            )
            took["record"].append(time.perf_counter() - began)
    return {verb: sorted(1000 * one for one in times) for verb, times in took.items()}


def main() -> None:
    """Print the figures for one size."""
    pair_count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    raters = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    with tempfile.TemporaryDirectory() as folder:
        workspace, names = build(Path(folder) / "workspace", pair_count, raters)
        print(f"{pair_count:,} pairs, {raters} raters, milliseconds:")
        for verb, times in work(workspace, names).items():
            p95 = times[int(0.95 * len(times))]
            print(f"{verb:12} median {statistics.median(times):6.1f}  p95 {p95:6.1f}")


if __name__ == "__main__":
    main()
