"""The tables of assignment: batches of work, third labels, and which pairs still wait.

`waiting_pairs` repeats what the view `pairs_that_wait` says, so that nobody has to count the whole
pool to find the next pair. Triggers bring it up to date in the transaction that changes anything
it stands on: a judgment, a quota, a query's state, or whose labels count.
"""

from __future__ import annotations

TABLES = """
create table judge_settings(
  setting_id integer primary key,
  kind text not null check (kind in ('order', 'third_labels')),
  value text not null,
  set_by text not null references people(person_id),
  set_at text not null
);

create table batches(
  batch_id integer primary key,
  name text not null check (length(trim(name)) > 0),
  raters integer not null check (raters between 1 and 3),
  detail text not null check (json_valid(detail)),
  made_by text not null references people(person_id),
  made_at text not null
);

create table batch_pairs(
  batch_id integer not null references batches(batch_id),
  pair_id integer not null references pairs(pair_id),
  primary key (batch_id, pair_id)
) without rowid;
create index batch_pairs_by_pair on batch_pairs(pair_id);

create table batch_events(
  event_id integer primary key,
  batch_id integer not null references batches(batch_id),
  due text,
  people text not null check (json_valid(people)),
  open integer not null check (open in (0, 1)),
  person_id text not null references people(person_id),
  at text not null
);
create index batch_events_by_batch on batch_events(batch_id, event_id);

create view batches_now as
  select b.*, e.due, e.people, e.open, e.at as changed_at
  from batches b join batch_events e using (batch_id)
  where e.event_id = (select max(event_id) from batch_events l where l.batch_id = b.batch_id);

create table meant_pairs(
  person_id text not null references people(person_id),
  pair_id integer not null references pairs(pair_id),
  primary key (person_id, pair_id)
) without rowid;
create index meant_pairs_by_pair on meant_pairs(pair_id, person_id);

create table third_labels(
  event_id integer primary key,
  pair_id integer not null references pairs(pair_id),
  event text not null check (event in ('asked', 'taken back')),
  at text not null
);
create index third_labels_by_pair on third_labels(pair_id, event_id);

create view third_labels_now as
  select t.pair_id, t.at from third_labels t
  where t.event = 'asked'
    and t.event_id = (select max(event_id) from third_labels l where l.pair_id = t.pair_id);

create table waiting_pairs(
  pair_id integer primary key references pairs(pair_id),
  query_id text not null,
  places integer not null,
  meant integer not null check (meant in (0, 1))
);
create index waiting_pairs_by_query on waiting_pairs(query_id, pair_id, meant, places);

create view pairs_that_wait as
  select p.pair_id, p.query_id,
    p.quota - (select count(distinct c.person_id) from current_judgments c
               where c.pair_id = p.pair_id and c.level is not null) as places,
    exists (select 1 from meant_pairs m where m.pair_id = p.pair_id) as meant
  from pairs p join queries q using (query_id)
  where q.state = 'accepted' and places > 0
    and not exists (select 1 from current_judgments c where c.pair_id = p.pair_id
                    and c.cause in ('query_unclear', 'document_unreadable', 'rubric_gap'));

insert into waiting_pairs select * from pairs_that_wait;
"""
"""A batch's people, due date and whether it is open are its last event. `meant_pairs` spells out
for whom pairs are that an open batch with named people holds, and nobody else is given those;
`places` is how many more people's levels a pair waits for, `meant` whether it has such people."""

APPEND_ONLY = {
    "judge_settings": "setting_id = new.setting_id",
    "batches": "batch_id = new.batch_id",
    "batch_pairs": "batch_id = new.batch_id and pair_id = new.pair_id",
    "batch_events": "event_id = new.event_id",
    "third_labels": "event_id = new.event_id",
}

OF_A_PERSON = "pair_id in (select pair_id from judgments where person_id = new.person_id)"

CHANGES = {
    "judgments_wait": ("insert on judgments", "pair_id = new.pair_id"),
    "pairs_wait": ("insert on pairs", "pair_id = new.pair_id"),
    "quotas_wait": ("update of quota on pairs", "pair_id = new.pair_id"),
    "queries_wait": ("update of state on queries", "query_id = new.query_id"),
    "roles_wait": ("update of roles on people", OF_A_PERSON),
    "qualifications_wait": ("insert on qualifications", OF_A_PERSON),
    "quizzes_wait": ("insert on training_setups when new.kind = 'quiz'", "true"),
}
"""What changes which pairs wait, and whose: the name of a trigger, its event, the pairs."""


def triggers() -> str:
    """Triggers that bring `waiting_pairs` up to date after each change."""
    return "".join(
        f"""
create trigger {name} after {event}
begin
  delete from waiting_pairs where {which};
  insert into waiting_pairs select * from pairs_that_wait where {which};
end;
"""  # noqa: S608 (names from the table above, no input)
        for name, (event, which) in CHANGES.items()
    )
