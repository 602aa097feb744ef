"""`labelkit draft sample` and `labelkit draft rest`: a spot-check without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small

from labelkit import drafting
from labelkit.cli import main
from labelkit.model import Query, QuerySource, QueryState
from labelkit.store import Workspace, queries

LEAD = ("--person", "Lee Lead")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Ten drafts."""
    workspace = small.build(tmp_path / "w", pooled=False)
    with workspace.writing() as db:
        queries.save(
            db,
            [
                Query(f"s{n}", f"how is thing {n} mended", QuerySource.SYNTHETIC, QueryState.DRAFT)
                for n in range(10)
            ],
        )
    return workspace


def call(workspace: Workspace, *words: str) -> int:
    """Run `labelkit draft …` in this process; returns its exit code."""
    with pytest.raises(SystemExit) as left:
        main(["draft", *words, "--workspace", str(workspace.path)])
    return int(left.value.code or 0)


def test_a_sample_is_drawn_shown_and_the_rest_settled(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same figures as on the page, as text and as JSON."""
    assert call(workspace, "sample") == 0
    assert "No sample was drawn" in capsys.readouterr().out
    assert call(workspace, "sample", "--share", "20", "--seed", "3", *LEAD) == 0
    assert "20 % of 10 drafts, seed 3, drawn by Lee Lead: 0 of 2 read" in capsys.readouterr().out
    assert call(workspace, "rest", "accept", "--note", "fine", *LEAD) == 1
    assert "2 of the 2 drafts of the sample wait to be read" in capsys.readouterr().err
    for _ in range(2):
        shown = drafting.draft_at(workspace, only_sample=True)
        assert shown is not None
        drafting.accept(workspace, small.ANN, shown.query.query_id)
    assert call(workspace, "sample") == 0
    assert "accepted 100% (16% to 100%, n 2, too few), 0 of them edited" in capsys.readouterr().out
    assert call(workspace, "sample", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["seed"], figures["acceptance"]["n"], len(figures["outside"])) == (3, 2, 8)
    assert call(workspace, "rest", "hold", "--note", "later", *LEAD) == 0
    assert call(workspace, "rest", "release", *LEAD) == 0
    assert call(workspace, "rest", "accept", "--note", "fine", *LEAD) == 0
    assert "8 drafts accepted unread." in capsys.readouterr().out
    assert drafting.reviewed(workspace).unreviewed == 8


def test_what_a_command_lacks_is_one_line(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """A share that is none, a choice without its reason."""
    assert call(workspace, "sample", "--share", "50", *LEAD) == 1
    assert "10, 15, 20, 30, 100 %" in capsys.readouterr().err
    assert call(workspace, "rest", "hold", *LEAD) == 1
    assert "Write down why" in capsys.readouterr().err
