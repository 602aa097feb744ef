"""A run leaves everything behind, survives what fails, and goes on where it was killed."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_release import FAST, LEVELS, small_release

from labelkit import measures
from labelkit.bench import Plan, RunResult, load_run, run_benchmark
from labelkit.errors import InputError
from labelkit.formats.trec import read_run
from labelkit.releases import Release
from labelkit.retrieval import Candidate


def states(result: RunResult) -> dict[str, str]:
    """The state of every candidate."""
    return {one["name"]: one["state"] for one in result.candidates}


def test_every_candidate_ends_in_a_state_with_a_reason(result: RunResult) -> None:
    """Three finish, three do not; none disappears."""
    assert states(result) == {
        "bm25": "completed",
        "wordllama": "completed",
        "wordllama-64": "completed",
        "klingon": "failed",
        "nowhere": "unavailable",
        "banned": "excluded",
    }
    assert "no stemmer" in result.candidate("klingon")["why"]
    assert "local copy" in result.candidate("nowhere")["why"]
    assert result.candidate("banned")["why"] == "licence under review"
    assert "CandidateError" in (result.folder / "logs" / "klingon.log").read_text()


def test_run_files_hold_the_ranking_and_give_the_reported_numbers(
    result: RunResult, release: Release
) -> None:
    """Scoring the TREC file by hand gives what the summary says."""
    for name in result.completed:
        run = read_run(result.folder / f"{name}.run")
        assert run == {q: scores for q, scores in result.run(name).items() if scores}
        again = measures.evaluate(release.qrels, run, ["ndcg@10"]).column("ndcg@10")
        reported = result.candidate(name)["metrics"]["2"]["ndcg@10"]
        counted = again[again == again]
        assert reported["mean"] == pytest.approx(counted.mean(), abs=1e-12)
        assert reported["n"] == len(counted) == 5


def test_the_per_query_table_has_the_agreed_columns_and_adds_up(result: RunResult) -> None:
    """query_id, run, metric, relevant_level, value; the mean of its rows is the summary's."""
    with (result.folder / "per_query.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["query_id", "run", "metric", "relevant_level", "value"]
    for level in ("1", "2"):
        values = [
            float(row["value"])
            for row in rows
            if (row["run"], row["metric"], row["relevant_level"]) == ("bm25", "recall@10", level)
        ]
        table = result.candidate("bm25")["metrics"][level]["recall@10"]
        assert (sum(values) / len(values), len(values)) == (pytest.approx(table["mean"]), 5)
        assert table["excluded"] == 1


def test_the_manifest_says_all_it_takes_to_run_again(result: RunResult) -> None:
    """Release, plan, candidates, seeds, libraries, weights, lengths, index, files."""
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert manifest["release"]["tag"] == "v1"
    assert manifest["plan"]["primary"] == "ndcg@10"
    assert manifest["seeds"] == {"resampling": 0}
    assert manifest["libraries"]["faiss-cpu"]
    assert manifest["metric_definitions"]["ndcg@10"].startswith("gains 0, 1, 2")
    wordllama = manifest["results"]["wordllama"]
    document = wordllama["description"]["document"]
    assert len(document["files"]["weights/l2_supercat_256.safetensors"]) == 64
    assert len(document["files"]["tokenizers/l2_supercat_tokenizer_config.json"]) == 64
    assert {"prompt", "max_length", "dtype", "device", "libraries"} <= document.keys()
    assert wordllama["dimensions"] == 256
    assert wordllama["truncated_share"] == 0.0
    assert set(wordllama["files"]) == {"wordllama.run", "hits/wordllama.jsonl"}
    assert load_run(result.folder).plan == Plan()


def test_a_second_run_elsewhere_gives_equal_run_files(
    result: RunResult, release: Release, cache: Path, tmp_path: Path
) -> None:
    """Byte by byte, and nothing is encoded again."""
    again = run_benchmark(release, FAST, tmp_path / "again", cache_dir=cache)
    for name in again.completed:
        first = (result.folder / f"{name}.run").read_bytes()
        assert (again.folder / f"{name}.run").read_bytes() == first
        assert again.candidate(name)["encoded_documents"] == 0
        assert again.candidate(name)["encoded_queries"] == 0
    assert again.summary["comparison"] == result.summary["comparison"]


KILLED = """
import os, sys
from pathlib import Path
from labelkit import releases
from labelkit.bench import run_benchmark
from labelkit.retrieval import default_candidates
def progress(done, total, message):
    if message.startswith("wordllama (2 of 3)"):
        os.kill(os.getpid(), 9)
run_benchmark(releases.load(Path(sys.argv[1])), default_candidates()[:3], Path(sys.argv[2]),
              progress=progress)
"""


def test_a_killed_run_goes_on_from_what_had_finished(release: Release, tmp_path: Path) -> None:
    """kill -9 in the second candidate: the first one's files are kept, the rest is run."""
    out = tmp_path / "killed"
    command = [sys.executable, "-c", KILLED, str(release.folder), str(out)]
    assert subprocess.run(command, check=False).returncode == -9
    half = load_run(out)
    assert not half.finished
    assert half.decision == ""
    assert states(half) == {"bm25": "completed", "wordllama": "running", "wordllama-64": "pending"}
    kept = (out / "bm25.run").stat().st_mtime_ns
    whole = run_benchmark(release, FAST, out)
    assert set(states(whole).values()) == {"completed"}
    assert (out / "bm25.run").stat().st_mtime_ns == kept
    assert whole.decision


def test_a_damaged_run_file_is_made_again(release: Release, cache: Path, tmp_path: Path) -> None:
    """A finished candidate counts only while its files are what its record says."""
    first = run_benchmark(release, FAST[:1], tmp_path / "run", cache_dir=cache)
    path = first.folder / "bm25.run"
    content = path.read_bytes()
    path.write_bytes(content[:-4])
    run_benchmark(release, FAST[:1], tmp_path / "run", cache_dir=cache)
    assert path.read_bytes() == content


def test_a_bug_in_a_candidate_fails_it_and_stops_nothing(
    release: Release, cache: Path, tmp_path: Path
) -> None:
    """A model folder that is no model: torch's own error is recorded, BM25 goes on."""
    (tmp_path / "model").mkdir()
    wrong = Candidate("wrong", "encoder", model=str(tmp_path / "model"))
    found = run_benchmark(release, [wrong, FAST[0]], tmp_path / "run", cache_dir=cache)
    assert states(found) == {"wrong": "failed", "bm25": "completed"}
    assert "logs/wrong.log" in found.candidate("wrong")["why"]
    assert "Traceback" in (tmp_path / "run" / "logs" / "wrong.log").read_text()
    assert "Not compared: wrong (failed)" in found.decision


def test_a_folder_that_holds_another_run_is_left_alone(
    result: RunResult, release: Release, broken: list[Candidate], tmp_path: Path
) -> None:
    """Another plan, other candidates, another release: each is refused by name."""
    asked = [*FAST, *broken]
    with pytest.raises(InputError, match="another plan"):
        run_benchmark(release, asked, result.folder, Plan("mrr@10"))
    with pytest.raises(InputError, match="another candidate"):
        run_benchmark(release, FAST, result.folder)
    other = small_release(tmp_path / "v1", {**LEVELS, "q5": {"json.dump": 1}})
    with pytest.raises(InputError, match="another release"):
        run_benchmark(other, asked, result.folder)


def test_a_run_that_could_mean_nothing_is_refused(release: Release, tmp_path: Path) -> None:
    """No candidate, one name twice, a comparison with nobody."""
    with pytest.raises(InputError, match="no candidate to run"):
        run_benchmark(release, [], tmp_path)
    with pytest.raises(InputError, match="share a name"):
        run_benchmark(release, [FAST[0], replace(FAST[1], name="BM25")], tmp_path)
    with pytest.raises(InputError, match="compares 'x'"):
        run_benchmark(release, FAST, tmp_path, Plan(pairs=(("bm25", "x"),)))


def test_one_candidate_alone_is_measured_and_compared_with_nobody(
    release: Release, cache: Path, tmp_path: Path
) -> None:
    """No comparison, and the decision says so."""
    found = run_benchmark(release, FAST[:1], tmp_path / "run", cache_dir=cache)
    assert found.summary["comparison"] is None
    assert "nothing to compare it with" in found.decision


def test_when_nobody_finishes_the_run_still_ends(
    release: Release, broken: list[Candidate], tmp_path: Path
) -> None:
    """The summary lists them and the decision says that there is none."""
    found = run_benchmark(release, broken, tmp_path / "run")
    assert found.finished
    assert found.decision.startswith("Nothing to decide")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"primary": "ap"}, "cannot decide"),
        ({"primary": "judged@10"}, "cannot decide"),
        ({"depth": 5}, "cannot carry a metric at 10"),
        ({"relevant_level": 3}, "must be 1 or 2"),
        ({"primary": "magic@3"}, "unknown measure"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(values: dict[str, object], message: str) -> None:
    """Before anything runs."""
    with pytest.raises(InputError, match=message):
        Plan(**values)  # type: ignore[arg-type]
