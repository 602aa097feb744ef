"""Work done by a language model: runs, their items, and every request that was sent for them.

A request is written down before it is sent, with the tokens it may cost; what it brought is
written once. So a spending cap holds across threads, and a crash leaves no payment unseen.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what is asked of which model, with which prompt, under which limits."""

    run_id: str
    purpose: str
    base_url: str
    model: str
    prompt_sha256: str
    decoding: Mapping[str, Any]
    limits: Mapping[str, Any]
    plan: Mapping[str, Any]
    created_by: str | None
    created_at: str
    paused_at: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to ask: a passage to draft from, or a pair to grade."""

    run_id: str
    position: int
    item: Mapping[str, Any]
    cache_key: str
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a request: answered, refused (not paid) or lost (perhaps paid)."""

    outcome: str
    seconds: float
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    finish_reason: str | None = None
    decoding: Mapping[str, Any] | None = None
    reply: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply that was paid for."""

    request_id: int
    reply: str
    model: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has cost so far: reported tokens, and those of requests whose end is unknown."""

    answered: int = 0
    refused: int = 0
    lost: int = 0
    open: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unsure_input: int = 0
    unsure_output: int = 0
    counted_here: int = 0

    @property
    def tokens(self) -> int:
        """All tokens that were or may have been paid."""
        return self.input_tokens + self.output_tokens + self.unsure_input + self.unsure_output


def save_prompt(
    db: sqlite3.Connection, sha256: str, purpose: str, body: Mapping[str, Any], person_id: str
) -> None:
    """Keep a prompt under its hash; the same prompt again changes nothing."""
    db.execute(
        "insert into llm_prompts select :sha, :purpose, :body, :person, :at "
        "where not exists (select 1 from llm_prompts where sha256 = :sha)",
        {
            "sha": sha256,
            "purpose": purpose,
            "body": _text(body),
            "person": person_id,
            "at": now(),
        },
    )


def prompt(db: sqlite3.Connection, sha256: str) -> Mapping[str, Any] | None:
    """A kept prompt, or None."""
    row = db.execute("select body from llm_prompts where sha256 = ?", (sha256,)).fetchone()
    return None if row is None else json.loads(row[0])


def prompts(db: sqlite3.Connection, purpose: str) -> list[tuple[str, Mapping[str, Any], str]]:
    """The kept prompts of a purpose as (hash, body, saved at), the newest last."""
    rows = db.execute(
        "select * from llm_prompts where purpose = ? order by saved_at, sha256", (purpose,)
    )
    return [(row["sha256"], json.loads(row["body"]), row["saved_at"]) for row in rows]


def add_run(
    db: sqlite3.Connection,
    *,
    purpose: str,
    base_url: str,
    model: str,
    prompt_sha256: str,
    decoding: Mapping[str, Any],
    limits: Mapping[str, Any],
    plan: Mapping[str, Any],
    person_id: str,
    items: Sequence[tuple[Mapping[str, Any], str]],
) -> str:
    """Write down a run with its items, each with its cache key; returns its id."""
    run_id = uuid.uuid4().hex[:12]
    db.execute(
        "insert into llm_runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)",
        (
            run_id,
            purpose,
            base_url,
            model,
            prompt_sha256,
            _text(decoding),
            _text(limits),
            _text(plan),
            person_id,
            now(),
        ),
    )
    db.executemany(
        "insert into llm_items(run_id, position, item, cache_key) values (?, ?, ?, ?)",
        [(run_id, at, _text(item), key) for at, (item, key) in enumerate(items)],
    )
    return run_id


def run(db: sqlite3.Connection, run_id: str) -> Run | None:
    """The run with this id, or None."""
    row = db.execute("select * from llm_runs where run_id = ?", (run_id,)).fetchone()
    return None if row is None else _run(row)


def runs(db: sqlite3.Connection, purpose: str) -> list[Run]:
    """All runs of a purpose, the newest first."""
    rows = db.execute(
        "select * from llm_runs where purpose = ? order by created_at desc, run_id", (purpose,)
    )
    return [_run(row) for row in rows]


def set_paused(db: sqlite3.Connection, run_id: str, *, paused: bool) -> None:
    """Ask a run to stop after the requests that are open, or let it go on."""
    db.execute(
        "update llm_runs set paused_at = ? where run_id = ?", (now() if paused else None, run_id)
    )


def is_paused(db: sqlite3.Connection, run_id: str) -> bool:
    """Whether somebody asked the run to stop."""
    row = db.execute("select paused_at from llm_runs where run_id = ?", (run_id,)).fetchone()
    return row is not None and row[0] is not None


def set_limits(db: sqlite3.Connection, run_id: str, limits: Mapping[str, Any]) -> None:
    """Change a run's caps, prices, timeout or number of requests at a time."""
    db.execute("update llm_runs set limits = ? where run_id = ?", (_text(limits), run_id))


def items(db: sqlite3.Connection, run_id: str, state: str | None = None) -> list[Item]:
    """The items of a run in order, those in one state if given."""
    rows = db.execute(
        "select * from llm_items where run_id = ? and (? is null or state = ?) order by position",
        (run_id, state, state),
    )
    return [Item(**{**dict(row), "item": json.loads(row["item"])}) for row in rows]


