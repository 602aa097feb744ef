"""An example of every command, as its --help shows it."""

from __future__ import annotations

from copy import copy

import click

EXAMPLES = {
    "adopt": "adopt their-release.zip --workspace help-desk-2 --name 'Help desk search'",
    "agreement": "agreement --full",
    "alpha": "alpha labels.csv --metric nominal",
    "assign": "assign --name 'first fifty' --for 'Ann Lee' --for 'Bo Chen' --raters 2",
    "bench": "bench --release v1 --candidates candidates.toml --out runs/first",
    "cache": "cache --prune --unused-days 30",
    "compare": "compare runs/first bm25 all-MiniLM-L6-v2",
    "demo": "demo --workspace .demo",
    "diff": "diff v1 v2",
    "doctor": "doctor",
    "doubt": "doubt runs/first",
    "draft check": "draft check --retriever bm25",
    "draft estimate": "draft estimate --base-url http://127.0.0.1:8000/v1 --model qwen2.5-7b",
    "draft judge": "draft judge --base-url http://127.0.0.1:8000/v1 --model qwen2.5-7b --sample 50",
    "draft pause": "draft pause",
    "draft plan": "draft plan --passages 30 --share guide=60 --share faq=40",
    "draft prompt": "draft prompt > prompt.toml",
    "draft rest": "draft rest accept --note '19 of 20 in the sample were good'",
    "draft resume": "draft resume --retry-failed",
    "draft run": "draft run --base-url http://127.0.0.1:8000/v1 --model qwen2.5-7b --passages 30",
    "draft sample": "draft sample --share 20",
    "draft status": "draft status",
    "export": "export v1 --out exported --form trec --form csv",
    "freeze": "freeze v1",
    "import beir": "import beir scifact.zip --split test",
    "import documents": "import documents corpus.csv --column doc_id=sku --column text=body",
    "import events": "import events searches.csv --size 150 --add",
    "import judgments": "import judgments qrels.txt --levels 0=0,1=1,2=2,3=2 --rater 'Ann Lee'",
    "import queries": "import queries queries.csv --preview",
    "import runs": "import runs bm25.run",
    "init": "init --workspace help-desk --name 'Help desk search'",
    "latency": "latency --release v1 --candidates candidates.toml",
    "ledger": "ledger runs/first runs/second --candidate bm25",
    "pool": "pool --depth 20",
    "preflight": "preflight --release v1 --candidates candidates.toml",
    "queries conversations": "queries conversations chats.jsonl --turns follow-ups --add",
    "queries history": "queries history q-017",
    "queries list": "queries list --state accepted --type keyword",
    "queries misses": "queries misses misses.csv --add",
    "queries restore": "queries restore q-017 --note 'The page is back'",
    "queries retire": "queries retire q-017 --cause document_gone",
    "queries rewrite": (
        "queries rewrite --base-url http://127.0.0.1:8000/v1 --model qwen2.5-7b --look"
    ),
    "queries sample-log": "queries sample-log searches.csv --method bands --size 150",
    "queries types": "queries types q-017 --set keyword",
    "report": "report runs/first --format html --out first.html",
    "rerun": "rerun runs/first --out runs/again",
    "robustness": "robustness --release v1 --change spelling --change 'dropped word'",
    "rubric count": "rubric count near_examples --note 'Only the examples of 0/1 moved'",
    "rubric diff": "rubric diff 1 2",
    "rubric recheck": "rubric recheck --draw --size 40",
    "rubric save": "rubric save rubric.json --note 'A link to the answer is a 1'",
    "rubric show": "rubric show --json > rubric.json",
    "rubric starter": "rubric starter support > rubric.json",
    "rubric versions": "rubric versions",
    "score": "score --qrels qrels.txt --run a.run --run b.run --metric ndcg@10",
    "second-labels": "second-labels --size 40",
    "serve": "serve --workspace help-desk --port 8600",
    "verify": "verify v1",
}
"""The path of each command, and how it is called."""


def with_examples(command: click.Command, path: str) -> click.Command:
    """A copy of the command, or of a group with all its commands, with its example at the end.

    A copy, because one command may stand in two groups.
    """
    found = copy(command)
    if path in EXAMPLES:
        found.epilog = f"\b\nExample:\n  labelkit {EXAMPLES[path]}"
    if isinstance(found, click.Group):
        inner = found.commands.items()
        found.commands = {name: with_examples(one, f"{path} {name}") for name, one in inner}
    return found
