"""`labelkit draft`: plan, estimate, run, resume, status, pause, check, prompt, judge."""

from __future__ import annotations

import json
from pathlib import Path

import fake_llm
import pytest
import small_project as small
from fake_llm import Reply, Seen, good
from small_drafting import MODEL, drafted, project

from labelkit.cli import COMMANDS, SUMMARIES, main
from labelkit.drafting import Prompt
from labelkit.store import Workspace


def call(workspace: Workspace, *words: str) -> int:
    """Run `labelkit draft …` in this process; returns its exit code."""
    with pytest.raises(SystemExit) as left:
        main(["draft", *words, "--workspace", str(workspace.path)])
    return int(left.value.code or 0)


def at(server: fake_llm.FakeServer) -> tuple[str, ...]:
    """The options that name a server."""
    return ("--base-url", server.url, "--model", MODEL, "--concurrency", "1")


def test_command_is_listed() -> None:
    """`labelkit --help` names it."""
    assert "draft" in COMMANDS
    assert "draft" in SUMMARIES


def test_plan_and_estimate_send_nothing(tmp_path: Path, serve, capsys) -> None:
    """Counts, the mix and the tokens; the server is not asked."""
    workspace, server = project(tmp_path / "w"), serve(good)
    assert call(workspace, "plan", "--passages", "3", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert len(plan["passages"]) == 3
    assert plan["types"][0]["name"] == "guide"
    assert (
        call(workspace, "estimate", *at(server), "--input-price", "1", "--output-price", "2") == 0
    )
    said = capsys.readouterr().out
    assert "4 requests (0 are answered already)" in said
    assert "in money" in said
    assert server.seen == []


def test_run_drafts_checks_and_reports(tmp_path: Path, serve, capsys) -> None:
    """One command from documents to checked drafts."""
    workspace, server = project(tmp_path / "w"), serve(good)
    assert call(workspace, "run", *at(server), "--retriever", "bm25", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["done"], figures["failed"], figures["drafts"]) == (4, 0, 8)
    assert figures["spent"]["input_tokens"] == 400
    assert len(drafted(workspace)) == 8


def test_cap_stops_and_resume_with_a_higher_one_goes_on(tmp_path: Path, serve, capsys) -> None:
    """The cap is in the report; no passage is asked twice."""
    workspace, server = project(tmp_path / "w"), serve(good)
    capped = ("--max-tokens-total", "1300", "--retriever", "bm25")
    assert call(workspace, "run", *at(server), *capped) == 0
    assert "stopped: the cap of 1,300 tokens" in capsys.readouterr().out
    assert call(workspace, "resume", "--max-tokens-total", "9000", "--retriever", "bm25") == 0
    assert "4 of 4 passages done" in capsys.readouterr().out
    assert len(server.seen) == 4


def test_failures_are_listed_and_asked_again_on_request(tmp_path: Path, serve, capsys) -> None:
    """status names passage and reason; resume --retry-failed asks only them."""
    workspace = project(tmp_path / "w")

    def script(number: int, seen: Seen) -> Reply:
        return Reply("I cannot.") if number == 0 else good(number, seen)

    server = serve(script)
    call(workspace, "run", *at(server), "--retriever", "bm25")
    capsys.readouterr()
    assert call(workspace, "status") == 0
    assert "no query was found in the reply: “I cannot.”" in capsys.readouterr().out
    assert call(workspace, "resume", "--retry-failed", "--retriever", "bm25") == 0
    assert len(server.seen) == 5


def test_server_that_is_not_there_is_one_line_and_code_1(tmp_path: Path, capsys) -> None:
    """No traceback."""
    workspace = project(tmp_path / "w", count=1)
    address = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert call(workspace, "run", *address) == 1
    assert "labelkit: No server answers at http://127.0.0.1:9/v1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("status",), "There is no drafting run"),
        (("plan", "--share", "guide"), "write TYPE=NUMBER"),
        (("plan", "--style", "rude"), "Choose styles among"),
        (("check", "--retriever", "google"), "no built-in retriever"),
        (("estimate", "--base-url", "ollama", "--model", "m"), "is no base URL"),
        (("run", "--base-url", "https://api.openai.com/v1", "--model", "m"), "There is no key"),
    ],
)
def test_refusals_say_what_to_do(tmp_path: Path, capsys, words: tuple[str, ...], says: str) -> None:
    """Exit code 1 and one line."""
    assert call(project(tmp_path / "w"), *words) == 1
    assert says in capsys.readouterr().err


def test_printed_prompt_can_be_given_back(tmp_path: Path, serve, capsys) -> None:
    """`draft prompt` prints what `run --prompt` reads: the same hash."""
    from labelkit.cli.drafting_options import prompt_of

    with pytest.raises(SystemExit):
        main(["draft", "prompt"])
    file = tmp_path / "prompt.toml"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert prompt_of(str(file)).sha256 == Prompt().sha256


def test_judge_grades_and_reports(tmp_path: Path, serve, capsys) -> None:
    """`draft judge`: twice a pair, its self-consistency in the answer."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2)
    body = {"reason": "It says how.", "quote": "mended with glue", "level": 2}
    server = serve(lambda number, seen: Reply(json.dumps(body)))
    assert call(workspace, "judge", *at(server)) == 0
    assert "2 pairs graded twice, 100% with the same level" in capsys.readouterr().out
