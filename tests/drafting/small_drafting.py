"""A small corpus to draft from, and a run on it in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelkit.drafting import plan, running
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits
from labelkit.drafting.prompt import Prompt
from labelkit.model import Document, Query, QueryState, Role
from labelkit.store import Workspace, documents, llm, people, queries

LEAD = "lee-lead"
MODEL = "fake-1"

TOPICS = (
    "zip archives", "csv dialects", "socket timeouts", "date parsing", "thread locks",
    "regular expressions", "heap queues", "file permissions", "email headers", "json encoding",
    "signal handlers", "process pools",
)  # fmt: skip

BODY = (
    "To work with {topic} a program first opens what it needs, reads the settings that its user "
    "has chosen, and checks each of them before anything is changed. Where {topic} fail, the "
    "error names the value that was refused, and the call can be repeated with another one."
)


def document(number: int, kind: str = "guide", text: str | None = None) -> Document:
    """One document that is long enough to draft from."""
    topic = TOPICS[number % len(TOPICS)]
    return Document(
        f"d{number:02}", f"On {topic}", text or BODY.format(topic=topic), {"type": kind}
    )


def project(path: Path, *given: Document, count: int = 4) -> Workspace:
    """A project with a lead and some documents, no queries."""
    workspace = Workspace.create(path, "Small")
    people.add(workspace, "Lee Lead", [Role.LEAD])
    with workspace.writing() as db:
        documents.save(db, given or [document(number) for number in range(count)])
    return workspace


def settings(**changes: Any) -> plan.PlanSettings:
    """Two questions for each of up to a hundred passages."""
    return plan.PlanSettings(
        **{"passages": 100, "per_passage": 2, "styles": ("question",), **changes}
    )


def limits(**changes: Any) -> Limits:
    """One request at a time, so that a test can say which came first."""
    return Limits(**{"concurrency": 1, "timeout": 5.0, **changes})


def started(
    workspace: Workspace,
    url: str,
    *,
    asked: plan.PlanSettings | None = None,
    decoding: Decoding | None = None,
    prompt: Prompt | None = None,
    **changes: Any,
) -> str:
    """A run that is written down and not begun."""
    return running.start(
        workspace,
        LEAD,
        plan.make_plan(workspace, asked or settings()),
        Endpoint(url, MODEL),
        prompt or Prompt(),
        decoding or Decoding(),
        limits(**changes),
    )


def quiet(done: int, total: int, message: str) -> None:
    """Progress for nobody."""


def go_on(workspace: Workspace, run_id: str, key: str | None = None) -> running.Standing:
    """Work through what waits; returns where the run stands then."""
    running.go_on(workspace, run_id, key=key, progress=quiet)
    return running.standing(workspace, run_id)


def drafted(workspace: Workspace) -> list[Query]:
    """Every draft of the project."""
    return queries.in_state(workspace, QueryState.DRAFT)


def outcomes(workspace: Workspace, run_id: str) -> list[str]:
    """What became of each request of a run, in the order in which they were sent."""
    with workspace.reading() as db:
        return [row["outcome"] for row in llm.request_log(db, run_id)]
