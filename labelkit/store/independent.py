"""What agreement is computed from: independent judgments of the first round.

Left out are those that something swayed, and those that the earlier labels of the pair led to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from labelkit.model import Judgment
from labelkit.store.judgments import COLUMNS, COUNTED, from_row

NOT_SWAYED = """
and not exists (select 1 from model_grade_views v where v.pair_id = j.pair_id
                and v.person_id = j.person_id and v.at < j.created_at)
and not exists (select 1 from shown_in_training t where t.pair_id = j.pair_id
                and t.person_id = j.person_id and t.answered_at < j.created_at)
"""
NOT_CHOSEN = """
and not (j.pair_id in (select pair_id from asked_once_more) and exists (
  select 1 from asked_once_more a where a.pair_id = j.pair_id and a.at < (
    select min(created_at) from judgments f
    where f.pair_id = j.pair_id and +f.person_id = j.person_id)))
"""
# One more label was asked for because of what the earlier ones said, or what they decide: a third
# one on a 0 against 2, a second look from the flip set. Such a label is not of the first round.
ASKED_ONCE_MORE = """
with asked_once_more as (
  select pair_id, at from third_labels_now
  union all select s.pair_id, d.drawn_at from sample_pairs s join samples d using (sample_id)
  where json_extract(d.detail, '$."second look"')
)
"""
CHOSEN = f"""
{ASKED_ONCE_MORE}
select (select count(*) from judgments j {COUNTED})
  - (select count(*) from judgments j {COUNTED} {NOT_CHOSEN})
"""  # noqa: S608 (built of the constants above)
UNSWAYED = f"{COUNTED} {NOT_SWAYED} {NOT_CHOSEN}"


def unswayed(db: sqlite3.Connection) -> list[Judgment]:
    """Every event of people whose labels count, but for two kinds.

    What a rater wrote after seeing a grade or level of the pair (a model's, or the agreed level
    that warm-up and quiz show), and labels that were asked for because of the earlier ones.
    """
    rows = db.execute(f"{ASKED_ONCE_MORE} {COLUMNS} {UNSWAYED} order by judgment_id")
    return [from_row(row) for row in rows]


class Mark(NamedTuple):
    """What agreement needs of an event: a judgment without its evidence, which takes longer to
    read than all the rest."""

    query_id: str
    doc_id: str
    person_id: str
    rubric_version: int
    kind: str
    round: str
    level: int | None
    created_at: str
    active_seconds: float | None
    reason: str


MARKS = f"""
{ASKED_ONCE_MORE}
select query_id, doc_id, person_id, rubric_version, kind, round, level, created_at,
active_seconds, reason from pairs p cross join judgments j using (pair_id)
"""  # noqa: S608 (built of the constant above)


def unswayed_marks(db: sqlite3.Connection) -> Iterator[Mark]:
    """The events that `unswayed` gives, in order of pair, then as written."""
    rows = db.execute(f"{MARKS} {UNSWAYED} order by query_id, doc_id, judgment_id")
    rows.row_factory = None
    return map(Mark._make, rows)


def count_chosen(db: sqlite3.Connection) -> int:
    """How many labels `unswayed` leaves out because the earlier ones led to them."""
    row = db.execute(CHOSEN).fetchone()
    return int(row[0])
