"""The tables, as a list of migrations; what must never change is guarded here, in SQLite."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from labelkit.errors import InputError
from labelkit.store import (
    assign_tables,
    import_tables,
    intake_tables,
    label_tables,
    llm_tables,
    mending_tables,
    review_tables,
    rewriting_tables,
    rubric_tables,
    training_tables,
)
from labelkit.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

# A level has no declared type: with one, SQLite would turn the text '1' into the number 1
# before the check sees it.
TABLES = """
create table meta(key text primary key, value text not null) without rowid;

create table people(
  person_id text primary key,
  name text not null unique,
  roles text not null,
  active integer not null default 1,
  added_at text not null
);

create table documents(
  doc_id text primary key,
  title text not null,
  text text not null,
  metadata text not null,
  text_sha256 text not null,
  revision integer not null default 1,
  added_at text not null
);

create table document_revisions(
  doc_id text not null,
  revision integer not null,
  title text not null,
  text text not null,
  metadata text not null,
  text_sha256 text not null,
  replaced_at text not null,
  primary key (doc_id, revision)
) without rowid;

create table queries(
  query_id text primary key,
  text text not null,
  source text not null
    check (source in ('log', 'conversation', 'synthetic', 'manual', 'failure')),
  state text not null check (state in ('draft', 'accepted', 'rejected', 'retired')),
  turns text not null default '[]',
  information_need text not null default '',
  tags text not null default '[]',
  language text not null default '',
  source_doc_id text,
  drafted_text text,
  note text not null default '',
  provenance text not null default '',
  added_at text not null
);
create index queries_by_state on queries(state);

create table query_events(
  event_id integer primary key,
  query_id text not null references queries(query_id),
  person_id text references people(person_id),
  action text not null,
  detail text not null default '',
  at text not null
);

create table rubrics(
  version integer primary key,
  body text not null,
  saved_by text,
  saved_at text not null
);

create table pairs(
  pair_id integer primary key,
  query_id text not null references queries(query_id),
  doc_id text not null references documents(doc_id),
  quota integer not null default 1 check (quota between 1 and 5),
  origin text not null check (origin in ('pool', 'source', 'hand', 'hole', 'import')),
  added_at text not null,
  unique (query_id, doc_id)
);

create table pair_sources(
  pair_id integer not null references pairs(pair_id),
  retriever text not null,
  rank integer not null,
  primary key (pair_id, retriever)
) without rowid;

create table leases(
  pair_id integer not null references pairs(pair_id),
  person_id text not null references people(person_id),
  expires_at text not null,
  primary key (pair_id, person_id)
) without rowid;
create index leases_by_person on leases(person_id);

create table parked(
  pair_id integer not null references pairs(pair_id),
  person_id text not null references people(person_id),
  kind text not null check (kind in ('later', 'skip')),
  at text not null,
  primary key (person_id, pair_id)
) without rowid;

create table label_drafts(
  person_id text not null references people(person_id),
  pair_id integer not null references pairs(pair_id),
  level integer check (level in (0, 1, 2)),
  reason text not null,
  updated_at text not null,
  primary key (person_id, pair_id)
) without rowid;

create table judgments(
  judgment_id integer primary key,
  pair_id integer not null references pairs(pair_id),
  person_id text not null references people(person_id),
  rubric_version integer not null references rubrics(version),
  kind text not null check (kind in ('judgment', 'correction', 'withdrawal')),
  round text not null check (round in ('first', 'second', 'check')),
  level check (level is null or (typeof(level) = 'integer' and level in (0, 1, 2))),
  cause text check (cause in
    ('query_unclear', 'document_unreadable', 'needs_expert', 'rubric_gap')),
  reason text not null check (length(trim(reason)) > 0),
  evidence text not null default '[]',
  provenance text not null default '',
  active_seconds real,
  created_at text not null,
  supersedes integer unique references judgments(judgment_id),
  check ((kind = 'withdrawal' and level is null and cause is null)
      or (kind <> 'withdrawal' and (level is null) <> (cause is null))),
  check ((kind = 'judgment') = (supersedes is null))
);
create unique index one_judgment_per_person
  on judgments(pair_id, person_id, rubric_version) where supersedes is null;
create index judgments_by_pair on judgments(pair_id);
create index judgments_by_person on judgments(person_id, judgment_id);

create view current_judgments as
  select j.*, p.query_id, p.doc_id from judgments j join pairs p using (pair_id)
  where j.kind <> 'withdrawal'
    and not exists (select 1 from judgments later where later.supersedes = j.judgment_id);

create table adjudications(
  adjudication_id integer primary key,
  pair_id integer not null references pairs(pair_id),
  person_id text not null references people(person_id),
  level not null check (typeof(level) = 'integer' and level in (0, 1, 2)),
  reason text not null check (length(trim(reason)) > 0),
  created_at text not null
);
create index adjudications_by_pair on adjudications(pair_id);

create table samples(
  sample_id integer primary key,
  rubric_version integer not null references rubrics(version),
  seed integer not null,
  size integer not null,
  detail text not null,
  drawn_by text,
  drawn_at text not null
);

create table sample_pairs(
  sample_id integer not null references samples(sample_id),
  pair_id integer not null references pairs(pair_id),
  primary key (sample_id, pair_id)
) without rowid;

