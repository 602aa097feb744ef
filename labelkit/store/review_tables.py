"""The tables of reviewed drafts: every decision, the spot-check samples, the leads' choices."""

from __future__ import annotations

TABLES = """
create table spot_checks(
  sample_id integer primary key,
  enlarges integer references spot_checks(sample_id),
  share integer not null check (share between 1 and 100),
  seed integer not null,
  drawn_by text not null references people(person_id),
  drawn_at text not null
);

create table spot_check_drafts(
  sample_id integer not null references spot_checks(sample_id),
  query_id text not null references queries(query_id),
  drawn integer not null check (drawn in (0, 1)),
  primary key (sample_id, query_id)
) without rowid;

create table spot_check_choices(
  choice_id integer primary key,
  sample_id integer not null references spot_checks(sample_id),
  choice text not null check (choice in ('accepted', 'held')),
  drafts integer not null,
  rate text not null,
  note text not null check (length(trim(note)) > 0),
  person_id text not null references people(person_id),
  at text not null
);

create table review_decisions(
  decision_id integer primary key,
  query_id text not null references queries(query_id),
  person_id text references people(person_id),
  decision text not null
    check (decision in ('accepted', 'rejected', 'reopened', 'held', 'released')),
  text text not null,
  edited integer not null check (edited in (0, 1)),
  cause text not null default '',
  note text not null default '',
  warnings text,
  choice_id integer references spot_check_choices(choice_id),
  at text not null
);
create index review_decisions_by_query on review_decisions(query_id, decision_id);
create index review_decisions_by_person on review_decisions(person_id, decision_id);

create view current_reviews as
  select d.*, q.source_doc_id from review_decisions d join queries q using (query_id)
  where d.decision_id = (select max(decision_id) from review_decisions l
                         where l.query_id = d.query_id)
    and ((d.decision = 'accepted' and q.state in ('accepted', 'retired'))
      or (d.decision = 'rejected' and q.state = 'rejected')
      or (d.decision = 'held' and q.state = 'draft'));

insert into review_decisions(query_id, person_id, decision, text, edited, note, at)
  select e.query_id, e.person_id, substr(e.action, 10), q.text,
    e.action = 'draft to accepted' and q.drafted_text is not null, e.detail, e.at
  from query_events e join queries q using (query_id)
  where e.action in ('draft to accepted', 'draft to rejected') order by e.event_id;
"""
"""The view holds the decision that stands: one whose query was restored to a draft since is
history. The insert takes over what was decided before there was this table."""

APPEND_ONLY = {
    "spot_checks": "sample_id = new.sample_id",
    "spot_check_drafts": "sample_id = new.sample_id and query_id = new.query_id",
    "spot_check_choices": "choice_id = new.choice_id",
    "review_decisions": "decision_id = new.decision_id",
}
