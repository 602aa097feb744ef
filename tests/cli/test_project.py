"""The command line on a workspace: exit codes, one clear line, and Cranfield from end to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import small_project as small

from labelkit.cli import COMMANDS, SUMMARIES
from labelkit.store import Workspace

TIMEOUT = 300
BUILT = [name for name, place in sorted(COMMANDS.items()) if find_spec(place.split(":")[0])]


def labelkit(
    *arguments: str | Path, code: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would; it ends with this code and never with a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "labelkit.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "HF_HUB_OFFLINE": "1", **environment},
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    return done


def refused(*arguments: str | Path, code: int = 1) -> str:
    """The one line with which a command is refused."""
    done = labelkit(*arguments, code=code)
    assert done.stdout == ""
    lines = done.stderr.strip().split("\n")
    assert len(lines) == 1
    return lines[0].removeprefix("labelkit: ")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """The folder of a small project, judged to the end."""
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    return workspace.path


def test_every_command_has_a_summary_and_the_other_way_round() -> None:
    assert COMMANDS.keys() == SUMMARIES.keys()


@pytest.mark.parametrize("command", [[], *[[name] for name in BUILT], ["import", "documents"]])
def test_help_says_what_the_command_does(command: list[str]) -> None:
    said = labelkit(*command, "--help").stdout
    assert said.startswith("Usage: labelkit")
    assert len(said.split("\n")) > 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["freeze"],
        ["init", "--no-such-option"],
        ["pool", "--depth", "0"],
        ["pool", "--depth", "ten"],
        ["freeze", "v1", "--rule", "mean"],
        ["import", "pictures", "a.csv"],
        ["import", "documents"],
        ["export", "v1"],
        ["init", "--workspace", __file__],
    ],
)
def test_wrong_usage_ends_with_code_2(arguments: list[str]) -> None:
    assert labelkit(*arguments, code=2).stdout == ""


def test_a_workspace_that_is_not_there_is_refused_with_the_command_that_makes_it(
    tmp_path: Path,
) -> None:
    for command in (["pool"], ["freeze", "v1"], ["agreement"], ["import", "queries", "a.csv"]):
        line = refused(*command, "--workspace", tmp_path / "none")
        assert "labelkit init --workspace" in line
    assert not (tmp_path / "none").exists()


def test_init_makes_a_workspace_once_and_keeps_its_name(tmp_path: Path) -> None:
    said = labelkit("init", "--workspace", tmp_path / "w", "--name", "Help desk").stdout
    assert said.startswith("Made the workspace")
    assert labelkit("init", LABELKIT_WORKSPACE=str(tmp_path / "w")).stdout.startswith("There was")
    assert Workspace.open(tmp_path / "w").name == "Help desk"


SOUND_LEVELS = {str(n): {"name": "a", "definition": "b"} for n in (0, 1, 2)}


@pytest.mark.parametrize(
    "rubric",
    [
        "",
        "[]",
        "{}",
        '{"levels": 3}',
        '{"levels": {"0": {}, "1": {}, "2": {}}}',
        json.dumps({"levels": SOUND_LEVELS, "rules": "one"}),
        json.dumps({"levels": SOUND_LEVELS, "title": 3}),
        json.dumps({"levels": SOUND_LEVELS | {"0": {"name": 1, "definition": "b"}}}),
        json.dumps({"levels": SOUND_LEVELS, "examples": [{"boundary": "0/1"}]}),
        pytest.param("[" * 9000, id="nested"),
    ],
)
def test_init_with_a_file_that_is_no_rubric_makes_nothing(tmp_path: Path, rubric: str) -> None:
    (tmp_path / "rubric.json").write_text(rubric)
    refused("init", "--workspace", tmp_path / "w", "--rubric", tmp_path / "rubric.json")
    assert not (tmp_path / "w").exists()


def test_init_in_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert "is not empty" in refused("init", "--workspace", tmp_path)


def test_init_where_no_folder_can_be_made_is_refused_in_one_line() -> None:
    refused("init", "--workspace", "/proc/labelkit")


def test_a_damaged_database_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "labelkit.db").write_bytes(b"not a database " * 300)
    assert "damaged" in refused("agreement", "--workspace", tmp_path)


def test_an_import_with_a_bad_row_names_file_and_line(tmp_path: Path) -> None:
    small.build(tmp_path / "w")
    (tmp_path / "a.csv").write_text("doc_id,text\nd9,x\nd 10,y\n")
    line = refused("import", "documents", tmp_path / "a.csv", "--workspace", tmp_path / "w")
    assert line.startswith("a.csv: nothing was imported. line 3, column 'doc_id': 'd 10' is no id")
    line = refused("import", "documents", tmp_path / "b.csv", "--workspace", tmp_path / "w")
    assert line.endswith("there is no such file; check the path.")


def test_import_reports_in_json(tmp_path: Path) -> None:
    small.build(tmp_path / "w")
    (tmp_path / "a.csv").write_text("doc_id,text\nd9,x\n")
    done = labelkit(
        "import", "documents", tmp_path / "a.csv", "--json", "--workspace", tmp_path / "w"
    )
    assert json.loads(done.stdout)[0]["added"] == 1


def test_agreement_reports_in_words_and_in_json(judged: Path) -> None:
    assert labelkit("agreement", "--workspace", judged).stdout.strip()
    report = json.loads(labelkit("agreement", "--json", "--workspace", judged).stdout)
    assert report["alpha"] is None
    assert report["undefined"]


def test_freeze_verify_export_and_their_refusals(judged: Path, tmp_path: Path) -> None:
    at = ("--workspace", judged)
    assert "no release 'v1'" in refused("verify", "v1", *at)
    nowhere = refused("verify", "v1", "--workspace", tmp_path / "none")
    assert "no release folder 'v1', and no workspace" in nowhere
    frozen = json.loads(labelkit("freeze", "v1", "--json", *at).stdout)
    assert "never changes" in refused("freeze", "v1", *at)
    assert "cannot be a tag" in refused("freeze", "a/b", *at)
    assert frozen["content_sha256"] in labelkit("verify", "v1", *at).stdout
    labelkit("verify", frozen["folder"], "--workspace", tmp_path / "none")
    assert "wrote" in labelkit("export", "v1", "--out", tmp_path / "out", *at).stdout
    assert "not empty" in refused("export", "v1", "--out", tmp_path / "out", *at)
    qrels = Path(frozen["folder"]) / "qrels.txt"
    qrels.write_bytes(qrels.read_bytes().replace(b" 1\n", b" 2\n"))
    assert "qrels.txt has changed" in labelkit("verify", "v1", *at, code=1).stdout
    checked = json.loads(labelkit("verify", "v1", "--json", *at, code=1).stdout)
    assert checked["ok"] is False
    assert "qrels.txt has changed" in refused("export", "v1", "--out", tmp_path / "x", *at)


def test_doctor_says_where_a_named_workspace_is_missing(tmp_path: Path) -> None:
    """A workspace that somebody named has to be there; without a name it is only noted."""
    named = labelkit("doctor", "--workspace", tmp_path / "none", code=1).stdout
    assert f"wrong  workspace: there is none at {tmp_path / 'none'}" in named
    assert "wrong" in labelkit("doctor", code=1, LABELKIT_WORKSPACE=str(tmp_path / "none")).stdout


def test_freeze_is_refused_with_every_reason_and_takes_a_rule(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", quota=2)
    small.work_through(workspace, small.ANN, lambda task: 0)
    small.work_through(workspace, small.BO, lambda task: 2)
    at = ("--workspace", workspace.path)
    assert "6 of 6 pairs are unresolved" in refused("freeze", "v1", *at)
    assert "Froze v1" in labelkit("freeze", "v1", "--rule", "min", *at).stdout


CANDIDATES = '[[candidate]]\nname = "bm25"\n\n[[candidate]]\nname = "wordllama"\n'


def import_cranfield(source: Path, judgments: Path, path: Path) -> tuple[str, Path]:
    """Fill a workspace with Cranfield through the CLI; returns its option."""
    at = ("--workspace", path)
    labelkit("init", *at, "--person", f"Lead {path.name}")
    labelkit("import", "documents", source / "corpus.jsonl", *at)
    labelkit("import", "queries", source / "queries.jsonl", *at)
    labelkit("import", "judgments", judgments, "--rater", "Cranfield", *at)
    again = labelkit("import", "documents", source / "corpus.jsonl", *at).stdout
    assert again == "corpus.jsonl: nothing changed; all 1,400 documents are here.\n"
    return at


def backwards(judgments: Path, path: Path) -> Path:
    """The same judgments in the opposite order, under another file name."""
    header, *rows = judgments.read_text().strip().split("\n")
    path.write_text("\n".join([header, *reversed(rows)]) + "\n")
    return path


def freeze(at: tuple[str, Path]) -> dict[str, Any]:
    frozen: dict[str, Any] = json.loads(
        labelkit("freeze", "v1", "--json", *at, "--person", f"Lead {at[1].name}").stdout
    )
    return frozen


def test_cranfield_comes_in_twice_freezes_to_one_hash_and_one_changed_byte_fails(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "cranfield"
    qrels = source / "qrels" / "test.tsv"
    places = [
        import_cranfield(source, qrels, tmp_path / "a"),
        import_cranfield(source, backwards(qrels, tmp_path / "qrels.tsv"), tmp_path / "b"),
    ]
    frozen = [freeze(at) for at in places]
    assert frozen[0]["content_sha256"] == frozen[1]["content_sha256"]
    assert frozen[0]["counts"]["documents"] == 1400
    assert frozen[0]["counts"]["judgments"] == 1837
    labelkit("verify", "v1", *places[1])
    documents = Path(frozen[1]["folder"]) / "documents.jsonl"
    data = bytearray(documents.read_bytes())
    data[len(data) // 2] ^= 1
    documents.write_bytes(data)
    said = labelkit("verify", "v1", *places[1], code=1).stdout
    assert said == "documents.jsonl has changed since it was frozen.\n"


def test_cranfield_pools_with_bm25_and_wordllama(shared_data: Path, tmp_path: Path) -> None:
    at, source = ("--workspace", tmp_path / "w"), shared_data / "cranfield"
    (tmp_path / "candidates.toml").write_text(CANDIDATES)
    labelkit("init", *at)
    labelkit("import", "documents", source / "corpus.jsonl", *at)
    labelkit("import", "queries", source / "queries.jsonl", *at)
    chosen = ("--depth", "5", "--query", "1", "--query", "2")
    candidates = ("--candidates", tmp_path / "candidates.toml")
    report = json.loads(labelkit("pool", "--json", *chosen, *candidates, *at).stdout)
    assert report["queries"] == 2
    assert report["retrievers"] == ["bm25", "wordllama"]
    assert 10 <= report["pairs_found"] == report["pairs_new"] <= 20