create table releases(
  tag text primary key,
  content_sha256 text not null,
  manifest text not null,
  frozen_by text,
  frozen_at text not null
) without rowid;

create table jobs(
  job_id text primary key,
  kind text not null,
  arguments text not null,
  state text not null
    check (state in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  done integer not null default 0,
  total integer not null default 0,
  message text not null default '',
  pid integer,
  heartbeat_at text,
  created_at text not null,
  ended_at text,
  error text
) without rowid;
"""

APPEND_ONLY = {
    "judgments": (
        "judgment_id = new.judgment_id or (new.supersedes is not null and "
        "supersedes = new.supersedes) or (new.supersedes is null and supersedes is null and "
        "pair_id = new.pair_id and person_id = new.person_id and "
        "rubric_version = new.rubric_version)"
    ),
    "adjudications": "adjudication_id = new.adjudication_id",
    "releases": "tag = new.tag",
    "rubrics": "version = new.version",
    "document_revisions": "doc_id = new.doc_id and revision = new.revision",
}


def _guards(table: str, same_row: str) -> str:
    """Triggers that leave only plain inserts: INSERT OR REPLACE fires no update or delete one."""
    return f"""
    create trigger {table}_no_update before update on {table}
      begin select raise(abort, '{table}: rows are never changed'); end;
    create trigger {table}_no_delete before delete on {table}
      begin select raise(abort, '{table}: rows are never deleted'); end;
    create trigger {table}_no_replace before insert on {table}
      when exists (select 1 from {table} where {same_row})
      begin select raise(abort, '{table}: that row exists and is never replaced'); end;
    """  # noqa: S608 (names from the table above, no input)


PAIRS_STAY = """
    create trigger pairs_no_delete before delete on pairs
      begin select raise(abort, 'pairs: rows are never deleted'); end;
    create trigger pairs_keep_ids before update of pair_id, query_id, doc_id on pairs
      begin select raise(abort, 'pairs: judgments stand on these ids'); end;
    create trigger pairs_no_replace before insert on pairs
      when exists (select 1 from pairs where pair_id = new.pair_id
                   or (query_id = new.query_id and doc_id = new.doc_id))
      begin select raise(abort, 'pairs: that row exists and is never replaced'); end;
"""
"""A pair's quota may grow; what its judgments stand on may not change."""


def migrate(workspace: Workspace) -> None:
    """Bring the workspace's tables up to date, all steps in one transaction.

    Raises InputError where SQLite cannot: another program's file, or one that may not be written.
    """
    from sqlite_utils import Database, Migrations

    steps = Migrations("labelkit")

    @steps()
    def m001_tables(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in APPEND_ONLY.items())
        for statement in _statements(TABLES + guards + PAIRS_STAY):
            db.execute(statement)

    @steps()
    def m002_language_models(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in llm_tables.APPEND_ONLY.items())
        for statement in _statements(llm_tables.TABLES + guards + llm_tables.PAID_WORK_STAYS):
            db.execute(statement)

    @steps()
    def m003_queries_from_real_life(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in intake_tables.APPEND_ONLY.items())
        for statement in _statements(intake_tables.TABLES + guards):
            db.execute(statement)

    @steps()
    def m004_imports(db: Database) -> None:
        for statement in _statements(import_tables.TABLES):
            db.execute(statement)

    @steps()
    def m005_rewriting(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in rewriting_tables.PROMPTS_STAY.items())
        for statement in _statements(
            rewriting_tables.REBUILT + guards + rewriting_tables.RUNS_STAY
        ):
            db.execute(statement)

    @steps()
    def m006_label_page(db: Database) -> None:
        for statement in _statements(label_tables.TABLES):
            db.execute(statement)

    @steps()
    def m007_mending(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in mending_tables.APPEND_ONLY.items())
        for statement in _statements(mending_tables.TABLES + guards):
            db.execute(statement)

    @steps()
    def m009_getting_good(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in training_tables.APPEND_ONLY.items())
        for statement in _statements(training_tables.TABLES + training_tables.VIEWS + guards):
            db.execute(statement)

    @steps()
    def m010_reviewed_drafts(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in review_tables.APPEND_ONLY.items())
        for statement in _statements(review_tables.TABLES + guards):
            db.execute(statement)

    # Its triggers watch the tables of 009, so it stands behind them.
    @steps()
    def m008_assignment(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in assign_tables.APPEND_ONLY.items())
        for statement in _statements(assign_tables.TABLES + assign_tables.triggers() + guards):
            db.execute(statement)

    @steps()
    def m011_rubric_versions(db: Database) -> None:
        guards = "".join(_guards(*guard) for guard in rubric_tables.APPEND_ONLY.items())
        for statement in _statements(rubric_tables.TABLES + guards):
            db.execute(statement)

    try:
        with workspace.writing() as connection:
            steps.apply(Database(connection))
    except sqlite3.OperationalError as error:
        raise InputError(
            f"its tables cannot be brought up to date ({error}); is it a workspace's file, and "
            "may it be written?",
            file=workspace.database,
        ) from error


def _statements(script: str) -> list[str]:
    """Split a script at complete statements: executescript would commit the transaction."""
    statements, current = [], ""
    for line in script.splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            statements.append(current.strip())
            current = ""
    return [statement for statement in statements if statement]
