"""A list cut into pages keeps its order while people work: nothing is shown twice or never."""

from __future__ import annotations

from pathlib import Path

import small_project as small

from labelkit import judging
from labelkit.store import query_list
from labelkit.store.query_list import QueryFilter


def test_pages_of_queries_do_not_reshuffle_while_others_judge(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=9, document_count=2)
    seen: list[str] = []
    for offset in range(0, 9, 3):
        with workspace.reading() as db:
            page = query_list.find(db, QueryFilter(), limit=3, offset=offset)
        seen += [query.query_id for query in page.queries]
        small.say(workspace, small.ANN, small.claim(workspace, small.ANN))
    assert seen == [f"q{number}" for number in range(1, 10)]


def test_what_was_set_aside_keeps_its_order_while_others_judge(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=6)
    aside = []
    for _ in range(4):
        aside.append(small.claim(workspace, small.ANN).pair_id)
        judging.judge_later(workspace, small.ANN, aside[-1])
    small.say(workspace, small.BO, task := small.claim(workspace, small.BO))
    left = [number for number in aside if number != task.pair_id]
    assert [row[0] for row in judging.judge_later_list(workspace, small.ANN)] == left
