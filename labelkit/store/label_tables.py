"""What the Label page keeps: whole drafts, reused reasons, and a person's own settings."""

from __future__ import annotations

TABLES = """
alter table label_drafts add column cause text check (cause in
  ('query_unclear', 'document_unreadable', 'needs_expert', 'rubric_gap'));
alter table label_drafts add column evidence text not null default '[]';
alter table label_drafts add column opened_at text not null default '';

alter table judgments add column reason_reused integer not null default 0
  check (reason_reused in (0, 1));

create table person_settings(
  person_id text not null references people(person_id),
  name text not null,
  value text not null,
  primary key (person_id, name)
) without rowid;
"""
