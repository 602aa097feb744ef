"""A drafting run: estimated before, stopped and taken up again, and accounted for after."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.drafting.asking import Kept, Progress, Work, tokens_of, work_through
from labelkit.drafting.client import Client
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits, decoding_of, limits_of
from labelkit.drafting.plan import DraftPlan, Passage
from labelkit.drafting.prompt import SCHEMA, Prompt, Task
from labelkit.drafting.replies import Drafted, Reading, read
from labelkit.drafting.words import words
from labelkit.errors import Conflict, InputError
from labelkit.model import Query, QuerySource, QueryState, Role, Turn
from labelkit.store import Connection, Workspace, drafts, llm, people, queries
from labelkit.store.llm import Answered, Item, Run, Spent

DRAFT = "draft"
SHORTEST_ECHO = 3
"""Words from which on a query that stands in the prompt is taken for a copy of it."""

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


def estimate(
    workspace: Workspace,
    plan: DraftPlan,
    endpoint: Endpoint,
    prompt: Prompt,
    decoding: Decoding,
    limits: Limits,
) -> Estimate:
    """What the plan will cost: input from the very requests, output from earlier replies."""
    asked = [(passage, cache_key(endpoint, prompt, decoding, passage)) for passage in plan.passages]
    with workspace.reading() as db:
        replies, mean = llm.reply_tokens(db, endpoint.model)
        new = [passage for passage, key in asked if not _cached(db, key)]
    taken = sum(tokens_of(prompt.messages(p.title, p.text, p.tasks)) for p in new)
    typical = mean or TYPICAL_REPLY * max((len(p.tasks) for p in new), default=0)
    given, most = int(len(new) * typical), len(new) * decoding.max_tokens
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


def _cached(db: Connection, key: str) -> bool:
    return any(read(one.reply).drafts for one in llm.answered(db, key))


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
        (_item_of(passage), cache_key(endpoint, prompt, decoding, passage))
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


def _item_of(passage: Passage) -> dict[str, Any]:
    return {
        "doc_id": passage.doc_id,
        "title": passage.title,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "sha256": passage.sha256,
        "tasks": [[task.style, task.language] for task in passage.tasks],
    }


def go_on(workspace: Workspace, run_id: str, *, key: str | None, progress: Progress) -> str:
    """Ask for what waits; returns why it stopped early ("paused", a cap), or "".

    Raises EndpointError where the server makes going on pointless. What was paid is kept.
    """
    run = require(workspace, run_id, DRAFT)
    with workspace.reading() as db:
        body = llm.prompt(db, run.prompt_sha256) or {}
    return do(workspace, run, _Drafting(Prompt(**body)), key=key, progress=progress)


def do(workspace: Workspace, run: Run, work: Work, *, key: str | None, progress: Progress) -> str:
    """Work through what waits of a run, paused or not; returns why it stopped early, or ""."""
    with workspace.writing() as db:
        llm.set_paused(db, run.run_id, paused=False)
    limits, endpoint = limits_of(run.limits), Endpoint(run.base_url, run.model)
    with Client(endpoint, decoding_of(run.decoding), key=key, timeout=limits.timeout) as client:
        return work_through(workspace, run, work, client, progress)


class _Drafting:
    """Asks for queries to a passage and keeps them as drafts."""

    schema = SCHEMA

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def messages(self, item: Item) -> list[dict[str, str]]:
        """What is sent for a passage."""
        return self.prompt.messages(item.item["title"], item.item["text"], _tasks(item))

    def usable(self, item: Item, answered: Answered) -> bool:
        """Whether an earlier reply holds queries: one that holds none is not asked to serve."""
        return bool(self.read(item, answered).drafts)

    def read(self, item: Item, answered: Answered) -> Reading:
        """The queries of a reply, without those that only repeat the prompt."""
        rules = self.prompt.messages("", "", _tasks(item))
        return without_echoes(read(answered.reply), " ".join(one["content"] for one in rules))

    def keep(self, db: Connection, item: Item, answered: Answered) -> Kept:
        """Write the reply's queries as drafts; a reply without any has failed."""
        reading, tasks = self.read(item, answered), _tasks(item)
        if not reading.drafts:
            return Kept("failed", why_nothing(reading, answered))
        for number, (draft, task) in enumerate(matched(reading.drafts, tasks), 1):
            query = query_of(item, draft, task, number, answered)
            if queries.get(db, query.query_id) is None:
                queries.save(db, [query])
            drafts.add_origin(db, query.query_id, answered.request_id, number, task.style)
        return Kept("done", what_is_missing(reading, len(tasks)))


def without_echoes(reading: Reading, rules: str) -> Reading:
    """A reading without queries that stand word for word in the prompt itself."""
    said = f" {' '.join(words(rules))} "
    asked = [(draft, words(draft.text)) for draft in reading.drafts]
    echoed = [
        draft
        for draft, found in asked
        if len(found) >= SHORTEST_ECHO and f" {' '.join(found)} " in said
    ]
    problems = [f"“{draft.text}” only repeats the prompt" for draft in echoed]
    kept = tuple(draft for draft in reading.drafts if draft not in echoed)
    return Reading(kept, (*reading.problems, *problems))


def why_nothing(reading: Reading, answered: Answered) -> str:
    """Why a reply gave no query, for the list of failures."""
    cut = ", which ended at its limit of tokens" if answered.finish_reason == "length" else ""
    return f"the reply{cut}: {'; '.join(reading.problems)}"


def what_is_missing(reading: Reading, asked: int) -> str:
    """What a reply that gave queries did not give, or gave too much, in words."""
    given = len(reading.drafts)
    notes = [f"{given} of {asked} queries"] if given < asked else []
    notes += [f"{given - asked} more than asked, left in the reply"] if given > asked else []
    return "; ".join([*notes, *reading.problems])


def matched(found: Sequence[Drafted], tasks: Sequence[Task]) -> list[tuple[Drafted, Task]]:
    """Each query with the task it answers: by the style it names, else by its place.

    No more than were asked for: what a model adds is left in the reply.
    """
    free = list(tasks)
    pairs: list[tuple[Drafted, Task]] = []
    for draft in found[: len(tasks)]:
        named = [task for task in free if task.style.casefold() == draft.style.casefold()]
        task = named[0] if named else free[0]
        free.remove(task)
        pairs.append((draft, task))
    return pairs


def query_of(item: Item, draft: Drafted, task: Task, number: int, answered: Answered) -> Query:
    """The draft as a query; its id is the same however often the reply is read."""
    return Query(
        query_id=f"draft-{item.cache_key[:12]}-{number}",
        text=draft.text,
        source=QuerySource.SYNTHETIC,
        state=QueryState.DRAFT,
        turns=(Turn("user", draft.earlier),) if draft.earlier and task.style == FOLLOW_UP else (),
        tags=(task.style,),
        language=task.language,
        source_doc_id=item.item["doc_id"],
        provenance=f"drafted by {answered.model or 'a model without a name'}",
    )


FOLLOW_UP = "follow-up"


def _tasks(item: Item) -> list[Task]:
    return [Task(style, language) for style, language in item.item["tasks"]]


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
