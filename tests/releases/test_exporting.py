"""Every export reloads and gives the release's metrics again; texts can stay at home."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
import small_project as small
from click.testing import CliRunner

from labelkit import releases
from labelkit.cli import cli
from labelkit.errors import InputError, NotReady
from labelkit.formats.trec import read_qrels
from labelkit.measures import evaluate
from labelkit.releases import Release
from labelkit.store import Workspace, documents

MEASURES = ("ndcg@10", "recall@2", "mrr@10", "ap")


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Release]:
    """Two raters who differ here and there, settled by a rule."""
    workspace = small.build(
        tmp_path_factory.mktemp("frozen") / "w", query_count=4, document_count=6, quota=2
    )
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(workspace, small.BO, lambda task: min(2, task.pair_id % 4))
    folder = releases.freeze(workspace, "v1", small.LEAD, rule="max").folder
    return workspace, releases.load(folder, workspace)


def run_of(release: Release) -> dict[str, dict[str, float]]:
    return {
        query: {doc: float((hash_of(query + doc)) % 97) for doc in judged}
        for query, judged in release.qrels.items()
    }


def hash_of(text: str) -> int:
    return sum(ord(sign) * place**3 for place, sign in enumerate(text, 1))


Qrels = dict[str, dict[str, int]]


def from_rows(rows: list[dict[str, object]]) -> Qrels:
    found: Qrels = defaultdict(dict)
    for row in rows:
        found[str(row["query_id"])][str(row["doc_id"])] = int(str(row["level"]))
    return dict(found)


RELOAD: dict[str, Callable[[Path], Qrels]] = {
    "trec": lambda folder: read_qrels(folder / "qrels.txt"),
    "beir": lambda folder: read_qrels(folder / "qrels" / "test.tsv"),
    "mteb": lambda folder: read_qrels(folder / "qrels" / "test.tsv"),
    "jsonl": lambda folder: from_rows(
        [json.loads(line) for line in (folder / "qrels.jsonl").read_text().splitlines()]
    ),
    "csv": lambda folder: from_rows(
        list(csv.DictReader(io.StringIO((folder / "qrels.csv").read_text("utf-8-sig"))))
    ),
    "parquet": lambda folder: from_rows(
        pyarrow.parquet.read_table(folder / "qrels.parquet").to_pylist()
    ),
}


def test_every_form_is_reloaded_here() -> None:
    assert RELOAD.keys() == releases.FORMS.keys()


@pytest.mark.parametrize("form", RELOAD)
def test_a_reloaded_export_gives_the_same_metrics(
    form: str, frozen: tuple[Workspace, Release], tmp_path: Path
) -> None:
    release, run = frozen[1], run_of(frozen[1])
    releases.export(release, tmp_path, [form])
    again = RELOAD[form](tmp_path)
    assert evaluate(again, run, MEASURES).values == pytest.approx(
        evaluate(release.qrels, run, MEASURES).values, abs=1e-12, nan_ok=True
    )
    assert again == release.qrels


def test_each_raters_own_levels_stand_in_qrels_of_their_own(
    frozen: tuple[Workspace, Release], tmp_path: Path
) -> None:
    releases.export(frozen[1], tmp_path, ["trec"])
    own = {path.name: read_qrels(path) for path in tmp_path.glob("qrels-*.txt")}
    assert sorted(own) == ["qrels-rater-01.txt", "qrels-rater-02.txt"]
    for row in frozen[1].judgments:
        assert own[f"qrels-{row['rater']}.txt"][row["query_id"]][row["doc_id"]] == row["level"]


def test_a_reason_that_a_spreadsheet_would_run_is_defused(
    frozen: tuple[Workspace, Release], tmp_path: Path
) -> None:
    release = replace(
        frozen[1], judgments=[{**row, "reason": "=1+1"} for row in frozen[1].judgments]
    )
    releases.export(release, tmp_path, ["csv"])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "judgments.csv").read_text("utf-8-sig"))))
    assert {row["reason"] for row in rows} == {"'=1+1"}


def test_the_command_takes_forms_and_refuses_a_folder_in_use(
    frozen: tuple[Workspace, Release], tmp_path: Path
) -> None:
    command = ["export", "v1", "--workspace", str(frozen[0].path), "--out", str(tmp_path / "o")]
    told = CliRunner().invoke(cli, [*command, "--form", "csv", "--form", "jsonl"])
    assert told.exit_code == 0, told.output
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "judgments.csv", "judgments.jsonl", "qrels.csv", "qrels.jsonl",
    ]  # fmt: skip
    with pytest.raises(InputError, match="not empty"):
        releases.export(frozen[1], tmp_path / "o")
    with pytest.raises(InputError, match="no form"):
        releases.export(frozen[1], tmp_path / "p", ["xml"])


def test_without_texts_hashes_stay_no_text_goes_and_the_corpus_is_asked_for(
    frozen: tuple[Workspace, Release], tmp_path: Path
) -> None:
    workspace, whole = frozen
    told = CliRunner().invoke(
        cli,
        ["freeze", "bare", "--without-text", "--rule", "max", "--workspace", str(workspace.path)],
    )
    assert told.exit_code == 0, told.output
    folder = releases.find(workspace, "bare")
    everything = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"mended with glue" not in everything
    bare = releases.load(folder, workspace)
    assert bare.hashes == whole.hashes == {d.doc_id: d.text_sha256 for d in whole.documents}
    assert (bare.texts, bare.qrels) == (False, whole.qrels)
    with pytest.raises(NotReady, match="--corpus"):
        releases.complete(bare)
    with pytest.raises(NotReady, match="without texts"):
        releases.export(bare, tmp_path)
    for full in (
        releases.complete(bare, whole.documents),
        releases.complete(bare, None, workspace),
    ):
        assert full.documents == whole.documents
        assert full.judgments == whole.judgments
    other = [replace(whole.documents[0], text="changed"), *whole.documents[1:]]
    with pytest.raises(InputError, match="1 of the corpus's documents differ"):
        releases.complete(bare, other)
    with pytest.raises(InputError, match="lacks 1 of"):
        releases.complete(bare, whole.documents[1:])


ATTACKS = (
    "update releases set tag = 'x'",
    "update releases set manifest = '{}' where tag = 'v1'",
    "delete from releases",
    "insert or replace into releases values ('v1', 'x', '{}', null, '2020')",
    "replace into releases values ('v1', 'x', '{}', null, '2020')",
    "insert into releases values ('v1', 'x', '{}', null, '2020') "
    "on conflict(tag) do update set content_sha256 = 'x'",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_plain_connection_cannot_change_a_release(
    attack: str, frozen: tuple[Workspace, Release]
) -> None:
    database = frozen[0].database
    before = releases.list_releases(frozen[0])
    connection = sqlite3.connect(database)
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        connection.execute(attack)
    connection.close()
    assert releases.list_releases(frozen[0]) == before


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_sqlite3_shell_cannot_change_a_release(
    attack: str, frozen: tuple[Workspace, Release]
) -> None:
    before = releases.list_releases(frozen[0])
    try:
        shell = subprocess.run(
            ["sqlite3", str(frozen[0].database), attack], capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("no sqlite3 shell on this machine")
    assert shell.returncode
    assert "never" in shell.stderr
    assert releases.list_releases(frozen[0]) == before


def test_the_workspace_gives_its_texts_only_while_they_are_the_frozen_ones(
    tmp_path: Path,
) -> None:
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN)
    bare = releases.load(releases.freeze(workspace, "v1", small.LEAD, texts=False).folder)
    with workspace.writing() as db:
        documents.save(db, [replace(small.document(1), text="other")])
    with pytest.raises(InputError, match="differ"):
        releases.complete(bare, None, workspace)
