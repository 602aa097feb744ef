"""A release that travels: through git, as a zip, forged on the way, back through an import."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import small_project as small
from click.testing import CliRunner

from labelkit import releases
from labelkit.cli import cli
from labelkit.errors import InputError
from labelkit.measures import evaluate
from labelkit.model import Document, Query, QuerySource, Role, Span
from labelkit.releases import Release, content
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, judgments, pairs, people, queries, rubrics

QUERY_IDS = ("=q1", "-q2", "001", "NA", 'q"7', "'9")
DOC_IDS = ("=d1", "+2", "@3", "007", "1e5", "d,6", "true")
MEASURES = ("ndcg@10", "recall@5", "mrr@10", "ap")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Ids, texts and reasons that spreadsheets, parsers and line readers trip over."""
    workspace = Workspace.create(tmp_path_factory.mktemp("sent") / "w")
    lead = people.add(workspace, "Lee Lead", [Role.LEAD]).person_id
    raters = [people.add(workspace, name, [Role.RATER]).person_id for name in ("Ann", "Bo")]
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        documents.save(db, [Document(d, f"=T {d}", "=SUM(A1)\r\nx\u2028y\t", {}) for d in DOC_IDS])
        queries.save(db, [Query(q, f"=cmd {q}\nmore", QuerySource.LOG) for q in QUERY_IDS])
        pairs.add(db, [(q, d) for q in QUERY_IDS for d in DOC_IDS], "pool")
        for number, key in enumerate(pairs.keys(db)):
            for person in raters[: 1 + number % 2]:
                _judge(db, key, person, number)
    return releases.load(releases.freeze(workspace, "v1", lead).folder)


def _judge(db: Any, key: tuple[str, str], person: str, number: int) -> None:
    pair = pairs.find(db, *key)
    assert pair is not None
    pairs.raise_quota(db, [pair.pair_id], 2)
    judgments.append(
        db, pair_id=pair.pair_id, person_id=person, rubric_version=1, level=number * 7 % 3,
        cause=None, reason='=HYPERLINK("x")', round="first", evidence=[Span(0, 4, "=SUM")],
    )  # fmt: skip


