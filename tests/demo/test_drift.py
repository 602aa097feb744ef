"""On another Python the demo says which judged documents it no longer holds word for word."""

from __future__ import annotations

from labelkit.demo.drift import judged_documents_changed
from labelkit.model import Document

SORTED = Document("builtins.sorted", "builtins.sorted", "Return a new sorted list.")
ZIP = Document("builtins.zip", "builtins.zip", "Yield tuples.")


def hashes(*documents: Document) -> dict[str, str]:
    return {document.doc_id: document.text_sha256 for document in documents}


def test_unchanged_documents_give_an_empty_report() -> None:
    drift = judged_documents_changed(hashes(SORTED, ZIP), [ZIP, SORTED])
    assert not drift
    assert (drift.judged, drift.changed, drift.missing, drift.affected) == (2, (), (), 0)
    assert str(drift) == "All 2 judged documents stand here word for word as judged."


def test_changed_and_missing_documents_are_named() -> None:
    reworded = Document("builtins.zip", "builtins.zip", "Yield tuples, strictly.")
    drift = judged_documents_changed(hashes(SORTED, ZIP), [reworded])
    assert drift
    assert (drift.changed, drift.missing) == (("builtins.zip",), ("builtins.sorted",))
    assert str(drift) == (
        "Of 2 judged documents, 1 changed (builtins.zip) and 1 missing (builtins.sorted) "
        "on this Python: figures that rest on them differ from the published ones."
    )


def test_a_new_title_is_a_change_because_the_rater_read_it() -> None:
    renamed = Document("builtins.zip", "zip", ZIP.text)
    assert judged_documents_changed(hashes(ZIP), [renamed]).changed == ("builtins.zip",)


def test_many_documents_are_counted_not_listed() -> None:
    many = [Document(f"m.f{number}", "f", "Some text.") for number in range(8)]
    drift = judged_documents_changed(hashes(*many), [])
    assert "8 missing (m.f0, m.f1, m.f2, m.f3, m.f4 and 3 more)" in str(drift)


def test_documents_that_nobody_judged_do_not_matter() -> None:
    assert str(judged_documents_changed({}, [ZIP])) == "No judged documents to compare."
