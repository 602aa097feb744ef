"""A new project from somebody's release, or from two: with what they disagree about listed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from labelkit.errors import Conflict, InputError, NotReady
from labelkit.judging.resolution import Key
from labelkit.model import Cause, Document, Query, Role, Span
from labelkit.releases.merging import MergeConflict, merge_conflicts
from labelkit.releases.reading import Release
from labelkit.rubric import parse_rubric
from labelkit.store import (
    Connection,
    RuleBroken,
    Workspace,
    documents,
    judgments,
    pairs,
    people,
    queries,
    rubric_choices,
    rubrics,
)
from labelkit.wording import counted

SAME_WORDS = 20
"""Characters from which a reason that stands in both releases word for word is one person's."""

BROKEN = (RuleBroken, KeyError, TypeError, ValueError, AttributeError)
"""What a forged release makes of the store and of our own reading."""

Side = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Adopted:
    """The new project, what it took over, and the conflicts that were met."""

    workspace: Workspace
    queries: int
    documents: int
    judgments: int
    same_judgments: int
    conflicts: tuple[MergeConflict, ...]

    @property
    def sentence(self) -> str:
        """What was made, in one line."""
        both = f" ({self.same_judgments:,} stood in both)" if self.same_judgments else ""
        return (
            f"Made {self.workspace.path}: {counted(self.queries, 'query')}, "
            f"{counted(self.documents, 'document')}, "
            f"{counted(self.judgments, 'judgment')}{both}."
        )


def adopt(
    path: str | Path,
    found: Sequence[Release],
    *,
    lead: str,
    name: str | None = None,
    prefer: Side | None = None,
) -> Adopted:
    """Make a new project from one release, or merge two.

    Raters stay under pseudonyms that name their release; a judgment that stands in both word for
    word is taken once. With `prefer`, that release's documents, queries and rubric are taken
    where the two differ. Raises Conflict listing what has to be chosen, NotReady for a release
    without texts, InputError where a project is there already or the number of releases is not
    1 or 2.
    """
    _check(path, found)
    conflicts = merge_conflicts(*found) if len(found) == 2 else ()
    blocking = [one for one in conflicts if one.blocks]
    if blocking and prefer is None:
        listed = "; ".join(f"{one.kind} {one.item}" for one in blocking[:5])
        more = f" and {len(blocking) - 5} more" if len(blocking) > 5 else ""
        raise Conflict(
            f"The releases differ on {listed}{more}: say which of the two is right (prefer first "
            "or second), or make them alike."
        )
    # the preferred one last: its rubric is in force, and its texts are the ones that stay
    order = list(enumerate(found, 1))
    if prefer == "first":
        order.reverse()
    texts = _merged(order)
    with _made(Path(path), name) as workspace:
        person = people.add(workspace, lead, [Role.LEAD]).person_id
        with workspace.writing() as db:
            documents.save(db, texts.documents)
            queries.save(db, texts.queries)
            versions = _versions(db, order, person)
            taken, same = _judgments(db, sorted(order, key=lambda one: one[0]), versions)
    return Adopted(workspace, len(texts.queries), len(texts.documents), taken, same, conflicts)


@contextmanager
def _made(path: Path, name: str | None) -> Iterator[Workspace]:
    """A new workspace that stays only where the block ends well."""
    workspace, made = Workspace.create(path, name), False
    try:
        yield workspace
        made = True
    except BROKEN as error:
        raise InputError(
            f"a release holds what no project can hold ({type(error).__name__}: {error}); nothing "
            "was made.",
            file=path,
        ) from None
    finally:
        if not made:
            workspace.discard()


def _check(path: str | Path, found: Sequence[Release]) -> None:
    if len(found) not in (1, 2):
        raise InputError("Name one release, or two to merge.")
    for release in found:
        if not release.texts:
            raise NotReady(f"Release {release.tag!r} holds no texts: complete it first.")
        if "versions" not in release.manifest["rubric"] and _versions_used(release) - {
            release.manifest["rubric"]["version"]
        }:
            raise NotReady(
                f"Release {release.tag!r} was frozen by an earlier labelkit, without the texts of "
                "its rubric's versions: freeze it anew where it comes from."
            )
    if Workspace(path).database.exists():
        raise InputError("there is a project already: choose a new folder.", file=Path(path))


