"""Freezing: refused with every reason, the same bytes for the same content, no person's name."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
import small_project as small

from labelkit import judging, releases
from labelkit.errors import AlreadyFrozen, InputError, NotAllowed, NotReady
from labelkit.judging import Task
from labelkit.model import Cause, Document, Query, QuerySource, Role, Span
from labelkit.releases.content import CONTENT_FILES, judgment_row
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, judgments, pairs, people, queries, rubrics

PEOPLE = {"Anna Årsen": [Role.RATER], "Zoë Nguyen": [Role.RATER], "Lee Lead": [Role.LEAD]}
ANNA, NGUYEN = "anna-årsen", "zoë-nguyen"
QUERIES = [
    Query("01", "naïve\u2028query", QuerySource.LOG, tags=("keyword",), language="en"),
    Query("NA", "二番目", QuerySource.MANUAL, information_need="second"),
    Query("q3", "third", QuerySource.SYNTHETIC, source_doc_id="d1"),
]
DOCUMENTS = [
    Document(f"d{number}", f"Title {number}", f"one\r\nl\u2028two {number}", {"b": 1, "a": 2})
    for number in range(5)
]
KEYS = [(query.query_id, document.doc_id) for query in QUERIES for document in DOCUMENTS]
SAID: list[tuple[str, tuple[str, str]]] = [
    (person, key) for person in (ANNA, NGUYEN) for key in KEYS
]


def level_of(person: str, key: tuple[str, str]) -> int:
    level = (KEYS.index(key) * 7) % 3
    return min(level + 1, 2) if person == NGUYEN and key == ("q3", "d2") else level


def fill(path: Path, seed: int) -> Workspace:
    """The same content, put in by an order that the seed decides, through the verbs."""
    mix = random.Random(seed)
    workspace = Workspace.create(path)

    def shuffled(items: Sequence[Any]) -> list[Any]:
        return mix.sample(list(items), len(items))

    for name in shuffled(list(PEOPLE)):
        people.add(workspace, name, PEOPLE[name])
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        documents.save(db, shuffled(DOCUMENTS))
        queries.save(db, shuffled(QUERIES))
        pairs.add(db, shuffled(KEYS), "pool")
        numbers = {key: pairs.find(db, *key) for key in KEYS}
        pairs.raise_quota(db, [pair.pair_id for pair in numbers.values() if pair], 2)
    for person, key in shuffled(SAID):
        pair = numbers[key]
        assert pair is not None
        judging.claim_pair(workspace, person, pair.pair_id)
        judging.record(
            workspace,
            person,
            pair.pair_id,
            level=level_of(person, key),
            reason=f"{key} says so.",
            seconds_on_screen=mix.uniform(1, 60),
        )
    judging.adjudicate(workspace, "lee-lead", "q3", "d2", level=2, reason="It is named.")
    return workspace


def content_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in CONTENT_FILES}


@pytest.fixture
def judged(tmp_path: Path) -> Workspace:
    """A small project, judged to the end."""
    workspace = small.build(tmp_path / "w")
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    return workspace


def test_two_workspaces_filled_in_different_orders_freeze_to_the_same_bytes(tmp_path: Path) -> None:
    frozen = [
        releases.freeze(fill(tmp_path / str(seed), seed), f"v{seed}", "lee-lead") for seed in (1, 2)
    ]
    assert content_of(frozen[0].folder) == content_of(frozen[1].folder)
    assert frozen[0].content_sha256 == frozen[1].content_sha256


class NextMonth(datetime):
    """A clock that is forty days ahead."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """The present moment, forty days on."""
        return datetime.now(tz) + timedelta(days=40)


def test_on_another_day_the_same_content_is_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = releases.freeze(fill(tmp_path / "1", 1), "v1", "lee-lead")
    monkeypatch.setattr("labelkit.store.workspace.datetime", NextMonth)
    later = releases.freeze(fill(tmp_path / "2", 7), "other", "lee-lead")
    manifests = [json.loads((f.folder / "manifest.json").read_text()) for f in (first, later)]
    assert manifests[0]["frozen_at"][:7] != manifests[1]["frozen_at"][:7]
    assert content_of(first.folder) == content_of(later.folder)
    assert first.content_sha256 == later.content_sha256


def test_the_order_in_which_evidence_was_marked_is_no_content(judged: Workspace) -> None:
    with judged.reading() as db:
        held = judgments.current(db)[0]
    spans = (Span(0, 2, "Th"), Span(4, 6, "g "))
    rows = [
        judgment_row(replace(held, evidence=marked), {held.person_id: "rater-01"})
        for marked in (spans, spans[::-1])
    ]
    assert rows[0] == rows[1]


def test_a_person_whose_words_were_all_withdrawn_changes_no_content(tmp_path: Path) -> None:
    plain, with_undo = fill(tmp_path / "1", 1), fill(tmp_path / "2", 1)
    people.add(with_undo, "Aaron First", [Role.RATER])
    with with_undo.writing() as db:
        pair = pairs.find(db, "q3", "d0")
        assert pair is not None
        pairs.raise_quota(db, [pair.pair_id], 3)
    small.say(with_undo, "aaron-first", small.claim(with_undo, "aaron-first"), 0)
    judging.undo(with_undo, "aaron-first")
    frozen = [releases.freeze(one, "v1", "lee-lead") for one in (plain, with_undo)]
    assert frozen[0].content_sha256 == frozen[1].content_sha256
    history = (frozen[1].folder / "history.jsonl").read_text()
    assert "rater-04" in history


def test_a_different_level_reason_or_text_gives_a_different_hash(tmp_path: Path) -> None:
    def corrected(workspace: Workspace, **changes: object) -> None:
        last = judging.recent(workspace, ANNA, 1)[0]
        said = {"level": last.level, "reason": last.reason} | changes
        judging.correct(workspace, ANNA, last.judgment_id, **said)  # type: ignore[arg-type]

    def releveled(workspace: Workspace) -> None:
        last = judging.recent(workspace, ANNA, 1)[0]
        corrected(workspace, level=1 if last.level != 1 else 2)

    def retitled(workspace: Workspace) -> None:
        with workspace.writing() as db:
            documents.save(db, [Document("d1", "Another title", "text")])

    changes: list[Callable[[Workspace], None]] = [
        lambda workspace: None,
        lambda workspace: corrected(workspace, reason="Another reason."),
        releveled,
        retitled,
    ]
    hashes = set()
    for number, change in enumerate(changes):
        workspace = fill(tmp_path / str(number), 1)
        change(workspace)
        hashes.add(releases.freeze(workspace, "v1", "lee-lead", rule="max").content_sha256)
    assert len(hashes) == len(changes)


def test_no_persons_name_or_id_stands_anywhere_in_a_release(tmp_path: Path) -> None:
    folder = releases.freeze(fill(tmp_path / "w", 3), "v1", "lee-lead").folder
    everything = "\n".join(path.read_text() for path in folder.iterdir()).casefold()
    for name in PEOPLE:
        for word in [name.casefold(), people.person_id_of(name), *name.casefold().split()]:
            if word != "lead":
                assert word not in everything
    assert '"rater":"rater-01"' in everything


def test_every_human_judgment_is_in_the_release_and_every_event_in_its_history(
    tmp_path: Path,
) -> None:
    workspace = fill(tmp_path / "w", 4)
    judging.undo(workspace, ANNA)
    folder = releases.freeze(workspace, "v1", "lee-lead").folder
    release = releases.load(folder, workspace)
    assert len(release.judgments) == len(SAID) - 1 + 1
    with workspace.reading() as db:
        events = judgments.history(db)
    lines = (folder / "history.jsonl").read_bytes().split(b"\n")[:-1]
    told = [json.loads(line) for line in lines]
    assert [row["event"] for row in told] == [event.judgment_id for event in events]
    assert {row["round"] for row in told} == {"first", "second"}


def test_a_release_reads_back_as_what_was_frozen(tmp_path: Path) -> None:
    workspace = fill(tmp_path / "w", 5)
    release = releases.load(releases.freeze(workspace, "v1", "lee-lead").folder, workspace)
    assert release.documents == DOCUMENTS
    assert release.queries == QUERIES
    assert release.qrels == {
        query.query_id: {
            document.doc_id: level_of(ANNA, (query.query_id, document.doc_id))
            if (query.query_id, document.doc_id) != ("q3", "d2")
            else 2
            for document in DOCUMENTS
        }
        for query in QUERIES
    }


def test_counts_are_the_same_in_manifest_project_and_report(judged: Workspace) -> None:
    counts = judging.count(judging.load(judged)).as_dict()
    frozen = releases.freeze(judged, "v1", small.LEAD)
    manifest = json.loads((frozen.folder / "manifest.json").read_text())
    assert manifest["counts"] == dict(frozen.counts) == counts
    assert releases.list_releases(judged)[0].manifest == manifest


def test_a_freeze_is_refused_while_nothing_is_judged(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w")
    people.add(workspace, "Lee Lead", [Role.LEAD])
    with pytest.raises(NotReady, match="no accepted query"):
        releases.freeze(workspace, "v1", small.LEAD)
    with pytest.raises(NotReady, match="No pair is judged yet"):
        releases.freeze(small.build(tmp_path / "x"), "v1", small.LEAD)


def differ(tmp_path: Path) -> Workspace:
    """Two people who differ on every pair."""
    workspace = small.build(tmp_path / "w", quota=2)
    small.work_through(workspace, small.ANN, lambda task: 0)
    small.work_through(workspace, small.BO, lambda task: 2)
    return workspace


def test_a_freeze_is_refused_while_people_differ_unless_a_rule_is_chosen(tmp_path: Path) -> None:
    workspace = differ(tmp_path)
    with pytest.raises(NotReady, match=r"6 of 6 pairs are unresolved.*choose a rule"):
        releases.freeze(workspace, "v1", small.LEAD)
    assert not releases.readiness(workspace).ready
    assert releases.readiness(workspace, "max").ready
    assert not list(workspace.path.glob("releases/*"))
    frozen = releases.freeze(workspace, "v1", small.LEAD, rule="max")
    manifest = json.loads((frozen.folder / "manifest.json").read_text())
    assert manifest["resolution"] == {"rule": "max", "how": {"max": 6}}
    with pytest.raises(InputError, match="no resolution rule"):
        releases.freeze(workspace, "v2", small.LEAD, rule="mean")


def test_warnings_are_shown_recorded_and_do_not_refuse(judged: Workspace) -> None:
    frozen = releases.freeze(judged, "v1", small.LEAD)
    told = " ".join(frozen.warnings)
    for words in ("under 50", "under 1,000", "No pair has a second label"):
        assert words in told
    manifest = json.loads((frozen.folder / "manifest.json").read_text())
    assert manifest["warnings"] == list(frozen.warnings)


def test_a_pair_that_cannot_be_judged_is_frozen_as_such_and_is_no_level(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2)
    judging.record(
        workspace,
        small.ANN,
        small.claim(workspace, small.ANN).pair_id,
        cause=Cause.DOCUMENT_UNREADABLE,
        reason="Half of it is cut off.",
        seconds_on_screen=small.LOOKED,
    )
    small.work_through(workspace, small.ANN)
    release = releases.load(releases.freeze(workspace, "v1", small.LEAD).folder)
    assert sum(len(judged) for judged in release.qrels.values()) == 1
    assert sorted(str(row["cause"]) for row in release.judgments) == ["None", "document_unreadable"]
    assert release.manifest["counts"]["pairs_cannot_judge"] == 1


def test_a_query_with_nothing_judged_is_left_out_and_said_so(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", pooled=False)
    small.pool(workspace, [("q1", "d1")])
    small.work_through(workspace, small.ANN)
    release = releases.load(releases.freeze(workspace, "v1", small.LEAD).folder)
    assert [query.query_id for query in release.queries] == ["q1"]
    assert release.manifest["left_out"] == {"queries_without_judged_document": ["q2"]}


def test_a_tag_is_frozen_once(judged: Workspace) -> None:
    before = releases.freeze(judged, "v1", small.LEAD)
    with pytest.raises(AlreadyFrozen, match="'v1' was frozen on"):
        releases.freeze(judged, "v1", small.LEAD)
    assert releases.verify(before.folder, judged).ok


@pytest.mark.parametrize("tag", ["", ".", "..", "../up", "a/b", "-v", "a b", "é", "x" * 65, "v1\n"])
def test_a_tag_that_is_no_plain_name_is_refused(judged: Workspace, tag: str) -> None:
    with pytest.raises(InputError, match="cannot be a tag"):
        releases.freeze(judged, tag, small.LEAD)


def test_only_a_lead_freezes(judged: Workspace) -> None:
    with pytest.raises(NotAllowed):
        releases.freeze(judged, "v1", small.ANN)


def cut_power_at(workspace: Workspace, statement: str) -> None:
    """A trigger that stops the freeze from inside SQLite."""
    with workspace.writing() as db:
        db.execute(f"create trigger cut {statement} begin select raise(abort, 'cut'); end")


def test_a_freeze_cut_short_before_its_record_leaves_nothing(judged: Workspace) -> None:
    cut_power_at(judged, "before insert on releases")
    with pytest.raises(sqlite3.IntegrityError, match="cut"):
        releases.freeze(judged, "v1", small.LEAD)
    assert list(judged.releases.iterdir()) == []
    with judged.writing() as db:
        db.execute("drop trigger cut")
    assert releases.verify(releases.freeze(judged, "v1", small.LEAD).folder, judged).ok


FREEZES_ON = """
import sys
from labelkit import releases
from labelkit.store import Workspace
workspace = Workspace.open(sys.argv[1])
for number in range(10_000):
    print(releases.freeze(workspace, f"v{number}", sys.argv[2]).tag, flush=True)
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_freeze_killed_at_any_moment_leaves_whole_releases_only(
    judged: Workspace, seed: int
) -> None:
    command = [sys.executable, "-c", FREEZES_ON, str(judged.path), small.LEAD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "v0\n"
        time.sleep(random.Random(seed).uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        acknowledged = ["v0", *process.stdout.read().split()]
    recorded = {row.tag for row in releases.list_releases(judged)}
    assert set(acknowledged) <= recorded
    for tag in recorded:
        assert releases.verify(releases.find(judged, tag), judged).ok
    for left in judged.releases.glob(".building-*"):
        os.utime(left, (0, 0))
    releases.freeze(judged, "after", small.LEAD)
    names = {path.name for path in judged.releases.iterdir()}
    assert len(names - recorded - {"after"}) <= 1
    assert not [name for name in names if name.startswith(".")]


def test_a_folder_without_its_record_is_no_release_and_gives_way(judged: Workspace) -> None:
    other = releases.freeze(judged, "v1", small.LEAD).folder
    other.rename(judged.releases / "v2")
    with pytest.raises(NotReady, match="no release 'v2'"):
        releases.find(judged, "v2")
    checked = releases.verify(judged.releases / "v2", judged)
    assert checked.problems == (
        "The workspace has no record of this release: its freeze was cut short.",
    )
    assert releases.verify(releases.freeze(judged, "v2", small.LEAD).folder, judged).ok
    # After a backup was put back it may be a release that others have: it is not removed.
    assert releases.load(judged.releases / "v2.unrecorded-1").tag == "v1"


def test_a_rater_can_go_on_after_a_freeze_and_the_release_stays_as_it_was(
    tmp_path: Path,
) -> None:
    workspace = small.build(tmp_path / "w")
    small.say(workspace, small.ANN, small.claim(workspace, small.ANN), 2)
    folder = releases.freeze(workspace, "v1", small.LEAD).folder
    small.work_through(workspace, small.ANN, one)
    assert releases.verify(folder, workspace).ok
    assert sum(len(judged) for judged in releases.load(folder).qrels.values()) == 1


def one(task: Task) -> int:
    return 1
