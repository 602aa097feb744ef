"""The options of the drafting commands, what they mean, and the words of their answers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli.common import Function
from labelkit.errors import InputError
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.drafting import (
        Decoding,
        DraftPlan,
        Endpoint,
        Estimate,
        Limits,
        PlanSettings,
        Prompt,
    )
    from labelkit.store import Workspace


def options(*given: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Several options as one decorator, listed in this order."""

    def decorate(command: Function) -> Function:
        for option in reversed(given):
            command = option(command)
        return command

    return decorate


plan_options = options(
    click.option(
        "--passages",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        help="How many passages of the documents are drafted from.",
    ),
    click.option(
        "--per-passage",
        type=click.IntRange(1),
        default=2,
        show_default=True,
        help="How many queries are asked for each passage.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="The same seed draws the same passages.",
    ),
    click.option(
        "--style",
        "styles",
        multiple=True,
        help="keywords, question, misspelled, follow-up or hard; repeat for more. "
        "Default: keywords, question, hard.",
    ),
    click.option(
        "--language", "languages", multiple=True, help="A language to write in; repeat for more."
    ),
    click.option(
        "--share",
        "shares",
        multiple=True,
        metavar="TYPE=SHARE",
        help="A document type's share of the traffic; repeat. Default: from the real queries.",
    ),
    click.option("--type-field", default="", help="The metadata field that holds the type."),
    click.option(
        "--shortest-words",
        type=click.IntRange(1),
        default=25,
        show_default=True,
        help="Passages with fewer words are not drafted from.",
    ),
    click.option(
        "--longest-characters",
        type=click.IntRange(200),
        default=2000,
        show_default=True,
        help="The longest passage.",
    ),
)

endpoint_options = options(
    click.option(
        "--base-url",
        envvar="LABELKIT_LLM_BASE_URL",
        required=True,
        help="The address of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1 "
        "(or set LABELKIT_LLM_BASE_URL).",
    ),
    click.option(
        "--model",
        envvar="LABELKIT_LLM_MODEL",
        required=True,
        help="The model's name on that server (or set LABELKIT_LLM_MODEL).",
    ),
    click.option(
        "--temperature",
        type=float,
        default=0.7,
        show_default=True,
        help="How freely the model chooses its words; 0: always the likeliest.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        default=600,
        show_default=True,
        help="The longest reply, in tokens.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(["json_schema", "json_object", "text"]),
        default="json_schema",
        show_default=True,
        help="The strictest reply format to ask for; the next is tried where it is refused.",
    ),
)

limit_options = options(
    click.option(
        "--max-tokens-total", type=click.IntRange(1), help="Stop before this many tokens."
    ),
    click.option("--max-cost", type=float, help="Stop before this much money; needs both prices."),
    click.option("--input-price", type=float, help="Per million input tokens."),
    click.option("--output-price", type=float, help="Per million output tokens."),
    click.option(
        "--concurrency",
        type=click.IntRange(1),
        default=4,
        show_default=True,
        help="How many requests are open at once.",
    ),
    click.option(
        "--timeout",
        type=float,
        default=120.0,
        show_default=True,
        help="How many seconds a request may take.",
    ),
)

prompt_option = click.option(
    "--prompt",
    "prompt_file",
    type=click.Path(exists=True, dir_okay=False),
    help="A prompt of your own: what `draft prompt` prints, edited.",
)

person_option = click.option("--person", help="Who does this; default: your user name.")

retriever_option = click.option(
    "--retriever",
    "names",
    multiple=True,
    help="A built-in candidate that looks for other documents which answer a draft; repeat. "
    "Default: bm25, all-MiniLM-L6-v2.",
)


def taken(
    workspace: Workspace, given: dict[str, Any]
) -> tuple[DraftPlan, Endpoint, Decoding, Limits]:
    """The plan, the endpoint, the decoding and the limits that the options name."""
    asked = asked_of(given)
    return planned(workspace, given), *asked


def asked_of(given: dict[str, Any]) -> tuple[Endpoint, Decoding, Limits]:
    """Takes the endpoint, decoding and limits out of a command's options."""
    from labelkit.drafting import Decoding, Endpoint, Limits

    endpoint = Endpoint(given.pop("base_url"), given.pop("model"))
    decoding = Decoding(
        temperature=given.pop("temperature"),
        max_tokens=given.pop("max_tokens"),
        format=given.pop("form"),
    )
    names = ("max_tokens_total", "max_cost", "input_price", "output_price")
    limits = {name: given.pop(name) for name in (*names, "concurrency", "timeout")}
    return endpoint, decoding, Limits(**limits)


def planned(workspace: Workspace, given: dict[str, Any]) -> DraftPlan:
    """The plan that a command's options ask for."""
    from labelkit import drafting

    return drafting.make_plan(workspace, settings_of(given))


def settings_of(given: dict[str, Any]) -> PlanSettings:
    """Plan settings from options; shares are given as TYPE=SHARE."""
    from labelkit.drafting import PlanSettings

    default = PlanSettings()
    shares = dict(share_of(one) for one in given.pop("shares")) or None
    styles = given.pop("styles") or default.styles
    return PlanSettings(**given, styles=styles, shares=shares)


def share_of(text: str) -> tuple[str, float]:
    """`guide=3` as a pair; raises InputError for anything else."""
    name, _, number = text.rpartition("=")
    try:
        if name:
            return name, float(number)
        raise ValueError
    except ValueError:
        raise InputError(f"--share {text!r}: write TYPE=NUMBER, such as guide=3.") from None


def prompt_of(file: str | None) -> Prompt:
    """The prompt in a TOML file with the keys system and user, or the default."""
    from labelkit.drafting import Prompt

    if file is None:
        return Prompt()
    try:
        table = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        return Prompt(system=str(table["system"]), user=str(table["user"]))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise InputError(
            f"this is no prompt ({error!r}): see labelkit draft prompt", file=file
        ) from None


def plan_text(drawn: DraftPlan) -> str:
    """The plan as lines of text."""
    rows = [
        f"  {row.name}: {row.share:.0%} of the traffic, {row.drawn} of {row.eligible:,} documents"
        for row in drawn.types
    ]
    skipped = ", ".join(f"{n:,} {why}" for why, n in sorted(drawn.skipped.items())) or "none"
    return "\n".join(
        [
            f"{counted(len(drawn.passages), 'passage')}, "
            f"{counted(drawn.queries, 'query')}; mix from {drawn.mix_from}",
            *rows,
            f"  left out: {skipped}",
        ]
    )


def estimate_text(found: Estimate) -> str:
    """The estimate as a line of text."""
    cost = "" if found.cost is None else f"; {found.cost:.4f} to {found.most_cost:.4f} in money"
    return (
        f"{counted(found.requests, 'request')} ({found.cached:,} are answered already): about "
        f"{found.input_tokens:,} + {found.output_tokens:,} tokens, at most "
        f"{found.input_tokens + found.most_output_tokens:,}{cost} (rests on {found.rests_on})"
    )
