"""Follow-ups rewritten by a model from the Queries page."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import intake, jobs
from labelkit.store import Workspace, queries

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "drafting"))

import fake_llm

Open = Callable[[Workspace, str, str | None], AppTest]
LEAD = "ann-lead"


def test_waiting_follow_ups_are_rewritten_and_listed(tmp_path: Path, open_page: Open) -> None:
    """The section waits for a follow-up; estimate, request as sent, job, outcome."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)
    intake.set_types(workspace, LEAD, "q1", ["follow-up"])
    with fake_llm.serving(lambda n, seen: fake_llm.Reply('{"query": "csv header row"}')) as server:
        app = open_page(workspace, "pages/queries.py", LEAD)
        app = app.radio(key="lk_view").set_value("conversations").run()
        assert "Follow-ups that stand alone" in [one.value for one in app.subheader]
        assert "<message>" in words(app)
        app.text_input(key="lk_llm_url").set_value(server.url)
        app.text_input(key="lk_llm_model").set_value("m")
        app.run()
        assert "1 request (0 are answered already)" in f"{words(app)} {said(app)}"
        app = press(app, "Rewrite them")
        deadline = time.monotonic() + 40
        while jobs.running(workspace, "rewrite") is not None:
            assert time.monotonic() < deadline, "the job did not end"
            time.sleep(0.1)
        app.run()
    assert not app.exception
    assert "follow-ups done 1 of 1" in words(app)
    assert "Every accepted follow-up has a rewritten form" in words(app)
    with workspace.reading() as db:
        query = queries.get(db, "q1")
    assert query is not None
    assert (query.text, query.rewritten_text) == (
        "csv header lost when i write dicts", "csv header row",
    )  # fmt: skip
