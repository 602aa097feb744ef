"""The tables of queries from real life: where each came from, what was drawn, what was clicked."""

from __future__ import annotations

TABLES = """
alter table queries add column types text not null default '[]';
alter table queries add column types_by text not null default ''
  check (types_by in ('', 'rule', 'person'));
alter table queries add column rewritten_text text;
alter table queries add column rewritten_by text not null default '';

create table query_draws(
  draw_id integer primary key,
  kind text not null check (kind in ('log', 'conversation')),
  file text not null,
  file_sha256 text not null,
  settings text not null,
  detail text not null,
  drawn_by text references people(person_id),
  drawn_at text not null
);

create table query_origins(
  query_id text primary key references queries(query_id),
  draw_id integer references query_draws(draw_id),
  detail text not null,
  added_by text references people(person_id),
  at text not null
) without rowid;

create table click_signals(
  query_id text not null references queries(query_id),
  doc_id text not null,
  draw_id integer not null references query_draws(draw_id),
  clicks integer not null check (clicks > 0),
  at text not null,
  primary key (query_id, doc_id, draw_id)
) without rowid;
create index query_events_by_query on query_events(query_id, event_id);
"""
"""Clicks stand in a table of their own: they point to pairs that are worth judging and are never
read as a judgment. A pair proposed by one has the origin 'import' and a row here."""

APPEND_ONLY = {
    "query_draws": "draw_id = new.draw_id",
    "query_origins": "query_id = new.query_id",
    "click_signals": ("query_id = new.query_id and doc_id = new.doc_id and draw_id = new.draw_id"),
}