def git(*words: object, at: Path) -> None:
    told = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *map(str, words)]
    subprocess.run(told, cwd=at, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git on this machine")
@pytest.mark.parametrize("line_ends", ["false", "true", "input"])
def test_a_clone_verifies_and_benchmarks_without_the_workspace(
    release: Release, tmp_path: Path, line_ends: str
) -> None:
    """Also where git rewrites line ends, as it does on Windows."""
    repository, clone = tmp_path / "repository", tmp_path / "clone"
    shutil.copytree(release.folder, repository / "v1")
    git("init", "-q", at=repository)
    git("add", "-A", at=repository)
    git("commit", "-qm", "v1", at=repository)
    git("-c", f"core.autocrlf={line_ends}", "clone", "-q", repository, clone, at=tmp_path)
    (tmp_path / "c.toml").write_text('[[candidate]]\nname = "b"\nkind = "bm25"\n')
    for command in (
        ["verify", str(clone / "v1")],
        ["bench", "--release", str(clone / "v1"), "--candidates", str(tmp_path / "c.toml"),
         "--out", str(tmp_path / "run")],
    ):  # fmt: skip
        command += ["--workspace", str(tmp_path / "nowhere")]
        told = CliRunner().invoke(cli, command)
        assert told.exit_code == 0, (told.output, told.exception)


FILES = {
    "trec": ["qrels.txt"],
    "beir": ["qrels/test.tsv"],
    "mteb": ["qrels/test.tsv"],
    "jsonl": ["judgments.jsonl", "qrels.jsonl"],
    "csv": ["judgments.csv", "qrels.csv"],
    "parquet": ["judgments.parquet", "qrels.parquet"],
}


@pytest.mark.parametrize(("form", "file"), [(f, n) for f, names in FILES.items() for n in names])
def test_an_export_comes_back_through_import_with_the_same_metrics(
    form: str, file: str, release: Release, tmp_path: Path
) -> None:
    assert FILES.keys() == releases.FORMS.keys()
    releases.export(release, tmp_path / "out", list({form, "beir"}))
    here = ["--workspace", str(tmp_path / "new")]
    for command in (
        ["init"],
        ["import", "documents", str(tmp_path / "out" / "corpus.jsonl")],
        ["import", "queries", str(tmp_path / "out" / "queries.jsonl")],
        ["import", "judgments", str(tmp_path / "out" / file)],
    ):
        told = CliRunner().invoke(cli, [*command, *here])
        assert told.exit_code == 0, told.output
    workspace = Workspace.open(tmp_path / "new")
    lead = people.add(workspace, "Lee Lead", [Role.LEAD]).person_id
    again = releases.load(releases.freeze(workspace, "v1", lead).folder)
    run = {
        q: {d: float((i * 13 + j * 7) % 11) for j, d in enumerate(DOC_IDS)}
        for i, q in enumerate(QUERY_IDS)
    }
    assert evaluate(again.qrels, run, MEASURES).values == pytest.approx(
        evaluate(release.qrels, run, MEASURES).values, abs=1e-12, nan_ok=True
    )
    assert (again.qrels, again.documents) == (release.qrels, release.documents)
    assert [(q.query_id, q.text) for q in again.queries] == [
        (q.query_id, q.text) for q in release.queries
    ]


def test_a_level_that_a_lead_settled_is_not_imported_as_a_raters(
    release: Release, tmp_path: Path
) -> None:
    """The refusal says which way the release comes in whole."""
    row = {"query_id": "=q1", "doc_id": "=d1", "level": 1, "round": "adjudication"}
    (tmp_path / "j.jsonl").write_text(json.dumps(row))
    workspace = small.build(tmp_path / "w")
    told = CliRunner().invoke(
        cli,
        ["import", "judgments", str(tmp_path / "j.jsonl"), "--workspace", str(workspace.path)],
    )
    assert told.exit_code
    assert "labelkit adopt" in str(told.exception)


def test_a_zip_is_adopted_as_its_folder_is(release: Release, tmp_path: Path) -> None:
    """What the page gives for download goes straight into a new project."""
    file = tmp_path / "v1.zip"
    file.write_bytes(releases.archive(release.folder))
    told = CliRunner().invoke(cli, ["adopt", str(file), "--workspace", str(tmp_path / "new")])
    assert told.exit_code == 0, told.output
    assert "6 queries, 7 documents, 63 judgments." in told.output


def packed(files: dict[str, bytes]) -> BytesIO:
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return BytesIO(held.getvalue())


def folder_files(release: Release) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in release.folder.iterdir()}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../evil.txt", "no file of a release"),
        ("v1/.bashrc", "no file of a release"),
        ("v2/manifest.json", "more than one release"),
    ],
)
def test_a_zip_with_anything_else_in_it_is_refused(
    name: str, said: str, release: Release, tmp_path: Path
) -> None:
    files = {f"v1/{one}": data for one, data in folder_files(release).items()}
    with pytest.raises(InputError, match=said):
        releases.unpack(packed({**files, name: b"x"}), tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_paths_of_a_zip_are_not_followed(release: Release, tmp_path: Path) -> None:
    """Files land in the folder that was asked for, wherever the zip says they belong."""
    files = {f"../../v1/{one}": data for one, data in folder_files(release).items()}
    found = releases.unpack(packed({**files, "__MACOSX/v1/._x": b"", "v1/.DS_Store": b""}),
                            tmp_path / "a" / "b" / "in")  # fmt: skip
    assert releases.load(found).qrels == release.qrels
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no zip at all"])
def test_what_is_no_zip_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as a zip archive"):
        releases.unpack(BytesIO(data), tmp_path / "in")


def forged(release: Release, folder: Path, file: str, change: Callable[[str], str]) -> Path:
    """A copy in which a file is another and every sum fits again."""
    shutil.copytree(release.folder, folder)
    held = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_text(change(held), encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {n: content.sha256((folder / n).read_bytes()) for n in manifest["files"]}
    manifest["content_sha256"] = content.content_sha256(manifest["files"])
    (folder / "manifest.json").write_bytes(content.manifest(manifest))
    names = [*manifest["files"], "manifest.json"]
    sums = {name: content.sha256((folder / name).read_bytes()) for name in names}
    (folder / "SHA256SUMS").write_bytes(content.sums(sums))
    assert releases.verify(folder).ok
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("qrels.txt", " 1\n", " 7\n"),
        ("judgments.jsonl", '"level":1', '"level":true'),
        ("judgments.jsonl", '"reason"', '"raison"'),
        ("judgments.jsonl", '"start":0', '"begin":0'),
        ("queries.jsonl", '"source":"log"', '"source":"dream"'),
        ("documents.jsonl", '"doc_id"', '"id"'),
        ("manifest.json", '"tag":"v1"', '"tag":"../../v1"'),
        ("manifest.json", '"tag":"v1"', '"tag":7'),
    ],
)
def test_a_forged_release_is_refused_in_words(
    file: str, old: str, new: str, release: Release, tmp_path: Path
) -> None:
    """Sums that fit prove nothing about who made them."""
    folder = forged(release, tmp_path / "v1", file, lambda held: held.replace(old, new))
    with pytest.raises(InputError, match="what no release of labelkit holds"):
        releases.load(folder)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("judgments.jsonl", '"doc_id":"007"', '"doc_id":"nowhere"'),
        ("judgments.jsonl", '"rubric_version":1', '"rubric_version":9'),
        ("manifest.json", '"levels"', '"grades"'),
    ],
)
def test_what_no_project_can_hold_leaves_none_behind(
    file: str, old: str, new: str, release: Release, tmp_path: Path
) -> None:
    """The folder is as it was, and the next attempt finds it free."""
    folder = forged(release, tmp_path / "v1", file, lambda held: held.replace(old, new))
    with pytest.raises(InputError):
        releases.adopt(tmp_path / "new", [releases.load(folder)], lead="Lee Lead")
    assert not (tmp_path / "new").exists()
    told = releases.adopt(tmp_path / "new", [release], lead="Lee Lead")
    assert told.judgments == 63
