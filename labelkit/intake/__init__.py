"""Queries from real life: logs, conversations, misses; drawn, looked through, kept verbatim.

What pages and commands call. Nothing here judges: a click only proposes a pair.
"""

from labelkit.intake.bringing import Brought, Source, bring_in
from labelkit.intake.clicks import propose
from labelkit.intake.conversations import (
    CHOICES,
    Conversations,
    UserTurn,
    choose,
    read_conversations,
)
from labelkit.intake.drawing import from_conversations, from_log
from labelkit.intake.incoming import Decision, Incoming, decided, flagged
from labelkit.intake.lifecycle import (
    RETIREMENTS,
    history,
    restore,
    retire,
    set_types,
    suggest_missing,
)
from labelkit.intake.logs import Group, QueryLog, log_columns, read_log
from labelkit.intake.misses import by_hand, pasted, read_misses
from labelkit.intake.query_types import TYPES, Suggestion, suggest
from labelkit.intake.rewriting import (
    set_rewritten,
    to_rewrite,
)
from labelkit.intake.sampling import METHODS, STRATA, Draw, Settings, draw
from labelkit.intake.size import DIFFERENCE, SizeAdvice, queries_needed, size_advice

__all__ = [
    "CHOICES",
    "DIFFERENCE",
    "METHODS",
    "RETIREMENTS",
    "STRATA",
    "TYPES",
    "Brought",
    "Conversations",
    "Decision",
    "Draw",
    "Group",
    "Incoming",
    "QueryLog",
    "Settings",
    "SizeAdvice",
    "Source",
    "Suggestion",
    "UserTurn",
    "bring_in",
    "by_hand",
    "choose",
    "decided",
    "draw",
    "flagged",
    "from_conversations",
    "from_log",
    "history",
    "log_columns",
    "pasted",
    "propose",
    "queries_needed",
    "read_conversations",
    "read_log",
    "read_misses",
    "restore",
    "retire",
    "set_rewritten",
    "set_types",
    "size_advice",
    "suggest",
    "suggest_missing",
    "to_rewrite",
]
