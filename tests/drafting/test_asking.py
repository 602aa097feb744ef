"""A run against a real server that refuses, stalls, breaks off and talks nonsense."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import fake_llm
import pytest
from fake_llm import Reply, Seen, error, good, queries
from small_drafting import drafted, go_on, outcomes, project, settings, started

from labelkit.drafting import reject, running
from labelkit.drafting.endpoint import Decoding
from labelkit.drafting.plan import make_plan
from labelkit.drafting.prompt import SCHEMA
from labelkit.errors import EndpointError, InputError, NotAllowed
from labelkit.model import QuerySource, QueryState, Role
from labelkit.store import drafts, llm, people


def first(*replies: Reply) -> fake_llm.Script:
    """These replies one after the other, then good ones."""
    return lambda number, seen: replies[number] if number < len(replies) else good(number, seen)


def test_run_turns_replies_into_drafts(tmp_path: Path, serve) -> None:
    """Every query of a reply is a draft with its document, and with what it was made by."""
    workspace, server = project(tmp_path / "w"), serve(good)
    stands = go_on(workspace, started(workspace, server.url))
    assert (stands.done, stands.waiting, stands.failed, stands.drafts) == (4, 0, 0, 8)
    made = drafted(workspace)
    assert {query.source for query in made} == {QuerySource.SYNTHETIC}
    assert {query.source_doc_id for query in made} == {"d00", "d01", "d02", "d03"}
    assert made[0].provenance == f"drafted by {fake_llm.MODEL}"
    with workspace.reading() as db:
        origin = drafts.origin(db, made[0].query_id)
    assert origin is not None
    assert (origin.model, origin.model_returned) == ("fake-1", fake_llm.MODEL)
    assert origin.prompt_sha256 == running.Prompt().sha256
    assert origin.decoding == {
        "format": "json_schema", "max_tokens": 600, "seed": 0, "temperature": 0.7,
    }  # fmt: skip
    assert origin.drafted_at


def test_request_is_what_the_protocol_wants(tmp_path: Path, serve) -> None:
    """One POST to chat/completions a passage, streaming off, the schema in it."""
    workspace, server = project(tmp_path / "w", count=1), serve(good)
    go_on(workspace, started(workspace, server.url))
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.body["stream"] is False
    assert seen.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]


def test_retry_after_is_kept(tmp_path: Path, serve) -> None:
    """After 429 the next request of the run comes no sooner than the server asked."""
    workspace = project(tmp_path / "w", count=2)
    server = serve(first(error(429, "slow down", headers={"Retry-After": "1"})))
    stands = go_on(workspace, started(workspace, server.url, concurrency=2))
    assert stands.done == 2
    later = [seen.at for seen in server.seen[2:]]
    assert all(at - server.seen[0].at >= 1.0 for at in later)


def test_server_error_is_tried_again(tmp_path: Path, serve) -> None:
    """500, 503, then an answer: one passage done, two refusals that cost nothing."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(first(error(500, "oops"), error(503, "busy")))
    run_id = started(workspace, server.url)
    stands = go_on(workspace, run_id)
    assert stands.done == 1
    assert outcomes(workspace, run_id) == ["refused", "refused", "answered"]
    assert (stands.spent.tokens, stands.spent.unsure_input) == (120, 0)


@pytest.mark.parametrize("what", ["drip", "drip_head"])
def test_answer_that_drips_is_given_up_at_the_deadline(tmp_path: Path, serve, what: str) -> None:
    """A byte every 0.05 s, of the body or of a header, is never late for one read."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(lambda number, seen: replace(good(number, seen), **{what: 0.05}))
    run_id = started(workspace, server.url, timeout=0.5, attempts=1)
    began = time.monotonic()
    stands = go_on(workspace, run_id)
    assert time.monotonic() - began < 20
    assert "did not answer within 0.5 s" in stands.failures[0].why
    assert outcomes(workspace, run_id) == ["lost"]


def test_slow_answer_is_given_up_and_counted(tmp_path: Path, serve) -> None:
    """A request that timed out may have been paid: its estimate counts against the cap."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(first(Reply(wait=1.0)))
    run_id = started(workspace, server.url, timeout=0.3)
    stands = go_on(workspace, run_id)
    assert stands.done == 1
    assert outcomes(workspace, run_id) == ["lost", "answered"]
    assert stands.spent.unsure_output == 600
    assert stands.spent.unsure_input > 0


