"""What a draft is warned about: each rule on a case where a person sees why."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_drafting import project

from labelkit import drafting
from labelkit.drafting import batch, check
from labelkit.errors import InputError
from labelkit.model import Document, Query, QuerySource, QueryState, Turn
from labelkit.store import Workspace, documents, drafts, queries

ZIP = Document(
    "zip",
    "zipfile.ZipFile.open",
    "Access a member of the archive as a binary file-like object. The mode must be read or "
    "write. A password can be given for members that are encrypted.",
)
TWIN = Document("zip-copy", "Open a member", ZIP.text)
TAR = Document(
    "tar",
    "tarfile.TarFile.extractfile",
    "Extract a member from the archive as a file object without writing it to the disk first.",
)
DATE = Document("date", "datetime.date.today", "Return the current local date of the machine.")


def draft(text: str, source: str = "zip", **more: object) -> Query:
    """A draft for a document."""
    return Query(
        str(more.pop("query_id", "s1")), text, QuerySource.SYNTHETIC, QueryState.DRAFT,
        source_doc_id=source, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def found(query: Query, source: Document = ZIP, *others: Query, **more: object) -> dict[str, str]:
    """The warnings about a draft, with their evidence."""
    return {w.name: w.evidence for w in check(query, source, others, **more)}  # type: ignore[arg-type]


def test_lifted_words_are_shown_with_share_and_longest_run() -> None:
    """The run is named and its characters in the document are given, so that it can be marked."""
    query = draft("open a member of the archive as a binary thing quickly please")
    (warning,) = [w for w in check(query, ZIP) if w.name == "lifted verbatim"]
    assert "longest run (8 words) “a member of the archive as a binary”" in warning.evidence
    assert ZIP.text[warning.start : warning.end] == "a member of the archive as a binary"


def test_words_in_other_forms_count_as_lifted_by_their_stems() -> None:
    """Four of four content words stand there, in other forms."""
    assert "100%" in found(draft("members archives encrypting passwords"))["lifted verbatim"]
    assert "lifted verbatim" not in found(draft("how do i look into a protected zip"))


def test_japanese_is_not_lifted_by_one_common_term() -> None:
    """Signs of writing without spaces are weighed, not counted as words."""
    source = Document(
        "j", "検索", "検索エンジンの評価には判定が必要です。文書を読んで等級を決めます。"
    )
    assert "lifted verbatim" not in found(draft("検索エンジンを比べたい"), source)
    assert "lifted verbatim" in found(draft("判定が必要です。文書を読んで等級を決めます"), source)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("can zipfile ZipFile open read encrypted data", "zipfile.ZipFile.open"),
        ("what does this passage say about passwords", "this passage"),
        ("which mode is used according to the text above", "the text"),
        ("how do i read one file inside a zip", ""),
    ],
)
def test_naming_the_document(text: str, named: str) -> None:
    """By its title, or as "the passage"."""
    assert named in found(draft(text)).get("names the document", "")
    assert ("names the document" in found(draft(text))) == bool(named)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("How do I read a member of a zip archive", True),
        ("how do i read a membr of a zip archive", True),
        ("reading members of zip archives", True),
        ("how do i write a zip archive", False),
        ("how do i read a member of a tar archive", False),
    ],
)
def test_near_duplicate_by_words_or_by_spelling(other: str, is_same: bool) -> None:
    """The same content words in any form, or the same wording but for a letter."""
    query = draft("how do i read a member of a zip archive?")
    warned = found(query, ZIP, Query("q7", other, QuerySource.LOG))
    assert ("near-duplicate" in warned) is is_same
    assert "q7" in warned.get("near-duplicate", "q7")


def test_same_words_after_other_turns_are_no_duplicate() -> None:
    """A follow-up means what its conversation makes it mean."""
    query = draft("and in windows", turns=(Turn("user", "how do i open a zip"),))
    other = Query("q7", "and in windows", QuerySource.LOG, turns=(Turn("user", "set the time"),))
    assert found(query, ZIP, other) == {}


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ('"query": "open a zip member"', "mark of the reply"),
        ("open <b>zip</b> member quickly", "mark of the reply"),
        ("<query_ref> is a request for zip members", "mark of the reply"),
        (" ".join(["word"] * 41), "41 words"),
    ],
)
def test_what_is_no_query(text: str, sign: str) -> None:
    """Remains of a format, or an essay."""
    assert sign in found(draft(text))["not a query"]


def test_follow_up_without_what_it_follows() -> None:
    """The style was asked for, the earlier turn is missing."""
    assert "follows nothing" in found(draft("and with a password on it?", tags=("follow-up",)))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A document, its copy, one like it, one about something else."""
    return project(tmp_path / "w", ZIP, TWIN, TAR, DATE)


def checked(workspace: Workspace, *given: Query, names: tuple[str, ...] = ("bm25", "wordllama")):  # type: ignore[no-untyped-def]
    """Save drafts, check them with real retrievers, and return each one's warnings."""
    with workspace.writing() as db:
        queries.save(db, given)
    batch.check_drafts(workspace, names=names)
    with workspace.reading() as db:
        corpus = {one.doc_id: one for one in (ZIP, TWIN, TAR, DATE)}
        return {q.query_id: batch.warnings(db, q, corpus[q.source_doc_id or ""], ()) for q in given}


