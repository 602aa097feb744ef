"""The tables of work done by a language model: drafting queries, and grading beside the humans."""

from __future__ import annotations

TABLES = """
create table llm_prompts(
  sha256 text primary key,
  purpose text not null check (purpose in ('draft', 'judge')),
  body text not null,
  saved_by text references people(person_id),
  saved_at text not null
) without rowid;

create table llm_runs(
  run_id text primary key,
  purpose text not null check (purpose in ('draft', 'judge')),
  base_url text not null,
  model text not null,
  prompt_sha256 text not null references llm_prompts(sha256),
  decoding text not null,
  limits text not null,
  plan text not null,
  created_by text references people(person_id),
  created_at text not null,
  paused_at text
) without rowid;

create table llm_items(
  run_id text not null references llm_runs(run_id),
  position integer not null,
  item text not null,
  cache_key text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  why text not null default '',
  primary key (run_id, position),
  check (state <> 'failed' or length(why) > 0)
) without rowid;

create table llm_requests(
  request_id integer primary key,
  run_id text not null,
  position integer not null,
  cache_key text not null,
  reserved_input integer not null,
  reserved_output integer not null,
  sent_at text not null,
  outcome text check (outcome in ('answered', 'refused', 'lost')),
  ended_at text,
  seconds real,
  input_tokens integer,
  output_tokens integer,
  model text,
  finish_reason text,
  decoding text,
  reply text,
  error text,
  foreign key (run_id, position) references llm_items(run_id, position),
  check ((outcome is null) = (ended_at is null)),
  check ((outcome is 'answered') = (reply is not null))
);
create index llm_requests_by_key on llm_requests(cache_key) where outcome = 'answered';
create index llm_requests_by_run on llm_requests(run_id, position);

create table draft_origins(
  query_id text primary key references queries(query_id),
  request_id integer not null references llm_requests(request_id),
  number integer not null,
  style text not null
) without rowid;

create table draft_checks(
  query_id text primary key references queries(query_id),
  text text not null,
  findings text not null,
  checked_at text not null
) without rowid;

create table model_grades(
  grade_id integer primary key,
  request_id integer not null unique references llm_requests(request_id),
  pair_id integer not null references pairs(pair_id),
  rubric_version integer not null references rubrics(version),
  direction text not null check (direction in ('descending', 'ascending')),
  level not null check (typeof(level) = 'integer' and level in (0, 1, 2)),
  reason text not null check (length(trim(reason)) > 0),
  quote text not null,
  quote_start integer,
  created_at text not null,
  check ((length(quote) > 0) = (quote_start is not null))
);
create index model_grades_by_pair on model_grades(pair_id);

create table model_grade_views(
  pair_id integer not null references pairs(pair_id),
  person_id text not null references people(person_id),
  at text not null,
  primary key (pair_id, person_id)
) without rowid;
"""

APPEND_ONLY = {
    "llm_prompts": "sha256 = new.sha256",
    "draft_origins": "query_id = new.query_id",
    "model_grades": "grade_id = new.grade_id or request_id = new.request_id",
    "model_grade_views": "pair_id = new.pair_id and person_id = new.person_id",
}

PAID_WORK_STAYS = """
create trigger llm_requests_end_once before update on llm_requests when old.outcome is not null
  begin select raise(abort, 'llm_requests: what a request brought is never changed'); end;
create trigger llm_requests_keep before update of
    request_id, run_id, position, cache_key, reserved_input, reserved_output, sent_at
  on llm_requests
  begin select raise(abort, 'llm_requests: what was sent is never changed'); end;
create trigger llm_requests_no_delete before delete on llm_requests
  begin select raise(abort, 'llm_requests: rows are never deleted'); end;
create trigger llm_requests_no_replace before insert on llm_requests
  when exists (select 1 from llm_requests where request_id = new.request_id)
  begin select raise(abort, 'llm_requests: that row exists and is never replaced'); end;
create trigger llm_runs_keep before update of
    run_id, purpose, base_url, model, prompt_sha256, decoding, plan, created_by, created_at
  on llm_runs
  begin select raise(abort, 'llm_runs: a run keeps its model, prompt and plan'); end;
create trigger llm_runs_no_delete before delete on llm_runs
  begin select raise(abort, 'llm_runs: rows are never deleted'); end;
create trigger llm_runs_no_replace before insert on llm_runs
  when exists (select 1 from llm_runs where run_id = new.run_id)
  begin select raise(abort, 'llm_runs: that row exists and is never replaced'); end;
create trigger llm_items_keep before update of run_id, position, item, cache_key on llm_items
  begin select raise(abort, 'llm_items: an item keeps what is asked'); end;
create trigger llm_items_no_delete before delete on llm_items
  begin select raise(abort, 'llm_items: rows are never deleted'); end;
create trigger llm_items_no_replace before insert on llm_items
  when exists (select 1 from llm_items where run_id = new.run_id and position = new.position)
  begin select raise(abort, 'llm_items: that row exists and is never replaced'); end;
"""
