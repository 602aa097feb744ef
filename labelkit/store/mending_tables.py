"""The tables of mending: what a lead decided about pairs that could not be judged."""

from __future__ import annotations

TABLES = """
create table mendings(
  mending_id integer primary key,
  decision text not null check (decision in ('query_edited', 'query_retired',
    'document_corrected', 'document_unreadable', 'rubric_clarified', 'judge_anyway',
    'experts_named')),
  query_id text not null,
  doc_id text not null,
  note text not null check (length(trim(note)) > 0),
  before text not null default '',
  after text not null default '',
  person_id text not null references people(person_id),
  at text not null
);

create table mended_pairs(
  mending_id integer not null references mendings(mending_id),
  pair_id integer not null references pairs(pair_id),
  outcome text not null check (outcome in ('reopened', 'requeued', 'kept', 'unjudged', 'retired')),
  primary key (mending_id, pair_id)
) without rowid;
create index mended_pairs_by_pair on mended_pairs(pair_id, mending_id);

create table mended_experts(
  mending_id integer not null references mendings(mending_id),
  person_id text not null references people(person_id),
  primary key (mending_id, person_id)
) without rowid;

create view named_experts as
  select m.pair_id, e.person_id
  from mended_pairs m join mended_experts e using (mending_id)
  join people someone on someone.person_id = e.person_id and someone.active
  where m.mending_id = (select max(l.mending_id)
                        from mended_pairs l join mendings d using (mending_id)
                        where l.pair_id = m.pair_id
                          and d.decision in ('experts_named', 'judge_anyway'));

create view unreadable_pairs as
  select m.pair_id from mended_pairs m
  where m.outcome = 'unjudged'
    and m.mending_id = (select max(mending_id) from mended_pairs l where l.pair_id = m.pair_id);
"""
"""`query_id` or `doc_id` is empty where a decision is about the other of the two. Of several
namings of experts for a pair the last counts, of the named those who are still here, and none
once a lead wrote "judge anyway"."""

APPEND_ONLY = {
    "mendings": "mending_id = new.mending_id",
    "mended_pairs": "mending_id = new.mending_id and pair_id = new.pair_id",
    "mended_experts": "mending_id = new.mending_id and person_id = new.person_id",
}
