"""Where a project stands, and the next useful thing for one person to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit import judging, releases
from labelkit.agreement import AgreementReport
from labelkit.judging import Counts
from labelkit.judging.stopped import count_stopped
from labelkit.model import Role
from labelkit.releases import Readiness, ReleaseRow
from labelkit.store import Workspace, people, samples
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do, and the page to do it on ("" for this one), with its part if it has some."""

    text: str
    page: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The overview page's content; `missing` stands before a freeze, `warnings` would be noted.

    `stopped` sends a lead to the pairs that nobody is given until they decide; None where there
    are none, or where that is the next step already.
    """

    counts: Counts
    second_labels_wanted: int
    stage: str
    next_step: NextStep
    missing: tuple[str, ...]
    warnings: tuple[str, ...]
    agreement: AgreementReport
    last_release: ReleaseRow | None
    last_run: str | None
    open_for_me: int
    stopped: NextStep | None


def overview(workspace: Workspace, person_id: str) -> Overview:
    """Read everything that the overview shows, for this person."""
    ready = releases.readiness(workspace)
    frozen = releases.list_releases(workspace)
    report = judging.agreement_report(workspace)
    open_for_me = judging.progress(workspace, person_id).open_for_me
    with workspace.reading() as db:
        wanted = samples.size_wanted(db)
    person = people.get(workspace, person_id)
    roles = person.roles if person else ()
    last_run = _last_decision(workspace)
    stopped = _stopped(count_stopped(workspace, person_id))
    step = _next_step(ready, roles, open_for_me, wanted, bool(frozen), last_run, stopped)
    return Overview(
        counts=ready.counts,
        second_labels_wanted=wanted,
        stage=_stage(ready, wanted, bool(frozen), last_run is not None),
        next_step=step,
        missing=ready.blocking,
        warnings=ready.warnings,
        agreement=report,
        last_release=frozen[0] if frozen else None,
        last_run=last_run,
        open_for_me=open_for_me,
        stopped=None if step == stopped else stopped,
    )


def _stopped(number: int) -> NextStep | None:
    if not number:
        return None
    what = counted(
        number, "pair could not be judged and waits", "pairs could not be judged and wait"
    )
    return NextStep(f"{what} for your decision.", "adjudicate", "cannot")


def stage(workspace: Workspace) -> str:
    """The project's stage: collect, label, agree, freeze, measure or decide."""
    frozen = bool(releases.list_releases(workspace))
    if frozen:
        return "decide" if _last_decision(workspace) is not None else "measure"
    with workspace.reading() as db:
        wanted = samples.size_wanted(db)
    return _stage_of(judging.count(judging.load(workspace)), wanted)


def _stage(ready: Readiness, wanted: int, frozen: bool, measured: bool) -> str:
    if frozen:
        return "decide" if measured else "measure"
    return _stage_of(ready.counts, wanted)


def _stage_of(counts: Counts, wanted: int) -> str:
    if not counts.documents or not counts.queries_accepted or not counts.pairs:
        return "collect"
    if counts.pairs_unjudged:
        return "label"
    if counts.pairs_unresolved or counts.pairs_second_labelled < max(wanted, 1):
        return "agree"
    return "freeze"


def _next_step(
    ready: Readiness,
    roles: tuple[Role, ...],
    open_for_me: int,
    wanted: int,
    frozen: bool,
    last_run: str | None,
    stopped: NextStep | None,
) -> NextStep:
    """The first of a list of things that this person can do, in the order of the work."""
    counts, lead = ready.counts, Role.LEAD in roles
    rates = lead or Role.RATER in roles
    steps = [
        (lead and not counts.documents, "Import the documents to be searched.", "import"),
        (lead and not _any_query(counts), "Import or draft the queries.", "import"),
        (lead and counts.queries_accepted > 0 and not counts.pairs, "Pool the queries.", "import"),
        (
            lead and counts.pairs_unresolved > 0,
            f"{_waiting(counts.pairs_unresolved, 'disagreement')} for you.",
            "adjudicate",
        ),
        (stopped is not None, stopped.text if stopped else "", "adjudicate"),
        (
            lead and not frozen and ready.ready and not counts.pairs_unjudged,
            "Everything is judged: freeze a release.",
            "releases",
        ),
        (
            Role.REVIEWER in roles and frozen and last_run is None,
            "A release is frozen: compare candidates on it.",
            "benchmark",
        ),
        (rates and open_for_me > 0, f"{_waiting(open_for_me, 'pair')} for your judgment.", "label"),
        (
            rates and counts.queries_draft > 0,
            f"{_waiting(counts.queries_draft, 'drafted query')} for review.",
            "review",
        ),
        (
            lead and counts.judgments > 0 and not wanted and not counts.pairs_second_labelled,
            "Draw a sample for second labels, to see how far raters agree.",
            "agreement",
        ),
        (frozen and last_run is not None, "Read where the candidates differ.", "failures"),
    ]
    for applies, text, page in steps:
        if applies:
            return stopped if stopped and text == stopped.text else NextStep(text, page)
    return NextStep("Nothing waits for you here now.", "")


def _waiting(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'waits' if number == 1 else 'wait'}"


def _any_query(counts: Counts) -> int:
    return counts.queries_accepted + counts.queries_draft


def _last_decision(workspace: Workspace) -> str | None:
    """The decision of the newest finished benchmark run, or None."""
    summaries = sorted(
        workspace.runs.glob("*/summary.json"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for path in summaries:
        summary: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if summary.get("decision"):
            return str(summary["decision"])
    return None
