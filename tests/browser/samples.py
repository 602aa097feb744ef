"""Small workspaces for the pages: a few queries a person can judge, and text that misbehaves."""

from __future__ import annotations

from pathlib import Path

from labelkit.model import Document, Query, QuerySource, Turn
from labelkit.rubric import STARTER, Rubric
from labelkit.store import Workspace, documents, pairs, people, queries, rubrics

LEAD = "Ann Lead"
RATER = "Bo Rater"

HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\n"
    "</div></div><style>body{display:none}</style> **bold** [link](http://example.org) $x^2$\n"
    ":smile: :material/home: :red[red] `code` &lt;kept&gt; &amp;"
)
"""A document full of HTML and Markdown; it must show exactly as it stands here."""

TOPICS = {
    "csv header lost when i write dicts": "csv.DictWriter.writeheader",
    "how to read a zip member without extracting": "zipfile.ZipFile.open",
    "ValueError: I/O operation on closed file": "io.IOBase.close",
    "copy nested list": "copy.deepcopy",
    "sort dict by value": "builtins.sorted",
    "temp dir that removes itself": "tempfile.TemporaryDirectory",
}


def judged_from_scratch(path: Path, documents_per_query: int = 12) -> Workspace:
    """A project with people, queries and a pool, in which nothing has been judged."""
    workspace = Workspace.create(path, "Help-desk search")
    people.add(workspace, LEAD, ["lead", "rater", "reviewer"])
    people.add(workspace, RATER, ["rater"])
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        for number, (text, title) in enumerate(TOPICS.items(), 1):
            made = [_document(title, number, part) for part in range(documents_per_query)]
            documents.save(db, made)
            queries.save(db, [_query(number, text)])
            pairs.add(db, [(f"q{number}", document.doc_id) for document in made], "pool")
    return workspace


def one_pair(path: Path, query: Query, document: Document, rubric: Rubric = STARTER) -> Workspace:
    """A project with a single pair."""
    workspace = Workspace.create(path, "One pair")
    people.add(workspace, RATER, ["rater"])
    with workspace.writing() as db:
        rubrics.save(db, rubric, None)
        documents.save(db, [document])
        queries.save(db, [query])
        pairs.add(db, [(query.query_id, document.doc_id)], "pool")
    return workspace


def hostile(path: Path) -> Workspace:
    """A project whose query, document, person and rubric are full of HTML and Markdown."""
    query = Query("q1", HOSTILE, QuerySource.MANUAL, information_need=HOSTILE)
    return one_pair(path, query, Document("d1", HOSTILE, HOSTILE))


def _query(number: int, text: str) -> Query:
    turns = (Turn("user", "i have a list of dicts"), Turn("assistant", "Use csv.DictWriter."))
    return Query(
        f"q{number}",
        text,
        QuerySource.MANUAL,
        turns=turns if number == 1 else (),
        information_need="Keep the first row of the file." if number % 2 else "",
    )


def _document(title: str, number: int, part: int) -> Document:
    lines = [
        f"{title}, part {part + 1}.",
        "",
        "Write a row with the field names, as given in the constructor, to the writer's file",
        "object, formatted according to the current dialect. Return the value of the call.",
        "",
        *[f"    >>> step({line})  # line {line} of an example about dicts" for line in range(30)],
    ]
    return Document(f"{title}#{number}.{part}", f"{title} ({part + 1})", "\n".join(lines))
