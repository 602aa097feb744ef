"""A drafting run: estimated before, stopped and taken up again, and accounted for after."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from labelkit.drafting.asking import Progress, Work, tokens_of, work_through
from labelkit.drafting.client import Client
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits, decoding_of, limits_of
from labelkit.drafting.keeping import Drafting, item_of
from labelkit.drafting.plan import DraftPlan, Passage
from labelkit.drafting.prompt import Prompt
from labelkit.drafting.replies import read
from labelkit.errors import Conflict, InputError
from labelkit.model import Role
from labelkit.store import Connection, Workspace, drafts, llm, people
from labelkit.store.llm import Item, Run, Spent

DRAFT = "draft"
TYPICAL_REPLY = 45
"""Output tokens a query in the form we ask for, until replies of the model are known."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan will probably take, and at most, before any request is sent."""

    requests: int
    cached: int
    input_tokens: int
    output_tokens: int
    most_output_tokens: int
    cost: float | None
    most_cost: float | None
    rests_on: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run is: its items by state, what it cost, what it gave, and what failed."""

    run: Run
    waiting: int
    done: int
    failed: int
    drafts: int
    spent: Spent
    cost: float | None
    failures: tuple[Item, ...]
    notes: tuple[Item, ...]

    @property
    def total(self) -> int:
        """All passages of the run."""
        return self.waiting + self.done + self.failed


class Asked(NamedTuple):
    """One request as it would be sent, its cache key, and whether a reply that is here serves."""

    messages: Sequence[Mapping[str, str]]
    cache_key: str
    usable: Callable[[str], bool]


def estimate(
    workspace: Workspace,
    plan: DraftPlan,
    endpoint: Endpoint,
    prompt: Prompt,
    decoding: Decoding,
    limits: Limits,
) -> Estimate:
    """What the plan will cost: input from the very requests, output from earlier replies."""
    asked = [
        Asked(
            prompt.messages(passage.title, passage.text, passage.tasks),
            cache_key(endpoint, prompt, decoding, passage),
            _holds_drafts,
        )
        for passage in plan.passages
    ]
    most_tasks = max((len(passage.tasks) for passage in plan.passages), default=0)
    typical = TYPICAL_REPLY * most_tasks
    return estimated(workspace, endpoint, decoding, limits, asked, purpose=DRAFT, typical=typical)


def _holds_drafts(reply: str) -> bool:
    return bool(read(reply).drafts)


def estimated(
    workspace: Workspace,
    endpoint: Endpoint,
    decoding: Decoding,
    limits: Limits,
    asked: Sequence[Asked],
    *,
    purpose: str,
    typical: int,
) -> Estimate:
    """What requests of any purpose will cost; `typical` output tokens each where none is known."""
    with workspace.reading() as db:
        replies, mean = llm.reply_tokens(db, endpoint.model, purpose)
        new = [one for one in asked if not _is_answered(db, one)]
    taken = sum(tokens_of(one.messages) for one in new)
    given, most = int(len(new) * (mean or typical)), len(new) * decoding.max_tokens
    return Estimate(
        requests=len(new),
        cached=len(asked) - len(new),
        input_tokens=taken,
        output_tokens=min(given, most),
        most_output_tokens=most,
        cost=limits.cost(taken, min(given, most)),
        most_cost=limits.cost(taken, most),
        rests_on=f"{replies:,} earlier replies of this model" if mean else "a typical reply",
    )


def _is_answered(db: Connection, asked: Asked) -> bool:
    return any(asked.usable(one.reply) for one in llm.answered(db, asked.cache_key))


def cache_key(endpoint: Endpoint, prompt: Prompt, decoding: Decoding, passage: Passage) -> str:
    """The same model, prompt, passage and settings ask the same question: it is paid once."""
    parts = [
        endpoint.base_url.rstrip("/"),
        endpoint.model,
        prompt.sha256,
        passage.sha256,
        [[task.style, task.language] for task in passage.tasks],
        decoding.as_dict(),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def start(
    workspace: Workspace,
    person_id: str,
    plan: DraftPlan,
    endpoint: Endpoint,
    prompt: Prompt,
    decoding: Decoding,
    limits: Limits,
) -> str:
    """Write a run down, ready to be worked through; returns its id. Nothing is sent yet."""
    people.require(workspace, person_id, Role.LEAD)
    items = [
        (item_of(passage), cache_key(endpoint, prompt, decoding, passage))
        for passage in plan.passages
    ]
    with workspace.writing() as db:
        body = {"system": prompt.system, "user": prompt.user}
        llm.save_prompt(db, prompt.sha256, DRAFT, body, person_id)
        return llm.add_run(
            db,
            purpose=DRAFT,
            base_url=endpoint.base_url,
            model=endpoint.model,
            prompt_sha256=prompt.sha256,
            decoding=decoding.as_dict(),
            limits=limits.as_dict(),
            plan=plan.as_dict(),
            person_id=person_id,
            items=items,
        )


def go_on(workspace: Workspace, run_id: str, *, key: str | None, progress: Progress) -> str:
    """Ask for what waits; returns why it stopped early ("paused", a cap), or "".

    Raises EndpointError where the server makes going on pointless. What was paid is kept.
    """
    run = require(workspace, run_id, DRAFT)
    with workspace.reading() as db:
        body = llm.prompt(db, run.prompt_sha256) or {}
    return do(workspace, run, Drafting(Prompt(**body)), key=key, progress=progress)


def do(workspace: Workspace, run: Run, work: Work, *, key: str | None, progress: Progress) -> str:
    """Work through what waits of a run that is not paused; returns why it stopped early, or ""."""
    limits, endpoint = limits_of(run.limits), Endpoint(run.base_url, run.model)
    with Client(endpoint, decoding_of(run.decoding), key=key, timeout=limits.timeout) as client:
        return work_through(workspace, run, work, client, progress)


def require(workspace: Workspace, run_id: str, purpose: str) -> Run:
    """The run with this id; raises InputError where there is none."""
    with workspace.reading() as db:
        run = llm.run(db, run_id)
        known = [one.run_id for one in llm.runs(db, purpose)]
    if run is None or run.purpose != purpose:
        raise InputError(f"There is no {purpose} run {run_id!r}; known: {', '.join(known) or '-'}.")
    return run


def pause(workspace: Workspace, person_id: str, run_id: str) -> None:
    """Let a run stop as soon as its open requests have ended; they are kept."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        llm.set_paused(db, run_id, paused=True)


