"""A live search service as a candidate, against a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import Reply, ok, serving
from small_corpus import DOCUMENTS, QUERIES, top

from labelkit.errors import CandidateError, InputError
from labelkit.model import Query, QuerySource
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidate_tables import Http

BODY = '{"query": {"match": {"text": "{query}"}}, "size": "{size}"}'


def opensearch(request: dict[str, Any]) -> Reply:
    """Answers as OpenSearch does: documents by the number of shared words."""
    words = set(request["query"]["match"]["text"].lower().split())
    found = [
        {"_id": one.doc_id, "_score": float(len(words & set(one.text.lower().split())))}
        for one in DOCUMENTS
    ]
    found = sorted((one for one in found if one["_score"]), key=lambda one: -one["_score"])
    return ok({"hits": {"hits": found[: request["size"]]}})


def asking(url: str, **http: Any) -> Candidate:
    """A candidate that asks a local service."""
    paths = {"ids": "hits.hits[]._id", "scores": "hits.hits[]._score", "body": BODY}
    return Candidate("live", "http", http=Http(url, **{**paths, **http}))


def test_a_service_answers_each_query_and_is_timed(tmp_path: Path) -> None:
    """Ids and scores by path, in trec_eval's order."""
    with serving(opensearch) as server:
        found = top(asking(server.url), tmp_path)
        assert {hit.doc_id: hit.score for hit in found.hits["q3"]}["math.sqrt"] == 3
        ids = [(hit.score, hit.doc_id) for hit in found.hits["q3"]]
        assert ids == sorted(ids, reverse=True)
        assert server.requests[0]["size"] == 4
    assert (found.search_ms > 0).all()
    assert found.chunks == 0


def test_a_query_cannot_leave_its_place_in_the_request(tmp_path: Path) -> None:
    """Quotes, braces and the other placeholder are plain text."""
    nasty = '"}, "size": 99, "x": {"{size}'
    with serving(opensearch) as server:
        top(asking(server.url), tmp_path, queries=[Query("q", nasty, QuerySource.LOG)])
        assert server.requests[0]["query"]["match"]["text"] == nasty
        assert server.requests[0]["size"] == 4


def test_a_service_by_get_without_scores_counts_its_order(tmp_path: Path) -> None:
    """The URL holds the query, quoted."""

    def work(request: dict[str, Any]) -> Reply:
        asked = parse_qs(urlsplit(request["path"]).query)
        assert asked["n"] == ["4"]
        return ok([{"id": "b"}, {"id": "a"}] if "&" in asked["q"][0] else [])

    with serving(work) as server:
        url = server.url + "/find?q={query}&n={size}"
        candidate = asking(url, method="GET", ids="[].id", scores="")
        queries = [Query("q", "this & that", QuerySource.LOG), QUERIES[0]]
        found = top(candidate, tmp_path, queries=queries)
    assert [hit.doc_id for hit in found.hits["q"]] == ["b", "a"]
    assert found.hits["q1"] == []
    assert "2 documents outside the release, such as 'a'" in found.notes[0]


def test_it_is_asked_again_while_it_is_busy(tmp_path: Path) -> None:
    """503 with Retry-After, then an answer."""
    with serving(opensearch) as server:
        server.next = [(503, {}, {"retry-after": "0"})]
        assert top(asking(server.url), tmp_path).hits["q3"]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((400, {"error": "parse"}, {}), "failed for the query 'save a table.*HTTP 400.*parse"),
        (ok({"hits": 3}), "'hits.hits.*finds no list in the answer.*hits"),
        ((200, "<html>", {}), "not JSON"),
        (ok({"hits": {"hits": [{"_id": "a", "_score": 1}, {"_id": "a", "_score": 1}]}}), "twice"),
        (ok({"hits": {"hits": [{"_id": "a"}, {"_id": "b", "_score": 1}]}}), "no number for each"),
    ],
)
def test_a_wrong_answer_names_the_query_and_the_cause(
    reply: Reply, message: str, tmp_path: Path
) -> None:
    """Nothing is guessed from an answer that is not understood."""
    with serving(opensearch) as server:
        server.next = [reply]
        with pytest.raises(CandidateError, match=message):
            top(asking(server.url), tmp_path)


def test_wrong_settings_are_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Body, path and key."""
    for wrong, message in (
        ({"body": "{query}"}, "http.body is not JSON"),
        ({"ids": "a["}, "is no JMESPath"),
        ({"key_variable": "LABELKIT_NO_SUCH"}, "LABELKIT_NO_SUCH holds no key"),
    ):
        with pytest.raises(CandidateError, match=message):
            top(asking("http://127.0.0.1:9", **wrong), tmp_path)


def test_a_key_goes_into_the_header_that_the_service_reads_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elasticsearch wants ApiKey; an answer that repeats the key is not quoted with it."""
    monkeypatch.setenv("LABELKIT_TEST_SEARCH_KEY", "secret-4711")
    keyed: dict[str, Any] = {
        "key_variable": "LABELKIT_TEST_SEARCH_KEY",
        "key_header": "Authorization: ApiKey {key}",
    }
    with serving(opensearch) as service:
        assert top(asking(service.url, **keyed), tmp_path)
        assert service.headers[0]["Authorization"] == "ApiKey secret-4711"
        service.next = [(401, "no access with secret-4711", {})]
        with pytest.raises(CandidateError) as refused:
            top(asking(service.url, **keyed), tmp_path)
    assert "no access with [key removed]" in str(refused.value)
    with pytest.raises(CandidateError, match="key_header is"):
        top(asking("http://127.0.0.1:9", **{**keyed, "key_header": "ApiKey {key}"}), tmp_path)


def test_a_password_in_an_address_is_refused() -> None:
    """It would stand in the manifest."""
    with pytest.raises(InputError, match="must not hold a password"):
        asking("http://me:secret@127.0.0.1/search")
