"""The table of imports, and documents that stay unseen until the whole of their file is here."""

from __future__ import annotations

TABLES = """
create table imports(
  import_id integer primary key,
  kind text not null check (kind in ('documents', 'queries', 'judgments', 'runs')),
  file text not null,
  file_sha256 text not null,
  columns text not null,
  headers text not null,
  options text not null,
  levels text not null,
  counts text not null,
  state text not null check (state in ('merging', 'revising', 'done')),
  imported_by text not null,
  begun_at text not null,
  ended_at text,
  check ((state = 'done') = (ended_at is not null))
);
create index imports_by_kind on imports(kind, import_id);
create trigger imports_stay before delete on imports when old.state <> 'merging'
  begin select raise(abort, 'imports: what was imported is never forgotten'); end;
create trigger imports_end_once before update on imports when old.state = 'done'
  begin select raise(abort, 'imports: what was imported is never changed'); end;
create trigger imports_no_replace before insert on imports
  when exists (select 1 from imports where import_id = new.import_id)
  begin select raise(abort, 'imports: that row exists and is never replaced'); end;

alter table documents rename to document_rows;
alter table document_rows add column import_id integer references imports(import_id);
create index document_rows_by_import on document_rows(import_id);
create index pairs_by_document on pairs(doc_id);
create view documents as
  select doc_id, title, text, metadata, text_sha256, revision, added_at from document_rows
  where import_id is null
     or import_id not in (select import_id from imports where state = 'merging');
"""
"""A large file comes in by many short transactions, so that nobody who saves has to wait. Until
the last of them its documents are unseen: every reader asks the view."""