def resume(workspace: Workspace, person_id: str, run_id: str) -> None:
    """Let a paused run go on.

    Said by the person and not by the process that then works: one that is slow to start would
    take back a pause that was pressed meanwhile.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        llm.set_paused(db, run_id, paused=False)


def retry_failed(workspace: Workspace, person_id: str, run_id: str) -> int:
    """Let the failed passages, and only they, wait again; returns how many."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        return llm.retry_failed(db, run_id)


def change_limits(workspace: Workspace, person_id: str, run_id: str, limits: Limits) -> None:
    """Change a run's caps, prices, timeout or concurrency; it takes them up when it goes on."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        if llm.run(db, run_id) is None:
            raise Conflict(f"Run {run_id!r} is gone: reload the page.")
        llm.set_limits(db, run_id, limits.as_dict())


def standing(workspace: Workspace, run_id: str) -> Standing:
    """Where a run is, counted from what is written down."""
    with workspace.reading() as db:
        run = llm.run(db, run_id)
        if run is None:
            raise InputError(f"There is no run {run_id!r}.")
        counts, spent = llm.count_items(db, run_id), llm.spent(db, run_id)
        failures = llm.items(db, run_id, "failed")
        given = drafts.of_run(db, run_id)
        partly = [item for item in llm.items(db, run_id, "done") if item.why]
    cost = limits_of(run.limits).cost(
        spent.input_tokens + spent.unsure_input, spent.output_tokens + spent.unsure_output
    )
    return Standing(
        run=run,
        waiting=counts["waiting"],
        done=counts["done"],
        failed=counts["failed"],
        drafts=len(given),
        spent=spent,
        cost=cost,
        failures=tuple(failures),
        notes=tuple(partly),
    )


def runs(workspace: Workspace, purpose: str = DRAFT) -> list[Run]:
    """All runs, the newest first."""
    with workspace.reading() as db:
        return llm.runs(db, purpose)


def prompt_versions(workspace: Workspace) -> list[tuple[str, Prompt, str]]:
    """The prompts that runs were started with, as (hash, prompt, since), the newest last."""
    with workspace.reading() as db:
        kept: list[tuple[str, Mapping[str, Any], str]] = llm.prompts(db, DRAFT)
    return [(sha256, Prompt(**body), since) for sha256, body, since in kept]
