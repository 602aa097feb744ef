"""Follow-ups rewritten by a model so that they stand alone; what the user typed stays as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from labelkit.drafting import running
from labelkit.drafting.asking import Kept, Progress
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits
from labelkit.drafting.rewrite_prompt import SCHEMA, RewritePrompt, read_rewritten
from labelkit.errors import InputError, NotReady
from labelkit.model import Query, Role
from labelkit.store import Connection, Workspace, llm, people, queries, query_history
from labelkit.store.llm import Answered, Item

REWRITE = "rewrite"
DECODING = Decoding(temperature=0.0, max_tokens=300)
TYPICAL_REPLY = 25
"""Output tokens of a rewritten query, until replies of the model are known."""

PERSONS_FORM = "a person has written its form meanwhile, which stays"


def estimate(
    workspace: Workspace,
    query_ids: Sequence[str],
    endpoint: Endpoint,
    limits: Limits,
    *,
    prompt: RewritePrompt | None = None,
    decoding: Decoding = DECODING,
) -> running.Estimate:
    """What rewriting these queries will take; nothing is sent."""
    rules = prompt or RewritePrompt()
    with workspace.reading() as db:
        asked = [
            running.Asked(
                rules.messages(query), _cache_key(endpoint, rules, decoding, query), _is_readable
            )
            for query in _named(db, query_ids)
        ]
    return running.estimated(
        workspace, endpoint, decoding, limits, asked, purpose=REWRITE, typical=TYPICAL_REPLY
    )


def start(
    workspace: Workspace,
    person_id: str,
    query_ids: Sequence[str],
    endpoint: Endpoint,
    limits: Limits,
    *,
    prompt: RewritePrompt | None = None,
    decoding: Decoding = DECODING,
) -> str:
    """Write a run over these follow-ups down; returns its id. Nothing is sent yet; leads only.

    Raises NotReady where there are none, InputError for an id without earlier turns.
    """
    people.require(workspace, person_id, Role.LEAD)
    rules = prompt or RewritePrompt()
    with workspace.writing() as db:
        items = [
            (_item(query), _cache_key(endpoint, rules, decoding, query))
            for query in _named(db, query_ids)
        ]
        llm.save_prompt(db, rules.sha256, REWRITE, {"instructions": rules.instructions}, person_id)
        return llm.add_run(
            db,
            purpose=REWRITE,
            base_url=endpoint.base_url,
            model=endpoint.model,
            prompt_sha256=rules.sha256,
            decoding=decoding.as_dict(),
            limits=limits.as_dict(),
            plan={"queries": len(items)},
            person_id=person_id,
            items=items,
        )


def go_on(workspace: Workspace, run_id: str, *, key: str | None, progress: Progress) -> str:
    """Ask for what waits; returns why it stopped early, or "".

    Raises EndpointError where the server makes going on pointless; what was paid is kept.
    """
    run = running.require(workspace, run_id, REWRITE)
    with workspace.reading() as db:
        body = llm.prompt(db, run.prompt_sha256) or {}
    work = _Rewriting(workspace, RewritePrompt(**body), run.created_by)
    return running.do(workspace, run, work, key=key, progress=progress)


def newest_prompt(workspace: Workspace) -> RewritePrompt:
    """The instructions of the last run, or the ones that labelkit comes with."""
    with workspace.reading() as db:
        kept = llm.prompts(db, REWRITE)
    return RewritePrompt(**kept[-1][1]) if kept else RewritePrompt()


class _Rewriting:
    """Asks for each follow-up's form without its turns, and keeps it beside the typed words."""

    schema = SCHEMA

    def __init__(self, workspace: Workspace, prompt: RewritePrompt, person_id: str | None) -> None:
        self.workspace, self.prompt, self.person_id = workspace, prompt, person_id

    def messages(self, item: Item) -> list[dict[str, str]]:
        """What is sent for a query; raises InputError where its words have changed since."""
        with self.workspace.reading() as db:
            return self.prompt.messages(self._unchanged(db, item))

    def _unchanged(self, db: Connection, item: Item) -> Query:
        [query] = _named(db, [item.item["query_id"]])
        if _content_hash(query) != item.item["sha256"]:
            raise InputError(f"{query.query_id} was changed since this run was made.")
        return query

    def usable(self, item: Item, answered: Answered) -> bool:
        """Whether an earlier reply holds a rewritten query."""
        return _is_readable(answered.reply)

    def keep(self, db: Connection, item: Item, answered: Answered) -> Kept:
        """Write the rewritten form, unless a person wrote one since; else say what is wrong."""
        query = self._unchanged(db, item)
        text, why = read_rewritten(answered.reply)
        if why:
            return Kept("failed", why)
        if query.rewritten_text != item.item["rewritten_text"]:
            return Kept("done", PERSONS_FORM)
        by = answered.model or "a model without a name"
        query_history.set_rewritten(db, query.query_id, text, by, self.person_id)
        return Kept("done", "")


def _named(db: Connection, query_ids: Sequence[str]) -> list[Query]:
    if not query_ids:
        raise NotReady("There is no follow-up without a rewritten form: nothing to ask for.")
    found = []
    for query_id in dict.fromkeys(query_ids):
        query = queries.get(db, query_id)
        if query is None or not query.turns:
            what = "is not here" if query is None else "has no earlier turns"
            raise InputError(f"The query {query_id!r} {what}, so there is nothing to rewrite.")
        found.append(query)
    return found


def _item(query: Query) -> dict[str, Any]:
    return {
        "query_id": query.query_id,
        "rewritten_text": query.rewritten_text,
        "sha256": _content_hash(query),
    }


def _content_hash(query: Query) -> str:
    turns = [[turn.role, turn.text] for turn in query.turns]
    return hashlib.sha256(json.dumps([query.text, turns]).encode()).hexdigest()


def _cache_key(endpoint: Endpoint, prompt: RewritePrompt, decoding: Decoding, query: Query) -> str:
    """The same conversation, model, instructions and settings are asked, and paid, once."""
    parts = [
        endpoint.base_url.rstrip("/"),
        endpoint.model,
        prompt.sha256,
        _content_hash(query),
        decoding.as_dict(),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_readable(reply: str) -> bool:
    return not read_rewritten(reply)[1]
