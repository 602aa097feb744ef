"""Hidden repeats: which pair comes to the same person again, and what was said the second time.

An answer is read as a `Judgment` whose number is negative: pages treat it as any other, and
nothing that counts judgments can take it for one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from labelkit.model import Cause, Judgment, Span
from labelkit.store import judgments
from labelkit.store.workspace import now

COLUMNS = """
select -s.answer_id as judgment_id, p.query_id, p.doc_id, r.person_id, s.rubric_version,
  s.level, s.cause, s.reason, s.evidence, s.kind, 'check' as round, '' as provenance,
  s.active_seconds, s.created_at, -s.supersedes as supersedes, s.reason_reused
"""
EVENTS = f"""
{COLUMNS}
from repeat_judgments s join repeats r using (repeat_id) join pairs p using (pair_id)
"""
ANSWERS = f"""
{COLUMNS}
from standing_repeat_judgments s join repeats r using (repeat_id)
join pairs p on p.pair_id = r.pair_id
"""

ELIGIBLE = """
select j.judgment_id from standing_judgments j
where j.person_id = :person and j.level is not null
  and j.rubric_version = (select max(version) from rubrics)
  and not exists (select 1 from repeats r where r.person_id = :person and r.pair_id = j.pair_id)
  and not exists (select 1 from model_grade_views v
                  where v.person_id = :person and v.pair_id = j.pair_id)
  and j.judgment_id < (
    select case when count(*) = :apart then min(last) end
    from (select max(judgment_id) as last from judgments
          where person_id = :person and supersedes is null
          group by pair_id order by last desc limit :apart))
order by j.judgment_id
"""


def eligible(db: sqlite3.Connection, person_id: str, apart: int) -> list[int]:
    """Judgments whose pair could come again: at least `apart` other pairs were judged since."""
    return [row[0] for row in db.execute(ELIGIBLE, {"person": person_id, "apart": apart})]


def drawn_at(db: sqlite3.Connection, person_id: str) -> set[int]:
    """After how many judgments this person was given a repeat."""
    rows = db.execute("select at_count from repeats where person_id = ?", (person_id,))
    return {row[0] for row in rows}


def add(db: sqlite3.Connection, person_id: str, judgment_id: int, at_count: int) -> None:
    """Let the pair of this judgment come again."""
    db.execute(
        "insert into repeats(person_id, pair_id, judgment_id, at_count, drawn_at) "
        "select person_id, pair_id, judgment_id, ?, ? from judgments "
        "where judgment_id = ? and person_id = ?",
        (at_count, now(), judgment_id, person_id),
    )


def open_repeat(db: sqlite3.Connection, person_id: str, pair_id: int) -> int | None:
    """The number of the repeat that waits for this person on this pair, or None."""
    row = db.execute(
        "select repeat_id from open_repeats where person_id = ? and pair_id = ?",
        (person_id, pair_id),
    ).fetchone()
    return None if row is None else int(row[0])


def count_open(db: sqlite3.Connection, person_id: str) -> int:
    """How many repeats wait for this person, those set aside left out."""
    row = db.execute(
        "select count(*) from open_repeats o join pairs p using (pair_id) "
        "join queries q using (query_id) where o.person_id = :p and q.state = 'accepted' "
        "and not exists (select 1 from parked k where k.pair_id = o.pair_id and k.person_id = :p)",
        {"p": person_id},
    )
    return int(row.fetchone()[0])


def append(
    db: sqlite3.Connection,
    repeat_id: int,
    *,
    rubric_version: int,
    level: int | None,
    cause: Cause | None,
    reason: str,
    evidence: Sequence[Span] = (),
    active_seconds: float | None = None,
    reason_reused: bool = False,
    withdrawn: bool = False,
) -> int:
    """Write one event on a repeat and return its number; it follows the one before it."""
    spans = [{"start": s.start, "end": s.end, "quote": s.quote} for s in evidence]
    before = db.execute(
        "select max(answer_id) from repeat_judgments where repeat_id = ?", (repeat_id,)
    ).fetchone()[0]
    kind = "withdrawal" if withdrawn else "judgment" if before is None else "correction"
    cursor = db.execute(
        "insert into repeat_judgments(repeat_id, rubric_version, kind, level, cause, reason, "
        "evidence, active_seconds, reason_reused, created_at, supersedes) "
        "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            repeat_id,
            rubric_version,
            kind,
            level,
            None if cause is None else cause.value,
            reason,
            json.dumps(spans, ensure_ascii=False),
            active_seconds,
            int(reason_reused),
            now(),
            before,
        ),
    )
    return int(cursor.lastrowid or 0)


def repeat_of(db: sqlite3.Connection, answer_id: int) -> int:
    """The repeat that an answer belongs to."""
    row = db.execute("select repeat_id from repeat_judgments where answer_id = ?", (answer_id,))
    return int(row.fetchone()[0])


def get(db: sqlite3.Connection, answer_id: int) -> Judgment | None:
    """A standing answer, or None."""
    row = db.execute(f"{ANSWERS} where s.answer_id = ?", (answer_id,)).fetchone()
    return None if row is None else judgments.from_row(row)


def chain_of(db: sqlite3.Connection, answer_id: int) -> list[Judgment]:
    """Everything that was said of the repeat of this answer, oldest first."""
    rows = db.execute(
        f"{EVENTS} where s.repeat_id = ? order by answer_id", (repeat_of(db, answer_id),)
    )
    return [judgments.from_row(row) for row in rows]


def recent_of(db: sqlite3.Connection, person_id: str, limit: int) -> list[Judgment]:
    """One person's standing answers, newest first."""
    rows = db.execute(
        f"{ANSWERS} where r.person_id = ? order by s.answer_id desc limit ?", (person_id, limit)
    )
    return [judgments.from_row(row) for row in rows]


def compared(db: sqlite3.Connection, before: str) -> list[tuple[str, int, int]]:
    """(person_id, first level, level the second time), for each answer given before that moment.

    Left out: a cause instead of a level, and a first judgment that was changed before the answer.
    """
    rows = db.execute(
        "select s.person_id, j.level, s.level from standing_repeat_judgments s "
        "join judgments j using (judgment_id) "
        "where s.level is not null and s.created_at < ? and not exists "
        "(select 1 from judgments later where later.supersedes = j.judgment_id "
        " and later.created_at < s.created_at) order by s.answer_id",
        (before,),
    )
    return [tuple(row) for row in rows]