def test_passage_that_always_times_out_fails_with_its_reason(tmp_path: Path, serve) -> None:
    """The passage has failed, says why, and the others are done."""
    workspace = project(tmp_path / "w", count=3)

    def script(number: int, seen: Seen) -> Reply:
        return Reply(wait=0.8) if "On csv dialects" in seen.user else good(number, seen)

    server = serve(script)
    stands = go_on(workspace, started(workspace, server.url, timeout=0.25, attempts=2))
    assert (stands.done, stands.failed) == (2, 1)
    assert "did not answer within 0.25 s" in stands.failures[0].why


def test_cut_connection_is_tried_again(tmp_path: Path, serve) -> None:
    """Half an answer is no answer; the request may have been paid."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(first(Reply("x" * 2000, cut=True)))
    run_id = started(workspace, server.url)
    assert go_on(workspace, run_id).done == 1
    assert outcomes(workspace, run_id) == ["lost", "answered"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("I am sorry, but I cannot."), "no query"),
        (Reply("[]"), "empty list"),
        (Reply(""), "an empty reply"),
        (Reply('{"queries": [{"query": "how do I', finish="length"), "limit of tokens"),
        (Reply(raw=b"<html>gateway</html>"), "no chat completion"),
        (Reply(raw=b'{"ok": true}'), "no chat completion"),
        (Reply(raw=b'{"choices": []}'), "no chat completion"),
        (error(400, "context length exceeded"), "context length exceeded"),
    ],
)
def test_useless_answer_is_a_stated_failure(tmp_path: Path, serve, reply: Reply, why: str) -> None:
    """Prose, nothing, something cut, no completion: the passage has failed and says why."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(first(reply, reply))
    stands = go_on(workspace, started(workspace, server.url))
    assert (stands.done, stands.failed, drafted(workspace)) == (0, 1, [])
    assert why in stands.failures[0].why
    assert len(server.seen) == 1, "an answer that was paid is not asked for again by itself"


def test_prose_that_lists_queries_is_recovered(tmp_path: Path, serve) -> None:
    """A model that answers in prose: its numbered queries become drafts."""
    workspace = project(tmp_path / "w", count=1)
    server = serve(first(Reply("Sure!\n1. How do I open it?\n2. Why does it fail?\nBye.")))
    go_on(workspace, started(workspace, server.url))
    assert {query.text for query in drafted(workspace)} == {
        "How do I open it?", "Why does it fail?",
    }  # fmt: skip


def test_part_of_a_reply_is_kept_and_the_rest_is_said(tmp_path: Path, serve) -> None:
    """One query whole and one cut off: done, with a note of what is missing."""
    workspace = project(tmp_path / "w", count=1)
    text = '{"queries": [{"style": "question", "query": "a whole one"}, {"style": "question", "qu'
    server = serve(first(Reply(text, finish="length")))
    stands = go_on(workspace, started(workspace, server.url))
    assert (stands.done, stands.drafts) == (1, 1)
    assert "1 of 2 queries" in stands.notes[0].why


def test_refused_json_schema_steps_down(tmp_path: Path, serve) -> None:
    """json_schema refused, json_object refused, then text; later passages begin with text."""
    workspace = project(tmp_path / "w", count=2)

    def script(number: int, seen: Seen) -> Reply:
        form = seen.body.get("response_format", {}).get("type")
        return (
            error(400, f"response_format {form} is not supported") if form else good(number, seen)
        )

    server = serve(script)
    run_id = started(workspace, server.url)
    assert go_on(workspace, run_id).done == 2
    forms = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
    assert forms == ["json_schema", "json_object", None, None]
    with workspace.reading() as db:
        used = [row["decoding"] for row in llm.request_log(db, run_id) if row["reply"]]
    assert all('"format": "text"' in one for one in used), "the form that was used is recorded"


