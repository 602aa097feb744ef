"""Freezing: from the project's state to a folder of plain files that never changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import labelkit
from labelkit import agreement
from labelkit.errors import AlreadyFrozen, InputError, NotReady
from labelkit.judging import rubric_versions
from labelkit.judging import state as project
from labelkit.judging.agreeing import independent_labels
from labelkit.judging.resolution import Key, State
from labelkit.model import UNREVIEWED, Adjudication, Judgment, Query, QuerySource, Role
from labelkit.releases import content, evidence
from labelkit.releases.publishing import publish
from labelkit.releases.readiness import EarlierLabels, Readiness, assess
from labelkit.rubric import Rubric
from labelkit.store import Workspace, documents, independent, judgments, now, people, rubric_choices
from labelkit.store import releases as records


@dataclass(frozen=True, slots=True)
class Frozen:
    """A release that was just frozen: where it lies, its content hash, and what was noted."""

    tag: str
    content_sha256: str
    folder: Path
    counts: Mapping[str, int]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    state: project.ProjectState
    corpus: list[Any]
    history: list[Judgment]
    unswayed: list[Judgment]
    settled: Mapping[Key, str]
    versions: Mapping[int, Rubric]
    same_meaning: frozenset[int]
    choice: rubric_choices.Choice | None
    passages: str


def readiness(workspace: Workspace, rule: str | None = None) -> Readiness:
    """What refuses a freeze now, what would be recorded as a warning, and what would be in it."""
    snapshot = _read(workspace, rule, texts=False)
    return assess(
        snapshot.state, _agreement(snapshot), _earlier(snapshot), passages=snapshot.passages
    )


def freeze(
    workspace: Workspace,
    tag: str,
    person_id: str,
    *,
    rule: str | None = None,
    texts: bool = True,
) -> Frozen:
    """Freeze the project as it is now under a tag.

    Without `texts` the release holds the documents' ids and hashes only, and whoever benchmarks
    with it brings the corpus.

    `rule` (min, median or max) settles pairs on which humans differ and nobody adjudicated.
    Raises NotReady with every reason while something blocks, AlreadyFrozen where the tag
    exists, NotAllowed where the person is not a lead, InputError for a tag that is no file name.
    """
    people.require(workspace, person_id, Role.LEAD)
    _check_tag(workspace, tag)
    snapshot = _read(workspace, rule)
    report = _agreement(snapshot)
    ready = assess(snapshot.state, report, _earlier(snapshot), passages=snapshot.passages)
    if ready.blocking:
        raise NotReady(f"Cannot freeze {tag!r}: " + " ".join(ready.blocking))
    files = _content_files(snapshot, texts)
    files["agreement.json"] = (content.canonical(report.as_dict()) + "\n").encode()
    names = _names(snapshot)
    files["history.jsonl"] = content.lines(
        content.history_row(event, names, texts) for event in snapshot.history
    )
    files[content.ATTRIBUTES] = content.UNTOUCHED
    manifest = _manifest(tag, person_id, rule, snapshot, ready, report, files)
    manifest |= {} if texts else {"texts": False}
    folder = publish(workspace, person_id, manifest, files)
    return Frozen(tag, manifest["content_sha256"], folder, manifest["counts"], ready.warnings)


def _check_tag(workspace: Workspace, tag: str) -> None:
    if not content.TAG.fullmatch(tag):
        raise InputError(
            f"{tag!r} cannot be a tag: use letters, digits, dots, dashes and underscores, "
            "such as v1 or 2026-11."
        )
    with workspace.reading() as db:
        held = records.get(db, tag)
    if held is not None:
        raise AlreadyFrozen(
            f"{tag!r} was frozen on {held.frozen_at[:10]} and never changes: choose another tag."
        )


def _read(workspace: Workspace, rule: str | None, *, texts: bool = True) -> _Snapshot:
    """The project at one moment; without the documents' texts where only counts are asked."""
    with workspace.reading() as db:
        state = project.read(db, rule)
        standing, found = evidence.reanchored(state.judgments, documents.revised(db))
        return _Snapshot(
            replace(state, judgments=tuple(standing)),
            list(documents.each(db)) if texts else [],
            [event for event in judgments.history(db) if event.query_id in state.queries],
            [event for event in independent.unswayed(db) if event.query_id in state.queries],
            judgments.first_adjudicated_at(db),
            {one.rubric.version: one.rubric for one in rubric_choices.versions(db)},
            rubric_choices.same_meaning(db, state.rubric.version),
            rubric_versions.counting(db),
            evidence.sentence(found),
        )


