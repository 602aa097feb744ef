"""A run repeated from its manifest: equal byte by byte on one machine, or said what differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_release import FAST, LEVELS, small_release

from labelkit.bench import RunResult, files, run_benchmark
from labelkit.bench.rerun import other_fingerprint, rerun, rerun_text
from labelkit.cli.bench import rerun as command
from labelkit.cli.caching import cache as cache_command
from labelkit.errors import InputError
from labelkit.releases import Release
from labelkit.retrieval import Candidate
from labelkit.retrieval.cache_folder import cached_encoders

HYBRID = Candidate("hybrid", "fusion", parts=(FAST[0], FAST[1]))


def test_a_rerun_is_equal_byte_by_byte(release: Release, tmp_path: Path) -> None:
    """From the manifest alone, with another cache, fusion and reduced vectors included."""
    small = replace(FAST[1], name="int8", precision="int8")
    chosen = [FAST[0], HYBRID, small]
    run_benchmark(release, chosen, tmp_path / "first", cache_dir=tmp_path / "a")
    found = rerun(tmp_path / "first", release, tmp_path / "second", cache_dir=tmp_path / "b")
    assert found.same == ("bm25", "hybrid", "int8")
    assert found.other == {}
    assert "bm25: the same, byte by byte" in rerun_text(found)
    for name in ("bm25", "hybrid", "int8"):
        runs = [files.run_file(tmp_path / one, name).read_bytes() for one in ("first", "second")]
        assert runs[0] == runs[1]


def test_what_differs_is_said(release: Release, tmp_path: Path) -> None:
    """Another ranking, other scores, another state, another library."""
    run_benchmark(release, FAST[:2], tmp_path / "first", cache_dir=tmp_path / "cache")
    hits = files.hits_file(tmp_path / "first", "bm25")
    lines = hits.read_text(encoding="utf-8").replace("csv.writer", "csv.raiter")
    hits.write_text(lines, encoding="utf-8")
    files.run_file(tmp_path / "first", "bm25").write_bytes(b"other")
    manifest = files.read_json(tmp_path / "first" / files.MANIFEST)
    manifest["libraries"]["numpy"] = "1.0"
    files.write_json(tmp_path / "first" / files.MANIFEST, manifest)
    found = rerun(tmp_path / "first", release, tmp_path / "second", cache_dir=tmp_path / "cache")
    assert found.other["bm25"].startswith("ranks ")
    assert "fingerprint" not in found.other["bm25"]
    assert "wordllama" in found.same
    assert any(word.startswith("numpy was 1.0") for word in found.surroundings)


def test_a_candidate_that_is_another_one_now_is_said_to_be(tmp_path: Path) -> None:
    """An endpoint whose model changed has other vectors under the same manifest."""

    def run_of(folder: str, fingerprint: str) -> RunResult:
        one = {"name": "endpoint", "fingerprint": fingerprint}
        return RunResult(tmp_path / folder, {}, {"candidates": [one]})

    same = other_fingerprint(run_of("first", "a"), run_of("second", "a"), "endpoint")
    other = other_fingerprint(run_of("first", "a"), run_of("second", "b"), "endpoint")
    assert (same, "its fingerprint is another" in other) == ("", True)


def test_another_release_is_refused(release: Release, tmp_path: Path) -> None:
    """A rerun on other judgments would be no rerun."""
    run_benchmark(release, FAST[:1], tmp_path / "first", cache_dir=tmp_path / "cache")
    changed = {**LEVELS, "q3": {"math.sqrt": 1}}
    other = small_release(tmp_path / "other", changed)
    with pytest.raises(InputError, match="was run on a release with the content"):
        rerun(tmp_path / "first", other, tmp_path / "second")


def test_the_commands(release: Release, tmp_path: Path) -> None:
    """`labelkit rerun` and `labelkit cache`, outside of any workspace."""
    run_benchmark(release, FAST[:2], tmp_path / "first", cache_dir=tmp_path / "cache")
    nowhere = ["--workspace", str(tmp_path / "none")]
    out = str(tmp_path / "again")
    done = CliRunner().invoke(command, [str(tmp_path / "first"), *nowhere, "--out", out])
    assert done.exit_code == 0, done.output
    assert "wordllama: the same, byte by byte" in done.output
    listed = CliRunner().invoke(cache_command, [*nowhere, "--folder", str(tmp_path / "cache")])
    assert "wordllama, document" in listed.output
    pruned = CliRunner().invoke(
        cache_command,
        [*nowhere, "--folder", str(tmp_path / "cache"), "--prune", "--match", "document"],
    )
    assert "freed" in pruned.output
    assert [one.description["side"] for one in cached_encoders(tmp_path / "cache")] == ["query"]
    old = ["--folder", str(tmp_path / "cache"), "--unused-days", "3"]
    assert "0.0 MB in" in CliRunner().invoke(cache_command, [*nowhere, *old]).output