def test_another_document_that_answers_as_well_is_named(workspace: Workspace) -> None:
    """In both rankings the tar page stands above the zip page for this draft."""
    query = draft("extract a member without writing it to the disk")
    (warning,) = [w for w in checked(workspace, query)["s1"] if w.name == "answered elsewhere"]
    assert warning.doc_id == "tar"
    assert "bm25: 1 against" in warning.evidence
    assert "wordllama: 1 against" in warning.evidence


def test_copy_of_the_document_answers_as_well(workspace: Workspace) -> None:
    """A document with the same text is never below."""
    query = draft("password for encrypted members of an archive")
    names = {w.name: w.doc_id for w in checked(workspace, query, names=("bm25",))["s1"]}
    assert names.get("answered elsewhere") == "zip-copy"


def test_document_that_stands_first_has_no_rival(workspace: Workspace) -> None:
    """No warning where the own document leads one of the rankings."""
    query = draft("what is the current local date", "date")
    assert "answered elsewhere" not in {w.name for w in checked(workspace, query)["s1"]}


def test_unanswerable_needs_words_and_retrievers_to_agree(tmp_path: Path) -> None:
    """No word stands in the passage and no retriever finds it among 30 documents."""
    filler = [
        Document(f"f{n:02}", f"Bread {n}", f"How to bake bread with yeast in oven number {n}.")
        for n in range(30)
    ]
    workspace = project(tmp_path / "w", DATE, *filler)
    lost = draft("bake bread yeast oven", "date")
    kept = draft("which day is it", "date", query_id="s2")
    with workspace.writing() as db:
        queries.save(db, [lost, kept])
    batch.check_drafts(workspace, names=("bm25", "wordllama"))
    with workspace.reading() as db:
        said = {w.name: w.evidence for w in batch.warnings(db, lost, DATE, ())}
        other = {w.name for w in batch.warnings(db, kept, DATE, ())}
    assert "0 of its 4 content words" in said["unanswerable from its passage"]
    assert said["too generic"] == "all its content words stand in 30 documents"
    assert "unanswerable from its passage" not in other


def test_finding_holds_for_its_wording_only(workspace: Workspace) -> None:
    """An edited draft is not judged by what was found for the old words."""
    query = draft("extract a member without writing it to the disk")
    checked(workspace, query)
    edited = draft("read one encrypted zip member with its password")
    with workspace.reading() as db:
        assert drafts.findings(db, "s1", edited.text) is None
        assert "answered elsewhere" not in {w.name for w in batch.warnings(db, edited, ZIP, ())}


def test_checked_drafts_are_not_checked_again(workspace: Workspace) -> None:
    """A second call finds nothing to do; a new draft is all that it checks."""
    checked(workspace, draft("read one member"))
    assert drafting.check_drafts(workspace, names=("bm25",)) == 0
    with workspace.writing() as db:
        queries.save(db, [draft("write one member", query_id="s2")])
    assert drafting.check_drafts(workspace, names=("bm25",)) == 1


def test_unknown_retriever_is_refused(workspace: Workspace) -> None:
    """With the names that are known."""
    with pytest.raises(InputError, match="known: bm25"):
        drafting.check_drafts(workspace, names=("google",))


def test_review_shows_what_the_batch_found(workspace: Workspace) -> None:
    """The Review page's verb carries both kinds of warnings."""
    checked(workspace, draft("extract a member without writing it to the disk"))
    shown = drafting.draft_at(workspace)
    assert shown is not None
    assert "answered elsewhere" in {warning.name for warning in shown.warnings}


DISK = Document("disk", "shutil.disk_usage", "Return disk usage statistics about the given path.")


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("how much space is left on the drive", True),
        ("How do I delete a folder that is not empty?", False),
    ],
)
def test_a_double_in_other_words_is_found_by_its_meaning(
    workspace: Workspace, other: str, is_same: bool
) -> None:
    """The demo's own pair, at 0.77; once the other query is retired nothing is repeated."""
    known = Query("q1", other, QuerySource.LOG)
    asked = draft("how much free space is left on my disk", "disk")
    with workspace.writing() as db:
        documents.save(db, [DISK])
        queries.save(db, [known, asked])
    drafting.check_drafts(workspace, names=())
    assert ("near-duplicate" in shown_names(workspace)) is is_same
    with workspace.writing() as db:
        queries.move(
            db, "q1", before=QueryState.ACCEPTED, after=QueryState.RETIRED, person_id="lee-lead"
        )
    assert "near-duplicate" not in shown_names(workspace)


def shown_names(workspace: Workspace) -> set[str]:
    """The warnings of the draft on the Review page."""
    shown = drafting.draft_at(workspace)
    assert shown is not None
    return {warning.name for warning in shown.warnings}


def test_the_passage_nearest_to_a_query_is_the_one_that_shares_its_words() -> None:
    """A text of one passage has none to point out, nor has one without a word of the query."""
    long = "\n\n".join([f"Paragraph {n} about pumps. " * 15 for n in range(4)])
    text = f"{long}\n\nTo paint a door, sand it first."
    found = drafting.likeliest_passage(text, "how do I paint doors")
    assert found is not None
    assert "paint a door" in text[slice(*found)]
    assert drafting.likeliest_passage("To paint a door, sand it.", "paint doors") is None
    assert drafting.likeliest_passage(text, "boiling eggs") is None
