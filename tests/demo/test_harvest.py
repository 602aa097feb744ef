"""The demo corpus: the same documents on every run, one name each, nothing of the environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from labelkit.demo import harvest as module
from labelkit.demo.harvest import BARE, WALK, harvest, main
from labelkit.errors import LabelkitError
from labelkit.model import Document


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return harvest()


@pytest.fixture(scope="module")
def by_id(documents: list[Document]) -> dict[str, Document]:
    return {document.doc_id: document for document in documents}


def test_two_runs_give_the_same_documents(documents: list[Document]) -> None:
    """A different hash seed, home, language and warning filter change nothing."""
    other = {
        **os.environ,
        "PYTHONHASHSEED": "7",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "PYTHONOPTIMIZE": "2",
    }
    command = [sys.executable, *BARE, str(WALK)]
    done = subprocess.run(command, env=other, capture_output=True, text=True, check=True)
    assert [module._document(line) for line in done.stdout.splitlines()] == documents
    assert done.stderr == ""


def test_ids_are_unique_and_sorted(documents: list[Document]) -> None:
    ids = [document.doc_id for document in documents]
    assert ids == sorted(set(ids))


def test_several_thousand_documents_of_every_kind(documents: list[Document]) -> None:
    kinds = Counter(document.metadata["type"] for document in documents)
    assert 5000 <= len(documents) <= 8000
    assert set(kinds) == {"module", "class", "function", "method", "topic"}
    assert min(kinds.values()) >= 70


def test_no_document_depends_on_this_process(documents: list[Document]) -> None:
    """Memory addresses and the paths of this interpreter would differ elsewhere."""
    forbidden = re.compile(r"\bat 0x[0-9a-fA-F]{4,}|" + re.escape(sys.base_prefix + os.sep))
    assert [
        d.doc_id for d in documents if len(sys.base_prefix) > 5 and forbidden.search(d.text)
    ] == []


def test_optional_and_private_modules_are_left_out(documents: list[Document]) -> None:
    left_out = ("tkinter", "turtle", "idlelib", "curses", "readline", "antigravity", "this", "test")
    parts = {document.doc_id: document.doc_id.split(".") for document in documents}
    assert [i for i, p in parts.items() if p[0] in left_out] == []
    assert [i for i, p in parts.items() if any(part.startswith("_") for part in p)] == []


@pytest.mark.parametrize(
    ("known_as", "not_also"),
    [
        ("builtins.open", "io.open"),
        ("builtins.list.append", "list.append"),
        ("asyncio.gather", "asyncio.tasks.gather"),
        ("builtins.OSError", "builtins.IOError"),
        ("bisect.bisect_right", "bisect.bisect"),
        ("random.choice", "random.Random.choice"),
        ("os.path.join", "posixpath.join"),
        ("os.listdir", "posix.listdir"),
        ("csv.reader", "_csv.reader"),
        ("json.JSONEncoder", "json.encoder.JSONEncoder"),
        ("unittest.TestCase.assertEqual", "unittest.case.TestCase.assertEqual"),
        ("argparse.ArgumentParser.add_argument", "argparse._ActionsContainer.add_argument"),
        ("topics.with", "with"),
        ("builtins.property", "property"),
        ("typing.Optional", "typing._SpecialForm"),
    ],
)
def test_an_object_goes_by_its_public_name(
    by_id: dict[str, Document], known_as: str, not_also: str
) -> None:
    assert known_as in by_id
    assert not_also not in by_id


def test_a_class_without_its_own_text_does_not_show_its_parents(by_id: dict[str, Document]) -> None:
    """`logging.LoggerAdapter` has a text of its own; `email.message.EmailMessage` has none."""
    assert "email.message.EmailMessage" not in by_id
    assert by_id["logging.LoggerAdapter"].text.startswith("An adapter for loggers")


def test_texts_are_cleaned(documents: list[Document]) -> None:
    for document in documents:
        assert len(document.text) >= 20, document.doc_id
        assert document.text == document.text.strip(), document.doc_id
        assert "\r" not in document.text, document.doc_id
        assert document.title == document.doc_id


def test_a_text_stands_under_few_names(documents: list[Document]) -> None:
    assert max(Counter(document.text for document in documents).values()) <= 3


def test_harvesting_imports_nothing_here(documents: list[Document]) -> None:
    """The walk imports several hundred modules; none of them in this process."""
    assert documents
    code = "import sys; from labelkit.demo.harvest import harvest; harvest(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert not {"mailbox", "xmlrpc.client", "imaplib"} & set(loaded.split())


def test_a_failed_walk_says_how_to_see_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WALK", WALK.with_name("no-such-file.py"))
    with pytest.raises(LabelkitError, match=r"Cannot harvest .* ended with code 2"):
        harvest()


def test_show_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "csv.DictReader"]) in (0, 1)
    assert main(["--show", "heapq.nlargest"]) == 0
    assert capsys.readouterr().out.startswith("heapq.nlargest\n\n")
    assert main(["--show", "no.such.thing"]) == 1
    assert "No document 'no.such.thing'" in capsys.readouterr().err
