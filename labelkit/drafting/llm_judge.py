"""A language model as a further, separate judge of pairs.

Each pair is asked twice, the second time with the level definitions listed in reverse; how often
both agree is reported. Its grades have a table of their own, fill no human slot and count for no
agreement. A request that fails is a failure of the job, never a grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.drafting import running
from labelkit.drafting.asking import Kept, Progress
from labelkit.drafting.endpoint import Decoding, Endpoint, Limits
from labelkit.drafting.judge_items import (
    LONGEST_DOCUMENT,
    asked_of,
    chosen,
    content_hash,
    item_of,
    messages_of,
    rules_of,
    things,
)
from labelkit.drafting.judge_prompt import SCHEMA
from labelkit.drafting.verdicts import read_verdict
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, Role
from labelkit.rubric import Rubric, parse_rubric
from labelkit.store import (
    Connection,
    Workspace,
    llm,
    meta,
    model_grades,
    people,
    rubrics,
)
from labelkit.store.llm import Answered, Item
from labelkit.store.model_grades import ModelGrade

JUDGE = "judge"
DIRECTIONS = ("descending", "ascending")
TO_RATERS = "model_grades_to_raters"
DECODING = Decoding(temperature=0.0, max_tokens=400)
TYPICAL_REPLY = 70
"""Output tokens of a grade with its reason and quote, until replies of the model are known."""


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What a run would ask: the pairs, those whose document is too long to be graded as a whole
    (query_id, doc_id, characters), and what it will take."""

    pairs: tuple[tuple[str, str], ...]
    too_long: tuple[tuple[str, str, int], ...]
    estimate: running.Estimate


def look(
    workspace: Workspace,
    person_id: str,
    endpoint: Endpoint,
    limits: Limits,
    *,
    decoding: Decoding = DECODING,
    keys: Sequence[tuple[str, str]] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> JudgePlan:
    """What `start` would ask with the same words, and what that takes; nothing is sent.

    Raises NotReady without pairs, InputError for a pair that is not pooled.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        rules = rules_of(db)
        wanted, too_long = chosen(db, keys, sample, seed)
        asked = [
            asked_of(db, key, direction, rules, endpoint, decoding)
            for key in wanted
            for direction in DIRECTIONS
        ]
    found = running.estimated(
        workspace, endpoint, decoding, limits, asked, purpose=JUDGE, typical=TYPICAL_REPLY
    )
    return JudgePlan(tuple(wanted), tuple(too_long), found)


def start(
    workspace: Workspace,
    person_id: str,
    endpoint: Endpoint,
    limits: Limits,
    *,
    decoding: Decoding = DECODING,
    keys: Sequence[tuple[str, str]] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> str:
    """Write down a run over pooled pairs (those named, or a seeded sample, or all); leads only.

    Documents that are too long are left out, and the plan says which. Raises NotReady without
    pairs that can be graded, InputError for a pair that is not pooled.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        rubrics.ensure(db)
        rules = rules_of(db)
        wanted, too_long = chosen(db, keys, sample, seed)
        if not wanted:
            raise NotReady(
                f"All {len(too_long):,} pairs have documents over {LONGEST_DOCUMENT:,} "
                "characters, and the judge grades no part for the whole."
            )
        llm.save_prompt(db, rules.sha256, JUDGE, rules.body, person_id)
        items = [
            item_of(db, key, direction, rules, endpoint, decoding)
            for key in wanted
            for direction in DIRECTIONS
        ]
        plan = {
            "pairs": len(wanted),
            "seed": seed,
            "rubric_version": rules.version,
            "too_long": too_long,
        }
        return llm.add_run(
            db,
            purpose=JUDGE,
            base_url=endpoint.base_url,
            model=endpoint.model,
            prompt_sha256=rules.sha256,
            decoding=decoding.as_dict(),
            limits=limits.as_dict(),
            plan=plan,
            person_id=person_id,
            items=items,
        )


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
        return messages_of(self.instructions, self.rubric, item.item["direction"], query, document)

    def _unchanged(self, db: Connection, item: Item) -> tuple[Query, Document]:
        _, query, document = things(db, item.item["query_id"], item.item["doc_id"])
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
