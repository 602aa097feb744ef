"""The public collections on the command line: what comes in goes out as the same rows, twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from labelkit.cli import cli
from labelkit.errors import InputError

CRANFIELD = "1=2,2=2,3=1,4=1,-1=0"


def run(workspace: Path, *arguments: str | Path) -> Result:
    """One command; a refusal is raised."""
    said = [*map(str, arguments), "--workspace", str(workspace)]
    return CliRunner().invoke(cli, said, catch_exceptions=False)


def made(folder: Path) -> Path:
    """An empty workspace whose only person may freeze."""
    workspace = folder / "w"
    assert run(workspace, "init", "--name", "Public", "--person", "Lee Lead").exit_code == 0
    return workspace


def exported(workspace: Path, folder: Path) -> list[str]:
    """Freeze, export twice, and give the rows; both copies are the same bytes."""
    assert run(workspace, "freeze", "v1", "--person", "Lee Lead", "--rule", "max").exit_code == 0
    for copy in ("one", "two"):
        assert run(workspace, "export", "v1", "--out", folder / copy).exit_code == 0
    one, two = ((folder / copy / "qrels.txt").read_bytes() for copy in ("one", "two"))
    assert one == two
    return one.decode().splitlines()


def wanted(qrels: Path, levels: dict[str, str]) -> list[str]:
    """The rows of a BEIR file under a mapping, as TREC has them."""
    rows = (line.split("\t") for line in qrels.read_text().splitlines()[1:])
    return sorted(f"{query} 0 {doc} {levels.get(grade, grade)}" for query, doc, grade in rows)


@pytest.mark.parametrize(
    ("name", "split", "said", "levels"),
    [
        ("cranfield", "test", "as-is", {}),
        ("esci_opensearch", "4level", "0=0,1=1,2=1,3=2", {"2": "1", "3": "2"}),
        ("npl_vaswani", "test", "binary", {"1": "2"}),
        ("quepid/beir", "test", "0-3", {"2": "1", "3": "2"}),
    ],
)
def test_a_beir_folder_goes_out_as_it_came_in(
    shared_data: Path, tmp_path: Path, name: str, split: str, said: str, levels: dict[str, str]
) -> None:
    folder, workspace = shared_data / name, made(tmp_path)
    done = run(workspace, "import", "beir", folder, "--split", split, "--levels", said)
    assert done.exit_code == 0
    assert sorted(exported(workspace, tmp_path)) == wanted(
        folder / "qrels" / f"{split}.tsv", levels
    )
    again = run(workspace, "import", "beir", folder, "--split", split, "--levels", said)
    assert again.stdout.count("nothing changed") == 3


def test_the_public_copy_of_cranfield_by_position(shared_data: Path, tmp_path: Path) -> None:
    folder, workspace = shared_data / "cranfield", made(tmp_path)
    run(workspace, "import", "documents", folder / "orig" / "cran.all.1400")
    run(workspace, "import", "queries", folder / "orig" / "cran.qry")
    qrels = ("import", "judgments", folder / "orig" / "cranqrel", "--levels", CRANFIELD)
    with pytest.raises(InputError, match="--query-ids by-position"):
        run(workspace, *qrels)
    assert run(workspace, *qrels, "--query-ids", "by-position").exit_code == 0
    assert len(exported(workspace, tmp_path)) == 1837


def test_quepids_wide_book(shared_data: Path, tmp_path: Path) -> None:
    folder, workspace = shared_data / "quepid", made(tmp_path)
    run(workspace, "import", "documents", folder / "beir" / "corpus.jsonl")
    run(workspace, "import", "queries", folder / "beir" / "queries.jsonl")
    book = ("import", "judgments", folder / "book_export_wide.csv", "--levels", "0-3", "--json")
    assert json.loads(run(workspace, *book).stdout)[0]["added"] == 1920
    assert len(exported(workspace, tmp_path)) == 1358