def _earlier(snapshot: _Snapshot) -> EarlierLabels:
    """What was decided about labels of an earlier meaning of the rubric, and what it comes to."""
    version, choice = snapshot.state.rubric.version, snapshot.choice
    since = min(snapshot.same_meaning, default=version)
    return EarlierLabels(
        version=version,
        since=since,
        rule="carried" if choice is None else choice.kind,
        chosen=choice is not None,
        counted=sum(1 for j in snapshot.state.judgments if j.rubric_version < since),
        sent_back=0 if choice is None else choice.requeued,
    )


def _agreement(snapshot: _Snapshot) -> agreement.AgreementReport:
    """Agreement under pseudonyms, as the release will carry it."""
    labels = independent_labels(
        snapshot.unswayed, snapshot.settled, rubric_versions=snapshot.same_meaning
    )
    names = _names(snapshot)
    return agreement.report(replace(label, rater=names[str(label.rater)]) for label in labels)


def _names(snapshot: _Snapshot) -> dict[str, str]:
    standing, final = _frozen(snapshot.state)
    return content.pseudonyms(
        [*(j.person_id for j in standing), *(a.person_id for a in final)],
        [
            *(event.person_id for event in snapshot.history),
            *(adjudication.person_id for adjudication in snapshot.state.adjudications),
        ],
    )


def _frozen(state: project.ProjectState) -> tuple[list[Judgment], list[Adjudication]]:
    """What was said of the queries that are in the release."""
    kept = set(state.judged_queries)
    return (
        [judgment for judgment in state.judgments if judgment.query_id in kept],
        [adjudication for adjudication in state.adjudications if adjudication.query_id in kept],
    )


def _content_files(snapshot: _Snapshot, texts: bool) -> dict[str, bytes]:
    state, names = snapshot.state, _names(snapshot)
    standing, final = _frozen(state)
    rows = [content.judgment_row(judgment, names, texts) for judgment in standing]
    rows += [content.adjudication_row(adjudication, names) for adjudication in final]
    rows.sort(key=lambda row: (row["query_id"], row["doc_id"], content.canonical(row)))
    return {
        "documents.jsonl": content.lines(
            content.document_row(document, texts) for document in snapshot.corpus
        ),
        "judgments.jsonl": content.lines(rows),
        "qrels.txt": content.qrels_text(_levels(state)),
        "queries.jsonl": content.lines(
            content.query_row(state.queries[q]) for q in state.judged_queries
        ),
        "rubric.md": state.rubric.markdown().encode(),
    }


def _levels(state: project.ProjectState) -> dict[Key, int]:
    return {
        pair: resolution.level
        for pair, resolution in state.resolutions.items()
        if resolution.level is not None
    }


def _manifest(
    tag: str,
    person_id: str,
    rule: str | None,
    snapshot: _Snapshot,
    ready: Readiness,
    report: agreement.AgreementReport,
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    hashes = {name: content.sha256(data) for name, data in files.items()}
    rubric = snapshot.state.rubric
    return {
        "tag": tag,
        "content_sha256": content.content_sha256(hashes),
        "files": hashes,
        "counts": ready.counts.as_dict(),
        "resolution": {"rule": rule, "how": _how(snapshot.state)},
        "rubric": {
            "version": rubric.version,
            "sha256": rubric.text_sha256,
            "body": rubric.body(),
            "versions": _versions(snapshot),
            "same_meaning": sorted(snapshot.same_meaning),
            "earlier_labels": _earlier(snapshot).rule,
        },
        "agreement": report.as_dict(),
        "provenance": {
            "queries": _mix(query.source.value for query in snapshot.state.queries.values()),
            "queries_edited": sum(
                query.drafted_text is not None for query in snapshot.state.queries.values()
            ),
            "drafts": _mix(
                _review_of(query)
                for query in snapshot.state.queries.values()
                if query.source is QuerySource.SYNTHETIC
            ),
            "judgments": _mix(j.provenance or "judged here" for j in snapshot.state.judgments),
        },
        "left_out": {"queries_without_judged_document": snapshot.state.unjudged_queries},
        "warnings": list(ready.warnings),
        "labelkit_version": labelkit.__version__,
        "frozen_by": _names(snapshot).get(person_id, "lead"),
        "frozen_at": now(),
    }


def _versions(snapshot: _Snapshot) -> dict[str, Any]:
    """The texts of the versions under which something frozen was judged, and the one in force."""
    used = {judgment.rubric_version for judgment in _frozen(snapshot.state)[0]}
    return {
        str(version): rubric.body()
        for version, rubric in sorted(snapshot.versions.items())
        if version in used | snapshot.same_meaning
    }


def _how(state: project.ProjectState) -> dict[str, int]:
    return _mix(r.how for r in state.resolutions.values() if r.state is State.RESOLVED)


def _review_of(query: Query) -> str:
    """What people did to a drafted query before it counted."""
    if query.provenance.endswith(UNREVIEWED):
        return UNREVIEWED
    return "edited" if query.drafted_text is not None else "accepted as drafted"


def _mix(values: Any) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
