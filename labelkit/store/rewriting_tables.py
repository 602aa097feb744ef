"""A third kind of work for a language model: putting follow-ups so that they stand alone.

SQLite cannot change a check, so the two tables that name the kinds of work are made anew with
the rows they hold; what points at them is looked at again when the step is written.
"""

from __future__ import annotations

from labelkit.store import llm_tables

PURPOSES = "check (purpose in ('draft', 'judge'))"
WITH_REWRITING = "check (purpose in ('draft', 'judge', 'rewrite'))"
TABLES = ("llm_prompts", "llm_runs")


def _anew(table: str) -> str:
    start = llm_tables.TABLES.index(f"create table {table}(")
    end = llm_tables.TABLES.index(";", start) + 1
    created = llm_tables.TABLES[start:end].replace(PURPOSES, WITH_REWRITING)
    return f"""
create temp table kept as select * from {table};
drop table {table};
{created}
insert into {table} select * from temp.kept;
drop table temp.kept;
"""  # noqa: S608 (names from the tuple above, no input)


REBUILT = "pragma defer_foreign_keys=on;\n" + "".join(map(_anew, TABLES))

PROMPTS_STAY = {"llm_prompts": llm_tables.APPEND_ONLY["llm_prompts"]}

RUNS_STAY = "".join(
    f"create trigger {one}"
    for one in llm_tables.PAID_WORK_STAYS.split("create trigger ")
    if one.startswith("llm_runs_")
)
