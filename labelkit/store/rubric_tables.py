"""The tables of a rubric that changes: what an edit meant, which labels still count, and why
raters differed."""

from __future__ import annotations

TABLES = """
create table rubric_choices(
  choice_id integer primary key,
  version integer not null references rubrics(version),
  kind text not null check (kind in
    ('meaning', 'wording', 'carried', 'relabelled', 'near_examples', 'recheck')),
  note text not null default '',
  person_id text not null references people(person_id),
  at text not null
);
create index rubric_choices_by_version on rubric_choices(version, choice_id);

create table requeued_pairs(
  choice_id integer not null references rubric_choices(choice_id),
  pair_id integer not null references pairs(pair_id),
  version integer not null references rubrics(version),
  primary key (choice_id, pair_id)
) without rowid;
create index requeued_pairs_by_pair on requeued_pairs(pair_id, version);

create table disagreement_causes(
  cause_id integer primary key,
  pair_id integer not null references pairs(pair_id),
  cause text not null check (cause in
    ('rubric_gap', 'ambiguous_query', 'missed_evidence', 'misread', 'document_unclear')),
  note text not null default '',
  person_id text not null references people(person_id),
  at text not null
);
create index disagreement_causes_by_pair on disagreement_causes(pair_id, cause_id);

create view judgments_in_force as
  select j.* from standing_judgments j
  where not exists (select 1 from requeued_pairs r
                    where r.pair_id = j.pair_id and r.version > j.rubric_version);

drop view current_judgments;
create view current_judgments as
  select * from judgments_in_force
  where person_id not in (select person_id from uncounted_people);

create view adjudications_in_force as
  select a.*, p.query_id, p.doc_id from adjudications a join pairs p using (pair_id)
  where not exists (select 1 from requeued_pairs r join rubric_choices c using (choice_id)
                    where r.pair_id = a.pair_id and c.at > a.created_at);

create trigger requeued_wait after insert on requeued_pairs
begin
  delete from waiting_pairs where pair_id = new.pair_id;
  insert into waiting_pairs select * from pairs_that_wait where pair_id = new.pair_id;
end;
"""
"""A version without a row in `rubric_choices` changed the meaning. A pair that was queued again
under a version waits for levels under it: what was said under an earlier one stays in the history
and counts no more, so the pair may go to the same people again."""

APPEND_ONLY = {
    "rubric_choices": "choice_id = new.choice_id",
    "requeued_pairs": "choice_id = new.choice_id and pair_id = new.pair_id",
    "disagreement_causes": "cause_id = new.cause_id",
}
