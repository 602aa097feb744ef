"""The tables of getting good: warm-up, qualification quiz, hidden repeats. Nothing in them is a
judgment: they stand apart, and no count, resolution, agreement or release reads them."""

from __future__ import annotations

LEVEL = "check (typeof(level) = 'integer' and level in (0, 1, 2))"

TABLES = f"""
create table training_setups(
  setup_id integer primary key,
  kind text not null check (kind in ('warm_up', 'quiz', 'repeats')),
  value text not null check (json_valid(value)),
  set_by text not null references people(person_id),
  set_at text not null
);
create index training_setups_by_kind on training_setups(kind, setup_id);

create table training_items(
  item_id integer primary key,
  setup_id integer not null references training_setups(setup_id),
  draw integer not null,
  position integer not null,
  pair_id integer references pairs(pair_id),
  query_text text not null,
  doc_id text not null,
  passage text not null default '',
  level not null {LEVEL},
  reason text not null,
  source text not null check (source in ('example', 'adjudicated', 'agreed')),
  unique (setup_id, draw, position)
);
create index training_items_by_pair on training_items(pair_id);

create table training_attempts(
  attempt_id integer primary key,
  setup_id integer not null references training_setups(setup_id),
  person_id text not null references people(person_id),
  number integer not null,
  draw integer not null,
  begun_at text not null,
  unique (setup_id, person_id, number)
);
create index training_attempts_by_person on training_attempts(person_id);

create table training_answers(
  answer_id integer primary key,
  attempt_id integer not null references training_attempts(attempt_id),
  item_id integer not null references training_items(item_id),
  level not null {LEVEL},
  reason text not null check (length(trim(reason)) > 0),
  answered_at text not null,
  unique (attempt_id, item_id)
);

create table qualifications(
  qualification_id integer primary key,
  person_id text not null references people(person_id),
  how text not null check (how in ('quiz', 'lead')),
  attempt_id integer unique references training_attempts(attempt_id),
  granted_by text references people(person_id),
  note text not null default '',
  labels_before integer not null,
  at text not null,
  check ((how = 'quiz') = (attempt_id is not null) and (how = 'lead') = (granted_by is not null))
);
create index qualifications_by_person on qualifications(person_id);

create table repeats(
  repeat_id integer primary key,
  person_id text not null references people(person_id),
  pair_id integer not null references pairs(pair_id),
  judgment_id integer not null unique references judgments(judgment_id),
  at_count integer not null,
  drawn_at text not null,
  unique (person_id, at_count)
);
create index repeats_by_pair on repeats(pair_id, person_id);

create table repeat_judgments(
  answer_id integer primary key,
  repeat_id integer not null references repeats(repeat_id),
  rubric_version integer not null references rubrics(version),
  kind text not null check (kind in ('judgment', 'correction', 'withdrawal')),
  level check (level is null or (typeof(level) = 'integer' and level in (0, 1, 2))),
  cause text check (cause in
    ('query_unclear', 'document_unreadable', 'needs_expert', 'rubric_gap')),
  reason text not null check (length(trim(reason)) > 0),
  evidence text not null default '[]',
  reason_reused integer not null default 0 check (reason_reused in (0, 1)),
  active_seconds real,
  created_at text not null,
  supersedes integer unique references repeat_judgments(answer_id),
  check ((kind = 'withdrawal' and level is null and cause is null)
      or (kind <> 'withdrawal' and (level is null) <> (cause is null))),
  check ((kind = 'judgment') = (supersedes is null))
);
create unique index one_answer_per_repeat on repeat_judgments(repeat_id) where supersedes is null;
"""

APPEND_ONLY = {
    "training_setups": "setup_id = new.setup_id",
    "training_items": (
        "item_id = new.item_id or (setup_id = new.setup_id and draw = new.draw "
        "and position = new.position)"
    ),
    "training_attempts": (
        "attempt_id = new.attempt_id or (setup_id = new.setup_id "
        "and person_id = new.person_id and number = new.number)"
    ),
    "training_answers": (
        "answer_id = new.answer_id or (attempt_id = new.attempt_id and item_id = new.item_id)"
    ),
    "qualifications": (
        "qualification_id = new.qualification_id or attempt_id is new.attempt_id "
        "and new.attempt_id is not null"
    ),
    "repeats": (
        "repeat_id = new.repeat_id or judgment_id = new.judgment_id "
        "or (person_id = new.person_id and at_count = new.at_count)"
    ),
    "repeat_judgments": (
        "answer_id = new.answer_id or (new.supersedes is not null and "
        "supersedes = new.supersedes) or (new.supersedes is null and supersedes is null and "
        "repeat_id = new.repeat_id)"
    ),
}

VIEWS = """
create view uncounted_people as
  select p.person_id from people p
  where (select json_extract(value, '$.on') from training_setups
         where kind = 'quiz' order by setup_id desc limit 1)
    and ' ' || p.roles || ' ' not like '% lead %'
    and not exists (select 1 from qualifications ok where ok.person_id = p.person_id);

drop view current_judgments;
create view standing_judgments as
  select j.*, p.query_id, p.doc_id from judgments j join pairs p using (pair_id)
  where j.kind <> 'withdrawal'
    and not exists (select 1 from judgments later where later.supersedes = j.judgment_id);
create view current_judgments as
  select * from standing_judgments
  where person_id not in (select person_id from uncounted_people);

create view shown_in_training as
  select attempts.person_id, items.pair_id, answers.answered_at
  from training_items items
  join training_answers answers using (item_id)
  join training_attempts attempts using (attempt_id)
  where items.pair_id is not null;

create view standing_repeat_judgments as
  select a.*, r.person_id, r.pair_id, r.judgment_id
  from repeat_judgments a join repeats r using (repeat_id)
  where a.kind <> 'withdrawal'
    and not exists (select 1 from repeat_judgments later where later.supersedes = a.answer_id);

create view open_repeats as
  select r.repeat_id, r.person_id, r.pair_id, r.judgment_id
  from repeats r join judgments j using (judgment_id)
  where j.rubric_version = (select max(version) from rubrics)
    and not exists (select 1 from judgments later where later.supersedes = r.judgment_id)
    and not exists (select 1 from standing_repeat_judgments s where s.repeat_id = r.repeat_id);
"""
"""`current_judgments` is what counts: for quotas, resolution, samples, agreement and releases. A
person's own list asks `standing_judgments`, which holds what stands, counted or not."""
