"""What the LLM judge is asked: the rules of a run, its pairs, and the request for each."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from labelkit.drafting import running
from labelkit.drafting.endpoint import Decoding, Endpoint
from labelkit.drafting.judge_prompt import INSTRUCTIONS, query_block, rubric_text
from labelkit.drafting.prompt import Message, quote
from labelkit.drafting.verdicts import read_verdict
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QueryState
from labelkit.rubric import Rubric
from labelkit.store import Connection, documents, pairs, queries, rubrics

LONGEST_DOCUMENT = 24_000
"""Characters beyond which a document is not graded: a part is not judged for the whole."""


class Rules(NamedTuple):
    """What every pair of a run is judged by."""

    version: int
    rubric: Rubric
    body: dict[str, Any]
    sha256: str


def rules_of(db: Connection) -> Rules:
    """The rubric of this moment with the instructions, and the hash of both."""
    rubric = rubrics.current(db)
    body = {"instructions": INSTRUCTIONS, "rubric": rubric.body()}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return Rules(rubric.version, rubric, body, hashlib.sha256(text.encode()).hexdigest())


def chosen(
    db: Connection, keys: Sequence[tuple[str, str]] | None, sample: int | None, seed: int
) -> tuple[list[tuple[str, str]], list[tuple[str, str, int]]]:
    """The pairs to grade, and those that the draw met whose document is too long."""
    accepted = {query.query_id for query in queries.select(db, QueryState.ACCEPTED)}
    pooled = [key for key in pairs.keys(db) if key[0] in accepted]
    if keys is not None:
        strange = sorted(set(keys) - set(pooled))
        if strange:
            raise InputError(f"The pair {strange[0]} is not pooled for an accepted query.")
        pooled = list(keys)
    if not pooled:
        raise NotReady("There are no pairs to grade: pool accepted queries first.")
    if sample is not None and sample < len(pooled):
        pooled = sorted(random.Random(seed).sample(pooled, sample))
    sizes = documents.lengths(db, {doc_id for _, doc_id in pooled})
    too_long = [(*key, sizes[key[1]]) for key in pooled if sizes[key[1]] > LONGEST_DOCUMENT]
    return [key for key in pooled if sizes[key[1]] <= LONGEST_DOCUMENT], too_long


def item_of(
    db: Connection,
    key: tuple[str, str],
    direction: str,
    rules: Rules,
    endpoint: Endpoint,
    decoding: Decoding,
) -> tuple[dict[str, Any], str]:
    """What is kept of one question, and its cache key: the same is asked, and paid, once."""
    pair, query, document = things(db, *key)
    item = {
        "query_id": key[0],
        "doc_id": key[1],
        "pair_id": pair,
        "direction": direction,
        "rubric_version": rules.version,
        "sha256": content_hash(query, document),
    }
    parts = [
        endpoint.base_url.rstrip("/"),
        endpoint.model,
        rules.sha256,
        item,
        decoding.as_dict(),
    ]
    return item, hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def asked_of(
    db: Connection,
    key: tuple[str, str],
    direction: str,
    rules: Rules,
    endpoint: Endpoint,
    decoding: Decoding,
) -> running.Asked:
    """The request for one pair and order, for an estimate of what it takes."""
    _, cache_key = item_of(db, key, direction, rules, endpoint, decoding)
    _, query, document = things(db, *key)
    return running.Asked(
        messages_of(INSTRUCTIONS, rules.rubric, direction, query, document),
        cache_key,
        lambda reply: not isinstance(read_verdict(reply, document.text), str),
    )


def messages_of(
    instructions: str, rubric: Rubric, direction: str, query: Query, document: Document
) -> list[Message]:
    """What is sent: the rules as instructions, query and document as data."""
    asked = f"{query_block(query)}\n\n{quote(document.title, document.text)}"
    return [
        {"role": "system", "content": f"{instructions}\n\n{rubric_text(rubric, direction)}"},
        {"role": "user", "content": asked},
    ]


def things(db: Connection, query_id: str, doc_id: str) -> tuple[int, Query, Document]:
    """A pair's id, query and document; raises InputError where it is not pooled any more."""
    pair, query = pairs.find(db, query_id, doc_id), queries.get(db, query_id)
    document = documents.get(db, doc_id)
    if pair is None or query is None or document is None:
        raise InputError(f"The pair {query_id!r} with {doc_id!r} is not in the pool any more.")
    return pair.pair_id, query, document


def content_hash(query: Query, document: Document) -> str:
    """What a grade is about: the query with its turns and need, and the document's text."""
    turns = [[turn.role, turn.text] for turn in query.turns]
    text = json.dumps([query.text, query.information_need, turns, document.text_sha256])
    return hashlib.sha256(text.encode()).hexdigest()
