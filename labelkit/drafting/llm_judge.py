"""A language model as a further, separate judge of pairs.

Each pair is asked twice, the second time with the level definitions listed in reverse; how often
both agree is reported. Its grades have a table of their own, fill no human slot and count for no
agreement. A request that fails is a failure of the job, never a grade.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.drafting import running
from labelkit.drafting.asking import Kept, Progress
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits
from labelkit.drafting.judge_prompt import INSTRUCTIONS, SCHEMA, query_block, rubric_text
from labelkit.drafting.prompt import quote
from labelkit.drafting.verdicts import read_verdict
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QueryState, Role
from labelkit.rubric import Rubric, parse_rubric
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    llm,
    meta,
    model_grades,
    pairs,
    people,
    queries,
    rubrics,
)
from labelkit.store.llm import Answered, Item
from labelkit.store.model_grades import ModelGrade

JUDGE = "judge"
DIRECTIONS = ("descending", "ascending")
TO_RATERS = "model_grades_to_raters"
LONGEST_DOCUMENT = 24_000


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What a run of the judge gave: how often it agrees with itself, and with people.

    `table` counts (a person's level, the model's level) over current judgments of the same pairs
    and rubric version, the model's level being that of the descending order.
    """

    graded_twice: int
    same_twice: int
    levels: Mapping[str, Mapping[int, int]]
    table: Mapping[tuple[int, int], int]
    failed: tuple[Item, ...]

    @property
    def self_consistency(self) -> float | None:
        """The share of pairs that got the same level both times; None where there is none."""
        return self.same_twice / self.graded_twice if self.graded_twice else None


