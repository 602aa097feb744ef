"""What becomes of a reply: its queries as drafts, and what it lacks in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelkit.drafting.asking import Kept
from labelkit.drafting.passages import Passage
from labelkit.drafting.prompt import SCHEMA, Prompt, Task
from labelkit.drafting.replies import Drafted, Reading, read
from labelkit.drafting.words import words
from labelkit.model import Query, QuerySource, QueryState, Turn
from labelkit.store import Connection, drafts, queries
from labelkit.store.llm import Answered, Item

FOLLOW_UP = "follow-up"
SHORTEST_ECHO = 3
"""Words from which on a query that stands in the prompt is taken for a copy of it."""


class Drafting:
    """Asks for queries to a passage and keeps them as drafts."""

    schema = SCHEMA

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def messages(self, item: Item) -> list[dict[str, str]]:
        """What is sent for a passage."""
        return self.prompt.messages(item.item["title"], item.item["text"], tasks_of(item))

    def usable(self, item: Item, answered: Answered) -> bool:
        """Whether an earlier reply holds queries: one that holds none is not asked to serve."""
        return bool(self.read(item, answered).drafts)

    def read(self, item: Item, answered: Answered) -> Reading:
        """The queries of a reply, without those that only repeat the prompt."""
        rules = self.prompt.messages("", "", tasks_of(item))
        return without_echoes(read(answered.reply), " ".join(one["content"] for one in rules))

    def keep(self, db: Connection, item: Item, answered: Answered) -> Kept:
        """Write the reply's queries as drafts; a reply without any has failed."""
        reading, tasks = self.read(item, answered), tasks_of(item)
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


def tasks_of(item: Item) -> list[Task]:
    """What is asked of an item's passage."""
    return [Task(style, language) for style, language in item.item["tasks"]]


def item_of(passage: Passage) -> dict[str, Any]:
    """A passage with its tasks as plain JSON values; `tasks_of` reads them back."""
    return {
        "doc_id": passage.doc_id,
        "title": passage.title,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "sha256": passage.sha256,
        "tasks": [[task.style, task.language] for task in passage.tasks],
    }