def test_refused_parameters_are_left_out(tmp_path: Path, serve) -> None:
    """A reasoning model that takes neither max_tokens nor temperature gets neither."""
    workspace = project(tmp_path / "w", count=1)

    def script(number: int, seen: Seen) -> Reply:
        for name in ("max_tokens", "temperature"):
            if name in seen.body:
                return error(400, f"Unsupported parameter: '{name}' is not supported", param=name)
        return good(number, seen)

    server = serve(script)
    assert go_on(workspace, started(workspace, server.url)).done == 1
    assert server.seen[-1].body["max_completion_tokens"] == 600


def test_wrong_key_stops_the_run_and_says_what_to_set(tmp_path: Path, serve) -> None:
    """401: no other passage is tried, all of them wait."""
    workspace, server = project(tmp_path / "w"), serve(lambda number, seen: error(401, "no"))
    run_id = started(workspace, server.url)
    with pytest.raises(EndpointError, match="LABELKIT_LLM_KEY"):
        go_on(workspace, run_id)
    assert len(server.seen) == 1
    assert running.standing(workspace, run_id).waiting == 4


def test_no_server_says_so(tmp_path: Path) -> None:
    """Nobody listens: the address is named, nothing is marked as failed."""
    workspace = project(tmp_path / "w", count=2)
    run_id = started(workspace, "http://127.0.0.1:9/v1", attempts=2)
    with pytest.raises(EndpointError, match=r"No server answers at http://127\.0\.0\.1:9/v1"):
        go_on(workspace, run_id)
    assert running.standing(workspace, run_id).waiting == 2


def test_server_that_fails_again_and_again_ends_the_run(tmp_path: Path, serve) -> None:
    """Five passages in a row come to nothing: the rest waits instead of failing too."""
    workspace = project(tmp_path / "w", count=9)
    server = serve(lambda number, seen: error(400, "bad day"))
    run_id = started(workspace, server.url)
    with pytest.raises(EndpointError, match="5 requests in a row"):
        go_on(workspace, run_id)
    stands = running.standing(workspace, run_id)
    assert (stands.failed, stands.waiting) == (5, 4)


def test_only_the_failed_are_asked_again(tmp_path: Path, serve) -> None:
    """Retry: the passages that are done are not sent again."""
    workspace = project(tmp_path / "w", count=3)
    server = serve(first(Reply("no"), Reply("[]")))
    run_id = started(workspace, server.url)
    assert go_on(workspace, run_id).failed == 2
    assert running.retry_failed(workspace, "lee-lead", run_id) == 2
    stands = go_on(workspace, run_id)
    assert (stands.done, stands.failed, len(server.seen)) == (3, 0, 5)


def test_same_question_is_paid_once(tmp_path: Path, serve) -> None:
    """A second run with the same model, prompt, passages and settings sends nothing."""
    workspace, server = project(tmp_path / "w"), serve(good)
    made = started(workspace, server.url)
    twin = started(workspace, server.url)
    other = started(workspace, server.url, decoding=Decoding(temperature=0.1))
    assert go_on(workspace, made).spent.answered == 4
    again = go_on(workspace, twin)
    assert (again.done, again.spent.answered, len(server.seen)) == (4, 0, 4)
    assert go_on(workspace, other).spent.answered == 4, "other settings are another question"
    assert len(drafted(workspace)) == 16


def test_cap_in_tokens_holds_before_the_request_is_sent(tmp_path: Path, serve) -> None:
    """The run stops where one more request could pass the cap, and says so."""
    workspace, server = project(tmp_path / "w", count=6), serve(good)
    run_id = started(workspace, server.url, max_tokens_total=1400, concurrency=3)
    why = running.go_on(workspace, run_id, key=None, progress=lambda *_: None)
    stands = running.standing(workspace, run_id)
    assert "cap of 1,400 tokens" in why
    assert stands.spent.tokens <= 1400
    assert 0 < stands.done < 6
    assert stands.waiting == 6 - stands.done


