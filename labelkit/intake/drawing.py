"""From a log or conversations to queries that could be brought in, with their record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from labelkit.intake import conversations, logs, sampling
from labelkit.intake.bringing import Source
from labelkit.intake.conversations import Conversations
from labelkit.intake.incoming import Incoming, incoming
from labelkit.intake.logs import Group, QueryLog
from labelkit.intake.sampling import Draw, Settings
from labelkit.model import QuerySource

FORMS_KEPT = 20
"""Forms and filters kept beside a query, the most common first."""


def from_log(
    log: QueryLog, settings: Settings, *, leave_out_unreadable: bool = False
) -> tuple[Draw, list[Incoming], Source]:
    """Draw from a log: the draw, its queries as they could come in, and what is recorded of it.

    Raises InputError for rows that cannot be read, unless they are left out on purpose.
    """
    if not leave_out_unreadable:
        logs.refuse_unreadable(log.file, log.problems)
    drawn = sampling.draw(log.groups, settings)
    items = [_from_group(group, drawn.stratum_of[group.key]) for group in drawn.groups]
    detail = {
        "rows": log.rows,
        "searches": log.searches,
        "distinct": len(log.groups),
        "without_text": log.empty,
        "left_out_unreadable": len({problem.line for problem in log.problems}),
        "strata": [asdict(stratum) for stratum in drawn.strata],
    }
    return drawn, items, Source("log", log.file, log.sha256, settings.as_dict(), detail)


def from_conversations(
    read: Conversations,
    which: str,
    *,
    size: int | None = None,
    seed: int = 0,
    leave_out_unreadable: bool = False,
) -> tuple[list[Incoming], Source]:
    """Choose turns of conversations: their queries, and what is recorded of the choice.

    Raises InputError for an unknown choice, and for rows that cannot be read, unless they are
    left out on purpose.
    """
    if not leave_out_unreadable:
        logs.refuse_unreadable(read.file, read.problems)
    items = conversations.choose(read, which, size=size, seed=seed)
    settings = {"turns": which, "size": size, "seed": seed}
    detail = {
        "conversations": read.conversations,
        "turns": read.turns,
        "user_turns": len(read.user_turns),
        "drawn": len(items),
        "left_out_unreadable": len({problem.line for problem in read.problems}),
    }
    return items, Source("conversation", read.file, read.sha256, settings, detail)


def _from_group(group: Group, stratum: str) -> Incoming:
    return incoming(
        group.text,
        QuerySource.LOG,
        language=group.language,
        detail=_detail(group, stratum),
        clicks=group.clicks,
    )


def _detail(group: Group, stratum: str) -> Mapping[str, Any]:
    """What was counted under one form, without the sessions' names: those are people's."""
    detail = {
        "count": group.count,
        "rows": group.rows,
        "stratum": stratum,
        "forms": dict(list(group.forms.items())[:FORMS_KEPT]),
        "filters": dict(list(group.filters.items())[:FORMS_KEPT]),
        "sessions": group.sessions,
        "first": group.first,
        "last": group.last,
    }
    return {name: value for name, value in detail.items() if value not in ("", 0, {})}
