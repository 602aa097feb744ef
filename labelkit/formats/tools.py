"""The JSON that other judging tools export, as plain rows: Quepid, OpenSearch, Label Studio.

Judgments come as rows of query_text, doc_id and level, with rater and reason where the tool has
them. Asked for queries, each query comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Entries = Iterable[Any]
LOOKED_AT = 50
LEVEL_NAMES = ("relevance", "rating", "level", "grade", "label", "judgment", "judgement")


def _dicts(value: Any, *keys: str) -> list[Mapping[str, Any]]:
    """The objects of a list, if it is one and the first of them hold all of the keys."""
    if not isinstance(value, list) or not value:
        return []
    first = value[:LOOKED_AT]
    if not all(isinstance(one, dict) and all(key in one for key in keys) for one in first):
        return []
    return [one for one in value if isinstance(one, dict)]


def _at(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _is_quepid_book(value: Any) -> bool:
    return bool(_dicts(_at(value, "query_doc_pairs"), "query_text", "doc_id"))


def _quepid_book(value: Any, kind: str) -> Entries:
    pairs = _dicts(value["query_doc_pairs"], "query_text", "doc_id")
    if kind == "queries":
        return _queries((pair["query_text"], _at(pair, "information_need")) for pair in pairs)
    if kind == "documents":
        return _fields(pairs)
    return _quepid_judgments(pairs)


def _quepid_judgments(pairs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        for said in pair.get("judgements") or ():
            if not isinstance(said, dict) or said.get("judge_later"):
                continue
            refused = bool(said.get("unrateable"))
            if said.get("rating") is None and not refused:
                continue  # begun and not judged
            yield {
                "query_text": pair["query_text"],
                "doc_id": pair["doc_id"],
                "level": "unrateable" if refused else said.get("rating"),
                "rater": said.get("user_email") or said.get("user_name") or "",
                "reason": said.get("explanation") or "",
            }


def _fields(pairs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The documents of a book: the fields that its raters saw."""
    for pair in pairs:
        shown = pair.get("document_fields")
        yield {"doc_id": pair["doc_id"], **(shown if isinstance(shown, dict) else {})}


def _is_quepid_case(value: Any) -> bool:
    queries = _at(value, "queries")
    return bool(_dicts(queries, "query_text", "ratings") or _dicts(queries, "query", "ratings"))


def _quepid_case(value: Any, kind: str) -> Entries:
    queries = _dicts(value["queries"], "ratings")
    if kind == "queries":
        return _queries((_text(one), one.get("information_need")) for one in queries)
    return (
        {"query_text": _text(one), "doc_id": doc_id, "level": rating}
        for one in queries
        if isinstance(one["ratings"], dict)
        for doc_id, rating in one["ratings"].items()
    )


def _text(query: Mapping[str, Any]) -> Any:
    return query.get("query_text", query.get("query"))


def _queries(found: Iterable[tuple[Any, Any]]) -> Iterator[dict[str, Any]]:
    """Each query once, in the file's order."""
    seen = set()
    for text, need in found:
        if str(text) not in seen:
            seen.add(str(text))
            yield {"text": text, "information_need": need or ""}


def _opensearch_lists(value: Any) -> list[Mapping[str, Any]]:
    found = _at(value, "_source") or value
    for key in ("judgmentRatings", "judgmentScores", "judgments"):
        if rated := _dicts(_at(found, key), "query", "ratings"):
            return rated
    return _dicts(value, "query", "ratings")


def _is_opensearch(value: Any) -> bool:
    return bool(_opensearch_lists(value))


def _opensearch(value: Any, kind: str) -> Entries:
    lists = _opensearch_lists(value)
    if kind == "queries":
        return _queries((one["query"], "") for one in lists)
    return (
        {"query_text": one["query"], "doc_id": said.get("docId"), "level": said.get("rating")}
        for one in lists
        for said in one["ratings"] or ()
        if isinstance(said, dict)
    )


def _is_label_studio(value: Any) -> bool:
    return bool(_dicts(value, "data", "annotations"))


def _label_studio(value: Any, kind: str) -> Entries:
    tasks = _dicts(value, "data", "annotations")
    if kind in ("queries", "documents"):
        return (task["data"] for task in tasks)
    return (row for task in tasks for row in _annotated(task))


def _annotated(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each annotation that was not cancelled: the task's data and what was said."""
    data = task["data"] if isinstance(task["data"], dict) else {}
    for annotation in task["annotations"] or ():
        if isinstance(annotation, dict) and not annotation.get("was_cancelled"):
            said = dict(_results(annotation.get("result")))
            level = next((said[name] for name in LEVEL_NAMES if name in said), None)
            yield {**data, "level": level, **said, "rater": _annotator(annotation)}


def _results(results: Any) -> Iterator[tuple[str, Any]]:
    """What each control of an annotation says: one choice, a rating, a number or a text."""
    for result in results if isinstance(results, list) else ():
        value, name = _at(result, "value"), _at(result, "from_name")
        for key in ("choices", "rating", "number", "text"):
            said = _at(value, key)
            if said is not None:
                yield str(name), said[0] if isinstance(said, list) and said else said


def _annotator(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        return str(who.get("email") or who.get("id") or "")
    return "" if who is None else f"annotator {who}"


Shape = tuple[str, Callable[[Any], bool], Callable[[Any, str], Entries]]
SHAPES: tuple[Shape, ...] = (
    ("a Quepid book", _is_quepid_book, _quepid_book),
    ("a Quepid case", _is_quepid_case, _quepid_case),
    ("an OpenSearch judgment list", _is_opensearch, _opensearch),
    ("a Label Studio export", _is_label_studio, _label_studio),
)
"""Each shape with its name, how it is recognised, and how it becomes rows."""