def start(
    workspace: Workspace,
    person_id: str,
    endpoint: Endpoint,
    limits: Limits,
    *,
    decoding: Decoding | None = None,
    keys: Sequence[tuple[str, str]] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> str:
    """Write down a run over pooled pairs (those named, or a seeded sample, or all); leads only.

    Raises NotReady without pairs, InputError for a pair that is not pooled.
    """
    people.require(workspace, person_id, Role.LEAD)
    chosen = decoding or Decoding(temperature=0.0, max_tokens=400)
    with workspace.writing() as db:
        version = rubrics.ensure(db)
        rubric = rubrics.current(db)
        wanted = _chosen(db, keys, sample, seed)
        body = {"instructions": INSTRUCTIONS, "rubric": rubric.body()}
        text = json.dumps(body, ensure_ascii=False, sort_keys=True)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        llm.save_prompt(db, sha256, JUDGE, body, person_id)
        items = [
            _item(db, key, direction, version, (endpoint.base_url, endpoint.model, sha256, chosen))
            for key in wanted
            for direction in DIRECTIONS
        ]
        return llm.add_run(
            db,
            purpose=JUDGE,
            base_url=endpoint.base_url,
            model=endpoint.model,
            prompt_sha256=sha256,
            decoding=chosen.as_dict(),
            limits=limits.as_dict(),
            plan={"pairs": len(wanted), "seed": seed, "rubric_version": version},
            person_id=person_id,
            items=items,
        )


def _chosen(
    db: Connection, keys: Sequence[tuple[str, str]] | None, sample: int | None, seed: int
) -> list[tuple[str, str]]:
    accepted = {query.query_id for query in queries.select(db, QueryState.ACCEPTED)}
    pooled = [key for key in pairs.keys(db) if key[0] in accepted]
    if keys is not None:
        strange = sorted(set(keys) - set(pooled))
        if strange:
            raise InputError(f"The pair {strange[0]} is not pooled for an accepted query.")
        pooled = list(keys)
    if not pooled:
        raise NotReady("There are no pairs to grade: pool accepted queries first.")
    if sample is None or sample >= len(pooled):
        return pooled
    return sorted(random.Random(seed).sample(pooled, sample))


def _item(
    db: Connection, key: tuple[str, str], direction: str, version: int, asked: tuple[Any, ...]
) -> tuple[dict[str, Any], str]:
    pair, query, document = _things(db, *key)
    base_url, model, prompt_sha256, decoding = asked
    item = {
        "query_id": key[0],
        "doc_id": key[1],
        "pair_id": pair,
        "direction": direction,
        "rubric_version": version,
        "sha256": content_hash(query, document),
    }
    parts = [base_url.rstrip("/"), model, prompt_sha256, item, decoding.as_dict()]
    return item, hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _things(db: Connection, query_id: str, doc_id: str) -> tuple[int, Query, Document]:
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


def go_on(workspace: Workspace, run_id: str, *, key: str | None, progress: Progress) -> str:
    """Ask for what waits; returns why it stopped early, or "".

    Raises EndpointError where the server makes going on pointless; no grade is written then.
    """
    run = running.require(workspace, run_id, JUDGE)
    with workspace.reading() as db:
        body = llm.prompt(db, run.prompt_sha256) or {}
    rubric = parse_rubric(body["rubric"], int(run.plan["rubric_version"]))
    work = _Judging(workspace, body["instructions"], rubric)
    return running.do(workspace, run, work, key=key, progress=progress)


class _Judging:
    """Asks for a grade of each pair and keeps it beside the humans'."""

    schema = SCHEMA

    def __init__(self, workspace: Workspace, instructions: str, rubric: Rubric) -> None:
        self.workspace, self.instructions, self.rubric = workspace, instructions, rubric

    def messages(self, item: Item) -> list[dict[str, str]]:
        """What is sent for a pair; raises InputError where its words have changed since."""
        with self.workspace.reading() as db:
            query, document = self._unchanged(db, item)
        if len(document.text) > LONGEST_DOCUMENT:
            raise InputError(
                f"{document.doc_id} has {len(document.text):,} characters; the judge reads at "
                f"most {LONGEST_DOCUMENT:,}, and grades no part for the whole."
            )
        rules = rubric_text(self.rubric, item.item["direction"])
        asked = f"{query_block(query)}\n\n{quote(document.title, document.text)}"
        return [
            {"role": "system", "content": f"{self.instructions}\n\n{rules}"},
            {"role": "user", "content": asked},
        ]

    def _unchanged(self, db: Connection, item: Item) -> tuple[Query, Document]:
        _, query, document = _things(db, item.item["query_id"], item.item["doc_id"])
        if content_hash(query, document) != item.item["sha256"]:
            raise InputError(
                f"{item.item['query_id']} or {item.item['doc_id']} was changed since this run "
                "was made: start a new one."
            )
        return query, document

    def usable(self, item: Item, answered: Answered) -> bool:
        """Whether an earlier reply holds a grade."""
        with self.workspace.reading() as db:
            _, document = self._unchanged(db, item)
        return not isinstance(read_verdict(answered.reply, document.text), str)

    def keep(self, db: Connection, item: Item, answered: Answered) -> Kept:
        """Write the reply's grade into its own table; a reply without one has failed."""
        _, document = self._unchanged(db, item)
        verdict = read_verdict(answered.reply, document.text)
        if isinstance(verdict, str):
            return Kept("failed", verdict)
        if not model_grades.of_request(db, answered.request_id):
            model_grades.add(
                db,
                request_id=answered.request_id,
                pair_id=item.item["pair_id"],
                rubric_version=item.item["rubric_version"],
                direction=item.item["direction"],
                level=verdict.level,
                reason=verdict.reason,
                quote=verdict.quote,
                quote_start=verdict.quote_start,
            )
        return Kept("done", "")


def report(workspace: Workspace, person_id: str, run_id: str) -> JudgeReport:
    """Self-consistency of a run, and its levels beside those of people; leads only."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        grades = model_grades.of_run(db, run_id)
        standing = judgments.current(db)
        failed = llm.items(db, run_id, "failed")
    by_pair: dict[tuple[str, str], dict[str, int]] = {}
    for grade in grades:
        by_pair.setdefault((grade.query_id, grade.doc_id), {})[grade.direction] = grade.level
    twice = [levels for levels in by_pair.values() if len(levels) == len(DIRECTIONS)]
    versions = {grade.rubric_version for grade in grades}
    table = Counter(
        (one.level, by_pair[one.query_id, one.doc_id]["descending"])
        for one in standing
        if one.level is not None
        and one.rubric_version in versions
        and "descending" in by_pair.get((one.query_id, one.doc_id), {})
    )
    return JudgeReport(
        graded_twice=len(twice),
        same_twice=sum(len(set(levels.values())) == 1 for levels in twice),
        levels={d: Counter(g.level for g in grades if g.direction == d) for d in DIRECTIONS},
        table=table,
        failed=tuple(failed),
    )


def grades_of(workspace: Workspace, person_id: str, pair_id: int) -> list[ModelGrade]:
    """What the model said of one pair, if this person may see it; else nothing.

    Enforced below the pages: whoever may still judge the pair gets nothing, and a rater gets
    something only after committing, where the project allows it. Each view is recorded.
    """
    person = people.require(workspace, person_id, *Role)
    allowed = meta.get(workspace, TO_RATERS) == "yes"
    with workspace.writing() as db:
        return model_grades.visible(db, person, pair_id, to_raters=allowed)


def show_to_raters(workspace: Workspace, person_id: str, *, allowed: bool) -> None:
    """Let raters see the model's grade of a pair after they have judged it, or not; leads only."""
    people.require(workspace, person_id, Role.LEAD)
    meta.put(workspace, TO_RATERS, "yes" if allowed else "no")