def count_items(db: sqlite3.Connection, run_id: str) -> dict[str, int]:
    """How many items of a run are in each state."""
    rows = db.execute(
        "select state, count(*) from llm_items where run_id = ? group by state", (run_id,)
    )
    return {"waiting": 0, "done": 0, "failed": 0, **dict(rows.fetchall())}


def set_state(
    db: sqlite3.Connection, run_id: str, position: int, state: str, why: str = ""
) -> None:
    """Note what became of an item."""
    db.execute(
        "update llm_items set state = ?, why = ? where run_id = ? and position = ?",
        (state, why, run_id, position),
    )


def retry_failed(db: sqlite3.Connection, run_id: str) -> int:
    """Let the failed items of a run wait again; returns how many."""
    changed = db.execute(
        "update llm_items set state = 'waiting', why = '' where run_id = ? and state = 'failed'",
        (run_id,),
    )
    return changed.rowcount


def open_request(
    db: sqlite3.Connection, item: Item, reserved_input: int, reserved_output: int
) -> int:
    """Write down a request that is about to be sent; returns its number."""
    cursor = db.execute(
        "insert into llm_requests(run_id, position, cache_key, reserved_input, reserved_output, "
        "sent_at) values (?, ?, ?, ?, ?, ?)",
        (item.run_id, item.position, item.cache_key, reserved_input, reserved_output, now()),
    )
    return int(cursor.lastrowid or 0)


def end_request(db: sqlite3.Connection, request_id: int, ending: Ending) -> None:
    """Write down what a request brought; once."""
    db.execute(
        "update llm_requests set outcome = ?, ended_at = ?, seconds = ?, input_tokens = ?, "
        "output_tokens = ?, model = ?, finish_reason = ?, decoding = ?, reply = ?, error = ? "
        "where request_id = ?",
        (
            ending.outcome,
            now(),
            ending.seconds,
            ending.input_tokens,
            ending.output_tokens,
            ending.model,
            ending.finish_reason,
            None if ending.decoding is None else _text(ending.decoding),
            ending.reply,
            ending.error,
            request_id,
        ),
    )


def lose_open_requests(db: sqlite3.Connection, run_id: str) -> int:
    """Note that nobody waits any more for the open requests of a run; returns how many."""
    changed = db.execute(
        "update llm_requests set outcome = 'lost', ended_at = ?, "
        "error = 'the process ended while this request was open' "
        "where run_id = ? and outcome is null",
        (now(), run_id),
    )
    return changed.rowcount


def answered(db: sqlite3.Connection, cache_key: str) -> list[Answered]:
    """Every reply to the same question, of any run, the newest first."""
    rows = db.execute(
        "select * from llm_requests where cache_key = ? and outcome = 'answered' "
        "order by request_id desc",
        (cache_key,),
    )
    return [
        Answered(row["request_id"], row["reply"], row["model"] or "", row["finish_reason"] or "")
        for row in rows
    ]


def spent(db: sqlite3.Connection, run_id: str) -> Spent:
    """What a run has cost; where a server reported no tokens, the reserved ones stand for them.

    Those of open and lost requests are counted as unsure.
    """
    row = db.execute(
        "select coalesce(sum(outcome = 'answered'), 0), coalesce(sum(outcome = 'refused'), 0), "
        "coalesce(sum(outcome = 'lost'), 0), coalesce(sum(outcome is null), 0), "
        "coalesce(sum(iif(outcome = 'answered', coalesce(input_tokens, reserved_input), 0)), 0), "
        "coalesce(sum(iif(outcome = 'answered', coalesce(output_tokens, reserved_output), 0)), 0),"
        "coalesce(sum(iif(outcome is null or outcome = 'lost', reserved_input, 0)), 0), "
        "coalesce(sum(iif(outcome is null or outcome = 'lost', reserved_output, 0)), 0), "
        "coalesce(sum(outcome = 'answered' and input_tokens is null), 0) "
        "from llm_requests where run_id = ?",
        (run_id,),
    ).fetchone()
    return Spent(*row)


def reply_tokens(db: sqlite3.Connection, model: str, purpose: str) -> tuple[int, float | None]:
    """How many replies of a model reported their tokens, and their mean output tokens.

    Those of one purpose alone: a grade, a rewritten query and drafts are not of one length.
    """
    row = db.execute(
        "select count(*), avg(r.output_tokens) from llm_requests r join llm_runs using (run_id) "
        "where outcome = 'answered' and r.output_tokens is not null and llm_runs.model = ? "
        "and llm_runs.purpose = ?",
        (model, purpose),
    ).fetchone()
    return int(row[0]), row[1]


def request_log(db: sqlite3.Connection, run_id: str) -> Iterable[dict[str, Any]]:
    """Every request of a run, in the order in which they were sent."""
    rows = db.execute("select * from llm_requests where run_id = ? order by request_id", (run_id,))
    return [dict(row) for row in rows]


def _run(row: sqlite3.Row) -> Run:
    parsed = {name: json.loads(row[name]) for name in ("decoding", "limits", "plan")}
    return Run(**{**dict(row), **parsed})


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True)
