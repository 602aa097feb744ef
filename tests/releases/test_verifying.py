"""Verifying: one changed byte anywhere is found, and its file is named."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
import small_project as small
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit import releases
from labelkit.errors import InputError, NotReady
from labelkit.releases import content
from labelkit.store import Workspace

FILES = sorted([*content.CONTENT_FILES, "agreement.json", "history.jsonl", "manifest.json"])
ALL_FILES = [*FILES, ".gitattributes", "SHA256SUMS"]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Path]:
    """A workspace with one release, which no test here changes."""
    workspace = small.build(tmp_path_factory.mktemp("frozen") / "w", quota=2)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(workspace, small.BO, lambda task: task.pair_id % 3)
    return workspace, releases.freeze(workspace, "v1", small.LEAD).folder


@pytest.fixture
def copy(frozen: tuple[Workspace, Path], tmp_path: Path) -> Path:
    """A copy of the release, as a clone would have it: without its workspace."""
    return Path(shutil.copytree(frozen[1], tmp_path / "clone"))


def problems(folder: Path) -> str:
    return " ".join(releases.verify(folder).problems)


def test_a_release_as_it_was_frozen_verifies_with_and_without_its_workspace(
    frozen: tuple[Workspace, Path], copy: Path
) -> None:
    workspace, folder = frozen
    assert sorted(path.name for path in folder.iterdir()) == sorted(ALL_FILES)
    assert releases.verify(folder, workspace).ok
    assert releases.verify(copy).ok
    assert releases.verify(copy, workspace).ok
    assert releases.find(workspace, "v1") == folder


def test_sha256sum_reads_the_list_of_sums(copy: Path) -> None:
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=copy).returncode == 0


@pytest.mark.parametrize("name", ALL_FILES)
@pytest.mark.parametrize("where", ["first", "middle", "last", "cut", "added"])
def test_one_changed_byte_is_found_and_its_file_named(copy: Path, name: str, where: str) -> None:
    data = bytearray((copy / name).read_bytes())
    place = {"first": 0, "middle": len(data) // 2, "last": len(data) - 1}.get(where)
    if place is not None:
        data[place] ^= 1
    elif where == "cut":
        del data[-1]
    else:
        data += b"\n"
    (copy / name).write_bytes(data)
    assert name in problems(copy)
    with pytest.raises(InputError, match=name):
        releases.load(copy)


def test_a_changed_content_file_is_the_only_one_named(copy: Path) -> None:
    (copy / "qrels.txt").write_bytes((copy / "qrels.txt").read_bytes().replace(b" 1\n", b" 2\n"))
    assert releases.verify(copy).problems == ("qrels.txt has changed since it was frozen.",)


@pytest.mark.parametrize("name", ALL_FILES)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert f"{name} is missing" in problems(copy)


def test_a_missing_list_of_sums_blames_no_other_file(copy: Path) -> None:
    (copy / "SHA256SUMS").unlink()
    assert releases.verify(copy).problems == ("SHA256SUMS is missing or unreadable.",)


@pytest.mark.parametrize("name", ["extra.txt", ".hidden", "qrels.txt.bak"])
def test_an_additional_file_is_named(copy: Path, name: str) -> None:
    (copy / name).write_text("x")
    assert problems(copy) == f"{name} was not part of the release."


def test_an_additional_folder_is_named(copy: Path) -> None:
    (copy / "folder").mkdir()
    assert problems(copy) == "folder was not part of the release."


def test_a_missing_folder_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    assert not releases.verify(tmp_path / "none").ok
    with pytest.raises(NotReady):
        releases.find(None, str(tmp_path / "none"))


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "{}",
        '{"files": []}',
        '{"files": {"qrels.txt": 3}}',
        '{"files": {"../x": "0"}}',
        pytest.param("[" * 9000, id="nested"),
    ],
)
def test_a_manifest_that_is_none_is_a_problem_not_a_crash(copy: Path, manifest: str) -> None:
    (copy / "manifest.json").write_text(manifest)
    assert "manifest.json" in problems(copy)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_happens_to_one_file_verify_names_it_and_never_raises(
    frozen: tuple[Workspace, Path], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(ALL_FILES))
    before = (frozen[1] / name).read_bytes()
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, min(len(before), start + 40)))
    after = before[:start] + data.draw(st.binary(max_size=40)) + before[end:]
    with small.folder_in_memory() as folder:
        clone = Path(shutil.copytree(frozen[1], folder / "clone"))
        (clone / name).write_bytes(after)
        found = problems(clone)
    assert (name in found) == (after != before)


def test_a_release_forged_throughout_fails_against_the_workspaces_record(
    frozen: tuple[Workspace, Path], tmp_path: Path
) -> None:
    workspace = Workspace.open(shutil.copytree(frozen[0].path, tmp_path / "w"))
    folder = workspace.releases / "v1"
    forged = (folder / "qrels.txt").read_bytes().replace(b" 1\n", b" 2\n")
    (folder / "qrels.txt").write_bytes(forged)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["qrels.txt"] = content.sha256(forged)
    manifest["content_sha256"] = content.content_sha256(manifest["files"])
    data = content.manifest(manifest)
    (folder / "manifest.json").write_bytes(data)
    sums = {**manifest["files"], "manifest.json": content.sha256(data)}
    (folder / "SHA256SUMS").write_bytes(content.sums(sums))
    assert releases.verify(folder).ok
    assert releases.verify(folder, workspace).problems == (
        "manifest.json is not the one that this workspace recorded at the freeze.",
    )


def test_an_archive_of_the_same_release_is_the_same_bytes_and_unpacks_to_it(copy: Path) -> None:
    first = releases.archive(copy)
    for path in copy.iterdir():
        path.touch()
    assert releases.archive(copy) == first
    with zipfile.ZipFile(BytesIO(first)) as archived:
        assert sorted(archived.namelist()) == sorted(f"clone/{name}" for name in ALL_FILES)
        for name in ALL_FILES:
            assert archived.read(f"clone/{name}") == (copy / name).read_bytes()


def test_an_export_is_the_same_bytes_each_time_and_only_into_an_empty_folder(
    frozen: tuple[Workspace, Path], tmp_path: Path
) -> None:
    release = releases.load(frozen[1])
    written = [releases.export(release, tmp_path / out) for out in ("a", "b")]
    assert [path.read_bytes() for path in written[0]] == [path.read_bytes() for path in written[1]]
    assert (tmp_path / "a" / "qrels.txt").read_bytes() == (frozen[1] / "qrels.txt").read_bytes()
    with pytest.raises(InputError, match="not empty"):
        releases.export(release, tmp_path / "a")
