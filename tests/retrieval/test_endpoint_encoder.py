"""An embeddings endpoint through the openai package, against a real server with faults."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from servers import embed, letters, ok, serving
from small_corpus import DOCUMENTS, QUERIES, top

from labelkit.errors import CandidateError
from labelkit.model import Document
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidate_tables import About, Service
from labelkit.retrieval.encoders import encoder_for
from labelkit.retrieval.probing import PROBES

KEY = "LABELKIT_TEST_EMBEDDING_KEY"
SECRET = "sk-not-to-be-written-anywhere"


def asking(url: str, **service: object) -> Candidate:
    """A candidate that asks a local server."""
    return Candidate("letters", "endpoint", model="letters", service=Service(url, **service))  # type: ignore[arg-type]


def test_vectors_come_in_the_order_of_the_texts_and_empty_ones_are_zeros() -> None:
    """The server answers in another order, and would refuse an empty text."""
    with serving(embed) as server:
        found = encoder_for(asking(server.url)).encode(["abc", "", "hello", "  "], "document")
        np.testing.assert_array_equal(found[0], letters("abc"))
        np.testing.assert_array_equal(found[2], letters("hello"))
        assert not found[[1, 3]].any()
        assert server.requests[0]["encoding_format"] == "float"


def test_only_empty_texts_still_give_the_right_width() -> None:
    """The width is asked for with a text of its own."""
    with serving(embed) as server:
        assert encoder_for(asking(server.url)).encode([""], "query").shape == (1, 8)


def test_batches_respect_both_limits_and_are_halved_when_refused() -> None:
    """Items, tokens, and what the server finds too large all the same."""
    with serving(partial(embed, most=2)) as server:
        encoder = encoder_for(asking(server.url, batch_items=4))
        texts = [f"text {number}" for number in range(9)]
        found = encoder.encode(texts, "document")
        np.testing.assert_array_equal(found, [letters(text) for text in texts])
        assert max(len(one["input"]) for one in server.requests) == 4
        server.requests.clear()
        encoder_for(asking(server.url, batch_tokens=6)).encode(
            ["x" * 12, "y" * 12, "z" * 12], "query"
        )
        assert [len(one["input"]) for one in server.requests] == [2, 1]


def test_it_waits_as_long_as_the_server_asks_and_tries_again() -> None:
    """429 with Retry-After, then 500, then an answer."""
    with serving(embed) as server:
        server.next = [
            (429, {"error": {"message": "slow down"}}, {"retry-after": "0"}),
            (500, {"error": {"message": "oh"}}, {"retry-after": "0"}),
        ]
        found = encoder_for(asking(server.url)).encode(["abc"], "query")
        np.testing.assert_array_equal(found[0], letters("abc"))
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((401, {"error": {"message": "bad key"}}, {}), "refused: HTTP 401.*bad key"),
        (ok({"object": "list", "data": [], "model": "x"}), "failed 1 time, last: 0 vectors for 1"),
        ((500, "oh no", {"retry-after": "0"}), "failed 1 time, .*500"),
        (ok("not what was asked"), "failed 1 time, "),
    ],
)
def test_a_failure_names_the_candidate_and_what_the_server_said(
    reply: tuple[int, object, dict[str, str]], message: str
) -> None:
    """A refusal is final; a wrong answer is tried again as often as allowed."""
    with serving(embed) as server:
        server.next = [reply]
        with pytest.raises(CandidateError, match=f"'letters'.*{message}"):
            encoder_for(asking(server.url, attempts=1)).encode(["abc"], "query")


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    """No traceback for a closed port."""
    with pytest.raises(CandidateError, match="failed 1 time, "):
        encoder_for(asking("http://127.0.0.1:9", attempts=1)).encode(["x"], "query")


def test_the_key_is_read_from_the_environment_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the request's header, and in no file, name or message."""
    with serving(embed) as server:
        candidate = asking(server.url, key_variable=KEY)
        with pytest.raises(CandidateError, match=f"{KEY} holds no key"):
            encoder_for(candidate)
        monkeypatch.setenv(KEY, SECRET)
        found = top(candidate, tmp_path)
        assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
        server.next = [(401, {"error": {"message": f"wrong key {SECRET}"}}, {})]
        with pytest.raises(CandidateError, match=r"wrong key \[key removed\]"):
            encoder_for(candidate).encode(["x"], "query")
    assert SECRET not in str(found.description)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_a_second_run_asks_for_the_probes_only(tmp_path: Path) -> None:
    """What was paid for is not paid for again; tokens are counted as the server reports them."""
    with serving(embed) as server:
        first = top(asking(server.url), tmp_path)
        assert first.billed_tokens > 0
        assert first.truncated_share is None
        server.requests.clear()
        second = top(asking(server.url), tmp_path)
        assert [one["input"] for one in server.requests] == [list(PROBES)]
        assert second.hits == first.hits
        assert second.notes == ()


def test_a_model_that_changed_without_a_word_is_noticed(tmp_path: Path) -> None:
    """Its old vectors are left alone, and everything is encoded anew."""
    with serving(embed) as server:
        before = top(asking(server.url), tmp_path)
        server.work = partial(embed, shift=5.0)
        after = top(asking(server.url), tmp_path)
        assert "answers differently than before" in after.notes[0]
        assert after.encoded_documents == len(DOCUMENTS)
        assert after.encoded_queries == len(QUERIES)
        assert after.fingerprint != before.fingerprint
        assert top(asking(server.url), tmp_path).notes == ()


def test_prompts_and_dimensions_reach_the_server() -> None:
    """A prefix per side, and the server's own truncation."""
    with serving(embed) as server:
        candidate = Candidate(
            "letters",
            "endpoint",
            model="letters",
            query_prompt="query: ",
            service=Service(server.url, dimensions=8),
            about=About(price=0.1),
        )
        encoder_for(candidate).encode(["abc"], "query")
        assert server.requests[0]["input"] == ["query: abc"]
        assert server.requests[0]["dimensions"] == 8


def test_documents_are_found(tmp_path: Path) -> None:
    """The text itself is the nearest by its letters."""
    documents = [Document(f"d{n}", "", text) for n, text in enumerate(("aaaa", "bbbb", "cccc"))]
    queries = [type(QUERIES[0])("q", "bbbb", QUERIES[0].source)]
    with serving(embed) as server:
        assert top(asking(server.url), tmp_path, documents, queries).hits["q"][0].doc_id == "d1"