def _versions_used(release: Release) -> set[int]:
    return {row["rubric_version"] for row in release.judgments if row["role"] == "rater"}


@dataclass(frozen=True, slots=True)
class _Texts:
    documents: list[Document]
    queries: list[Query]


def _merged(order: Sequence[tuple[int, Release]]) -> _Texts:
    held = {one.doc_id: one for _, release in order for one in release.documents}
    asked = {one.query_id: one for _, release in order for one in release.queries}
    return _Texts([held[key] for key in sorted(held)], [asked[key] for key in sorted(asked)])


def _versions(
    db: Connection, order: Sequence[tuple[int, Release]], person_id: str
) -> dict[tuple[int, int], int]:
    """Save the rubrics' versions; (release, its version) to the version here."""
    found: dict[tuple[int, int], int] = {}
    for number, release in order:
        told = release.manifest["rubric"]
        same, before = set(told.get("same_meaning", ())), False
        # Releases of the first labelkit hold one version, the one in force.
        texts = told.get("versions", {str(told["version"]): told["body"]})
        for version in sorted(map(int, texts)):
            saved = rubrics.save(db, parse_rubric(texts[str(version)], version), None)
            found[number, version] = saved
            if version in same and before:
                note = f"as in release {release.tag}"
                rubric_choices.add(db, saved, "wording", note, person_id)
            before = version in same
    return found


def _judgments(
    db: Connection,
    order: Sequence[tuple[int, Release]],
    versions: Mapping[tuple[int, int], int],
) -> tuple[int, int]:
    """Write what was said and settled; returns how many judgments, and how many stood twice."""
    before: Counter[tuple[Any, ...]] = Counter()
    labelled: dict[Key, int] = defaultdict(int)
    taken, same = 0, 0
    for number, release in order:
        mine: Counter[tuple[Any, ...]] = Counter()
        # What a lead settled comes last: labels given after that are not independent.
        for row in sorted(release.judgments, key=lambda one: one["role"] == "adjudicator"):
            said = _said(row)
            if before[said] > 0 and len(row["reason"]) >= SAME_WORDS:
                before[said] -= 1
                same += row["role"] != "adjudicator"
                continue
            mine[said] += 1
            pair = _pair(db, row)
            person = _person(db, row, release, number, len(order))
            if row["role"] == "adjudicator":
                judgments.adjudicate(db, pair, person, row["level"], row["reason"])
                continue
            key = (row["query_id"], row["doc_id"])
            _append(db, row, pair, person, versions[number, row["rubric_version"]], labelled[key])
            labelled[key] += row["level"] is not None
            taken += 1
        before = mine
    for judged, count in labelled.items():
        found = pairs.find(db, *judged)
        if found is not None:
            pairs.raise_quota(db, [found.pair_id], min(5, max(1, count)))
    return taken, same


def _said(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in ("query_id", "doc_id", "role", "level", "cause", "reason"))


def _pair(db: Connection, row: Mapping[str, Any]) -> int:
    pairs.add(db, [(row["query_id"], row["doc_id"])], "import")
    found = pairs.find(db, row["query_id"], row["doc_id"])
    if found is None:
        raise InputError(f"The judgment of {row['query_id']!r} with {row['doc_id']!r} has no pair.")
    return found.pair_id


def _person(
    db: Connection, row: Mapping[str, Any], release: Release, number: int, releases: int
) -> str:
    """A pseudonym that names its release: who it was is not known here, and not guessed."""
    of = f"{release.tag} ({'first' if number == 1 else 'second'})" if releases > 1 else release.tag
    name = f"{row['rater'].replace('rater-', 'Rater ')} of {of}"
    role = Role.RATER if row["role"] == "rater" else Role.LEAD
    return people.save(db, name, [role]).person_id


def _append(
    db: Connection, row: Mapping[str, Any], pair: int, person: str, version: int, before: int
) -> None:
    again = "second" if before else "first"
    judgments.append(
        db,
        pair_id=pair,
        person_id=person,
        rubric_version=version,
        level=row["level"],
        cause=None if row["cause"] is None else Cause(row["cause"]),
        reason=row["reason"],
        evidence=[Span(one["start"], one["end"], one["quote"]) for one in row["evidence"]],
        round="check" if row["round"] == "check" else again,
        provenance=row["provenance"],
    )
