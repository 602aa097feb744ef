"""The command line: the same verbs as the pages, without a browser.

Exit code 0: done; 1: refused or failed, with one clear line; 2: wrong usage.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

import labelkit
from labelkit.cli.examples import with_examples
from labelkit.errors import LabelkitError

COMMANDS = {
    "adopt": "labelkit.cli.releases:adopt",
    "agreement": "labelkit.cli.project:agreement",
    "alpha": "labelkit.cli.calculators:alpha",
    "assign": "labelkit.cli.assigning:assign",
    "bench": "labelkit.cli.bench:bench",
    "cache": "labelkit.cli.caching:cache",
    "compare": "labelkit.cli.bench:compare",
    "demo": "labelkit.cli.serving:demo",
    "diff": "labelkit.cli.releases:diff",
    "doctor": "labelkit.cli.serving:doctor",
    "doubt": "labelkit.cli.doubting:doubt",
    "draft": "labelkit.cli.drafting:draft",
    "export": "labelkit.cli.releases:export",
    "freeze": "labelkit.cli.project:freeze",
    "import": "labelkit.cli.importing:import_",
    "init": "labelkit.cli.project:init",
    "latency": "labelkit.cli.looking:latency",
    "ledger": "labelkit.cli.releases:ledger",
    "pool": "labelkit.cli.project:pool",
    "preflight": "labelkit.cli.looking:preflight",
    "queries": "labelkit.cli.queries:queries",
    "report": "labelkit.cli.bench:report",
    "rerun": "labelkit.cli.bench:rerun",
    "robustness": "labelkit.cli.looking:robustness",
    "rubric": "labelkit.cli.rubric:rubric",
    "score": "labelkit.cli.calculators:score",
    "second-labels": "labelkit.cli.project:second_labels",
    "serve": "labelkit.cli.serving:serve",
    "verify": "labelkit.cli.project:verify",
}
"""Each command's place; its module is imported when the command is called, not before."""

SUMMARIES = {
    "adopt": "Make a new project from a release, or merge two.",
    "agreement": "How far the raters agree: ordinal alpha with its interval.",
    "alpha": "Krippendorff's alpha of a table of unit, rater, value (no workspace needed).",
    "assign": "Make batches of pairs for named people, or list them.",
    "bench": "Run candidates against a frozen release.",
    "cache": "List the cached embeddings, or make room.",
    "compare": "Where one candidate of a run fails and another does not.",
    "demo": "Build the demo workspace, run its benchmark, print the decision.",
    "diff": "What changed between two releases: labels, queries, documents, rubric, alpha.",
    "doctor": "Check a workspace and say what is wrong.",
    "doubt": "How often each candidate of a run wins if labels may be wrong.",
    "draft": "Let a language model draft queries, or grade pairs beside the humans.",
    "export": "Write a release for other tools: TREC, BEIR, MTEB, JSONL, CSV, Parquet.",
    "freeze": "Freeze the project as it is now under a tag.",
    "import": "Import documents, queries, judgments, runs or events from files.",
    "init": "Make a new workspace.",
    "latency": "How long a query takes, alone and with others.",
    "ledger": "Split a score difference into labels, queries and system changed.",
    "pool": "Pool the pairs worth judging with several retrievers.",
    "preflight": "Look at candidates before money or hours are spent.",
    "queries": "List, retire, restore and type queries; draw them from logs.",
    "report": "A finished run as Markdown, HTML or CSV.",
    "rerun": "Repeat a run from its manifest and say what differs.",
    "robustness": "What changed queries and documents cost each candidate.",
    "rubric": "Show, edit and re-check the rubric.",
    "score": "Score TREC runs against qrels (no workspace needed).",
    "second-labels": "Draw pairs for a second, independent label.",
    "serve": "Serve the app in the browser.",
    "verify": "Check that a release is as it was frozen.",
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, by name."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return with_examples(command, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(SUMMARIES.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(labelkit.__version__, prog_name="labelkit")
def cli() -> None:
    """Build a retrieval test set you can trust, then decide with it what to ship."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors meant for the user become one line and exit code 1.

    So do those of the machine: a full disk, a file that may not be read.
    """
    try:
        code = cli.main(args=arguments, prog_name="labelkit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        sys.exit(1)
    except (LabelkitError, OSError) as error:
        click.echo(f"labelkit: {error}", err=True)
        sys.exit(1)
    # Outside its standalone mode click returns the code of ctx.exit() instead of leaving.
    sys.exit(code if isinstance(code, int) else 0)
