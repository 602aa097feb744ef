"""What changed between two releases: labels with both reasons, queries, documents, rubric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from labelkit.judging.resolution import Key
from labelkit.judging.rubric_diff import RubricChange, rubric_changes
from labelkit.model import Document, Query, Span
from labelkit.releases import content
from labelkit.releases.anchoring import Anchored, anchor
from labelkit.releases.reading import Release
from labelkit.rubric import parse_rubric
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A pair whose frozen level differs: `kind` is "added", "changed" or "withdrawn".

    A level is None where the release has none; `reasons` are those of its raters and, first,
    of a lead who settled the pair.
    """

    kind: str
    query_id: str
    doc_id: str
    before: int | None
    after: int | None
    reasons_before: tuple[str, ...]
    reasons_after: tuple[str, ...]

    @property
    def reasons_gone(self) -> tuple[str, ...]:
        """The reasons that stood in the older release alone; all of it where none did."""
        return _only(self.reasons_before, self.reasons_after)

    @property
    def reasons_come(self) -> tuple[str, ...]:
        """The reasons that stand in the newer release alone; all of it where none does."""
        return _only(self.reasons_after, self.reasons_before)


def _only(these: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(reason for reason in these if reason not in others) or these


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A query or document that was "added", "removed" or "changed" (and in which `fields`)."""

    kind: str
    item_id: str
    fields: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EvidenceDrift:
    """Evidence of the older release held against the newer text of its document."""

    query_id: str
    doc_id: str
    rater: str
    found: Anchored


@dataclass(frozen=True, slots=True)
class AlphaThenNow:
    """Agreement of one release, as its manifest tells it."""

    alpha: float | None
    low: float | None
    high: float | None
    units: int
    rubric_version: int
    undefined: str | None


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """Everything that differs between an older and a newer release."""

    old: str
    new: str
    same_content: bool
    labels: tuple[LabelChange, ...]
    queries: tuple[ItemChange, ...]
    documents: tuple[ItemChange, ...]
    evidence: tuple[EvidenceDrift, ...]
    rubric: tuple[RubricChange, ...]
    agreement: tuple[AlphaThenNow, AlphaThenNow]

    @property
    def counts(self) -> dict[str, int]:
        """How many of each, such as "labels changed"."""
        found: dict[str, int] = defaultdict(int)
        for name, changes in (
            ("labels", self.labels),
            ("queries", self.queries),
            ("documents", self.documents),
            ("rubric parts", self.rubric),
        ):
            for change in changes:
                found[f"{name} {change.kind}"] += 1
        for drift in self.evidence:
            found[f"evidence {drift.found.how}"] += 1
        return dict(found)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "counts": self.counts}


def diff(old: Release, new: Release) -> ReleaseDiff:
    """Compare two releases, the older one first; each part in the order of its ids."""
    return ReleaseDiff(
        old=old.tag,
        new=new.tag,
        same_content=old.content_sha256 == new.content_sha256,
        labels=tuple(_labels(old, new)),
        queries=tuple(_queries(old, new)),
        documents=tuple(_documents(old, new)),
        evidence=tuple(_evidence(old, new)),
        rubric=rubric_changes(*(parse_rubric(r.manifest["rubric"]["body"], 1) for r in (old, new))),
        agreement=(_alpha(old), _alpha(new)),
    )


def diff_text(found: ReleaseDiff, limit: int = 20) -> str:
    """The differences as lines for a terminal, at most `limit` of each kind."""
    lines = [f"{found.old} to {found.new}:"]
    if found.same_content:
        return f"{lines[0]} the same content, byte for byte."
    if not found.counts:
        return f"{lines[0]} nothing differs but what was left out (texts, or a field of the files)."
    lines += [f"  {what}: {number:,}" for what, number in found.counts.items()]
    lines += _cut(map(_label_line, found.labels), "labels", limit)
    lines += _cut(map(_item_line, (*found.queries, *found.documents)), "queries, documents", limit)
    lines += _cut((change.sentence for change in found.rubric), "rubric", limit)
    lines += _cut(
        (
            f"{one.query_id} with {one.doc_id}, {one.rater}: “{one.found.quote}” {one.found.how}"
            for one in found.evidence
            if one.found.how != "kept"
        ),
        "evidence",
        limit,
    )
    then, now = found.agreement
    return "\n".join([*lines, f"alpha: {_alpha_words(then)} then, {_alpha_words(now)} now"])


def _cut(rows: Iterator[str] | map[str], title: str, limit: int) -> list[str]:
    held = list(rows)
    left = len(held) - limit
    more = [f"  … and {left} more (--json shows all)"] if left > 0 else []
    return [f"{title}:", *(f"  {row}" for row in held[:limit]), *more] if held else []


def _label_line(one: LabelChange) -> str:
    move = {"added": f"{one.after}", "withdrawn": f"was {one.before}"}
    level = move.get(one.kind, f"{one.before} → {one.after}")
    sides = [_quoted(side) for side in (one.reasons_gone, one.reasons_come) if side]
    said = " → ".join(sides)
    return f"{one.kind} {one.query_id} with {one.doc_id}: {level} ({said})"


def _quoted(reasons: tuple[str, ...]) -> str:
    return "; ".join(f"“{reason}”" for reason in reasons)


def _item_line(one: ItemChange) -> str:
    fields = f" ({', '.join(one.fields)})" if one.fields else ""
    return f"{one.kind} {one.item_id}{fields}"


def _alpha_words(one: AlphaThenNow) -> str:
    if one.alpha is None:
        return f"undefined ({one.undefined})"
    bounds = "" if one.low is None else f" ({one.low:.3f} to {one.high:.3f})"
    return f"{one.alpha:.3f}{bounds} on {counted(one.units, 'pair')}, rubric v{one.rubric_version}"


def _labels(old: Release, new: Release) -> Iterator[LabelChange]:
    then, now = _levels(old), _levels(new)
    said_then, said_now = _reasons(old), _reasons(new)
    for pair in sorted(then.keys() | now.keys()):
        before, after = then.get(pair), now.get(pair)
        if before == after:
            continue
        kind = "added" if before is None else "withdrawn" if after is None else "changed"
        yield LabelChange(
            kind, *pair, before, after, said_then.get(pair, ()), said_now.get(pair, ())
        )


def _levels(release: Release) -> dict[Key, int]:
    return {(q, d): level for q, judged in release.qrels.items() for d, level in judged.items()}


def _reasons(release: Release) -> dict[Key, tuple[str, ...]]:
    by_pair: dict[Key, list[tuple[bool, str]]] = defaultdict(list)
    for row in release.judgments:
        by_pair[row["query_id"], row["doc_id"]].append((row["role"] == "rater", row["reason"]))
    return {pair: tuple(reason for _, reason in sorted(said)) for pair, said in by_pair.items()}


def _queries(old: Release, new: Release) -> Iterator[ItemChange]:
    then = {query.query_id: query for query in old.queries}
    now = {query.query_id: query for query in new.queries}
    for query_id in sorted(then.keys() | now.keys()):
        before, after = then.get(query_id), now.get(query_id)
        if before != after:
            fields = _fields(_row(before), _row(after)) if before and after else ()
            yield _item(query_id, fields, _asked(before), _asked(after))


def _row(query: Query) -> dict[str, Any]:
    return content.query_row(query)


def _asked(query: Query | None) -> str | None:
    return None if query is None else query.text


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    every = sorted(before.keys() | after.keys())
    return tuple(name for name in every if before.get(name) != after.get(name))


def _item(item_id: str, fields: tuple[str, ...], before: str | None, after: str | None) -> Any:
    kind = "added" if before is None else "removed" if after is None else "changed"
    return ItemChange(kind, item_id, fields, before or "", after or "")


def _documents(old: Release, new: Release) -> Iterator[ItemChange]:
    then, now = ({one.doc_id: one for one in r.documents} for r in (old, new))
    for doc_id in sorted(then.keys() | now.keys()):
        before, after = then.get(doc_id), now.get(doc_id)
        if before is None or after is None:
            yield _item(doc_id, (), _titled(before), _titled(after))
        elif fields := _drift(before, after, old.hashes[doc_id] != new.hashes[doc_id]):
            yield _item(doc_id, fields, before.title, after.title)


def _titled(document: Document | None) -> str | None:
    return None if document is None else document.title


def _drift(before: Document, after: Document, changed: bool) -> tuple[str, ...]:
    """What differs; where a release carries no texts, the hash alone says that they do."""
    found = [name for name in ("title", "text") if getattr(before, name) != getattr(after, name)]
    words = tuple(found) if changed else ()
    if changed and not (before.text and after.text):
        words = ("title or text",)
    known = before.metadata and after.metadata
    return (*words, "metadata") if known and before.metadata != after.metadata else words


def _evidence(old: Release, new: Release) -> Iterator[EvidenceDrift]:
    """Where evidence of the older release stands in documents whose text has changed."""
    now = {one.doc_id: one for one in new.documents if old.hashes.get(one.doc_id)}
    for row in old.judgments:
        document = now.get(row["doc_id"])
        if document is None or old.hashes[document.doc_id] == new.hashes[document.doc_id]:
            continue
        if not (document.text and new.texts and old.texts):
            continue
        for span in row["evidence"]:
            found = anchor(Span(span["start"], span["end"], span["quote"]), document.text)
            yield EvidenceDrift(row["query_id"], row["doc_id"], row["rater"], found)


def _alpha(release: Release) -> AlphaThenNow:
    told = release.manifest["agreement"]
    return AlphaThenNow(
        alpha=told["alpha"],
        low=told["low"],
        high=told["high"],
        units=told["pairable_units"],
        rubric_version=release.manifest["rubric"]["version"],
        undefined=told["undefined"],
    )