def test_cap_in_money(tmp_path: Path, serve) -> None:
    """Prices per million tokens: what was spent is shown, and the cap holds."""
    workspace, server = project(tmp_path / "w"), serve(good)
    prices = {"input_price": 1000.0, "output_price": 2000.0}
    run_id = started(workspace, server.url, max_cost=1.8, **prices)
    assert "in money" in running.go_on(workspace, run_id, key=None, progress=lambda *_: None)
    stands = running.standing(workspace, run_id)
    assert stands.cost == pytest.approx(stands.done * (0.1 + 0.04))
    with pytest.raises(InputError, match="needs both prices"):
        started(workspace, server.url, max_cost=2.0)


def test_server_without_usage_is_counted_by_the_estimate(tmp_path: Path, serve) -> None:
    """No token counts in the answer: the reserved ones stand for them, and are counted as such."""
    workspace = project(tmp_path / "w", count=1)
    reply = queries("how do I a", "how do I b")
    reply.usage = False
    stands = go_on(workspace, started(workspace, serve(first(reply)).url))
    assert stands.spent.counted_here == 1
    assert stands.spent.tokens > 600


def test_pause_finishes_what_is_open_and_resume_does_the_rest(tmp_path: Path, serve) -> None:
    """Pausing in the middle: the open request is kept, the others wait, each is sent once."""
    workspace = project(tmp_path / "w", count=4)
    box: list[str] = []

    def script(number: int, seen: Seen) -> Reply:
        if number == 1:
            running.pause(workspace, "lee-lead", box[0])
        return good(number, seen)

    server = serve(script)
    box.append(started(workspace, server.url))
    assert running.go_on(workspace, box[0], key=None, progress=lambda *_: None) == "paused"
    assert running.standing(workspace, box[0]).done == 2
    assert running.go_on(workspace, box[0], key=None, progress=lambda *_: None) == "paused"
    assert running.standing(workspace, box[0]).done == 2, "a slow start takes no pause back"
    running.resume(workspace, "lee-lead", box[0])
    assert go_on(workspace, box[0]).done == 4
    assert len({fake_llm.passage_of(seen) for seen in server.seen}) == len(server.seen) == 4


def test_requests_go_out_side_by_side_up_to_the_limit(tmp_path: Path, serve) -> None:
    """Eight passages, three at a time."""
    workspace = project(tmp_path / "w", count=8)

    def script(number: int, seen: Seen) -> Reply:
        time.sleep(0.1)
        return good(number, seen)

    server = serve(script)
    assert go_on(workspace, started(workspace, server.url, concurrency=3)).done == 8
    assert server.most_at_once == 3


def test_estimate_before_and_actual_after(tmp_path: Path, serve) -> None:
    """The estimate of input stands near what is sent; replies known so far make it better."""
    workspace, server = project(tmp_path / "w"), serve(good)
    endpoint = running.Endpoint(server.url, "fake-1")
    drawn = make_plan(workspace, settings())
    asked = (endpoint, running.Prompt(), Decoding(), running.Limits())
    before = running.estimate(workspace, drawn, *asked)
    assert (before.requests, before.cached, before.rests_on) == (4, 0, "a typical reply")
    go_on(workspace, started(workspace, server.url))
    after = running.estimate(workspace, drawn, *asked)
    assert (after.requests, after.cached) == (0, 4)


def test_only_a_lead_spends(tmp_path: Path) -> None:
    """A rater cannot start, pause or retry a run."""
    workspace = project(tmp_path / "w")
    people.add(workspace, "Bo Rater", [Role.RATER])
    with pytest.raises(NotAllowed):
        running.pause(workspace, "bo-rater", "x")
    with pytest.raises(NotAllowed):
        running.retry_failed(workspace, "bo-rater", "x")


def test_rejected_draft_stays_rejected_when_its_reply_is_used_again(tmp_path: Path, serve) -> None:
    """The same reply gives the same ids: a decision is not undone by another run."""
    workspace, server = project(tmp_path / "w", count=1), serve(good)
    twin = started(workspace, server.url)
    go_on(workspace, started(workspace, server.url))
    gone = drafted(workspace)[0].query_id
    reject(workspace, "lee-lead", gone, cause="not_natural")
    go_on(workspace, twin)
    assert gone not in {query.query_id for query in drafted(workspace)}
    assert {query.state for query in drafted(workspace)} == {QueryState.DRAFT}
