"""The Queries page: listed, typed, retired; drawn from a log and looked through for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import bench, intake, judging, releases
from labelkit.model import Query, QuerySource, QueryState, Turn
from labelkit.retrieval import Candidate
from labelkit.store import Workspace, pairs, queries
from labelkit.store import intake as origins

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/queries.py"
LEAD = "ann-lead"
DOC = "csv.DictWriter.writeheader#1.0"
LOG = f"""\
query,count,clicked
Reset Password,3,{DOC}
reset password,2,
printer offline for jane@example.org,2,
call +49 30 901820,1,
printer offline,1,
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six accepted queries, of which q1 has earlier turns."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


def view(app: AppTest, name: str) -> AppTest:
    """Choose what to look at."""
    return app.radio(key="lk_view").set_value(name).run()


def get(workspace: Workspace, query_id: str) -> Query:
    """A query as the store has it."""
    with workspace.reading() as db:
        found = queries.get(db, query_id)
    assert found is not None
    return found


def texts(workspace: Workspace) -> set[str]:
    """What accepted queries say."""
    return {query.text for query in queries.in_state(workspace, QueryState.ACCEPTED)}


def choice(app: AppTest, starts: str):  # type: ignore[no-untyped-def]
    """The drop-down whose label starts like this."""
    return next(box for box in app.selectbox if box.label.startswith(starts))


def test_the_list_says_whether_there_are_enough(workspace: Workspace, open_page: Open) -> None:
    """Six are too few, a first target and the basis are named; the difference can be chosen."""
    app = open_page(workspace, PAGE, LEAD)
    assert not app.exception
    assert "6 accepted queries: too few to decide on" in words(app)
    assert "A first target is 80 to 200" in words(app)
    assert "a difference of 0.05 takes 199" in words(app)
    assert "on Cranfield's 225 queries" in words(app)
    choice(app, "A difference worth finding").select(0.1).run()
    assert "a difference of 0.1 takes 51" in words(app)


def test_after_a_run_the_advice_rests_on_it(tmp_path: Path, open_page: Open) -> None:
    """The spread of its candidates takes the place of the default."""
    workspace = measured.frozen(tmp_path / "workspace")
    release = releases.load(releases.find(workspace, "v1"), workspace)
    wide = Candidate("wide", "static", model="wordllama")
    bench.run_benchmark(
        release,
        [Candidate("bm25", "bm25"), wide],
        workspace.runs / "v1-first",
        cache_dir=workspace.cache,
    )
    app = open_page(workspace, PAGE, LEAD)
    assert "ndcg@10 of bm25 against wide on 6 queries in the run v1-first" in words(app)


def test_the_list_is_filtered_by_words_source_and_type(
    workspace: Workspace, open_page: Open
) -> None:
    app = open_page(workspace, PAGE, LEAD)
    assert "sort dict by value" in words(app)
    app.text_input(key="lk_words").set_value("ZIP member").run()
    assert "how to read a zip member" in words(app)
    assert "sort dict by value" not in words(app)
    app.text_input(key="lk_words").set_value("").run()
    app.multiselect(key="lk_sources").set_value(["failure"]).run()
    assert "No query passes these filters" in words(app)


def test_types_are_suggested_with_their_rule_and_edited(
    workspace: Workspace, open_page: Open
) -> None:
    """The rules fill in; the page says why; what a person saves is kept."""
    app = open_page(workspace, PAGE, LEAD)
    press(app, "Suggest types for 6 without")
    assert "6 queries have types by the rules now" in said(app)
    assert get(workspace, "q3").types == ("statement", "error-code")
    choice(app, "Look at").select("q3").run()
    assert "error-code, because of an exception's name: “ValueError”" in words(app)
    types = next(box for box in app.multiselect if box.label == "Types of this query")
    types.set_value(["error-code", "date-bound"]).run()
    assert "tests a filter rather than an encoder" in said(app)
    press(app, "Save types")
    assert (get(workspace, "q3").types, get(workspace, "q3").types_by) == (
        ("error-code", "date-bound"),
        "person",
    )
    assert "types set by person statement, error-code to error-code, date-bound" in words(app)


def test_retired_with_a_note_and_restored(workspace: Workspace, open_page: Open) -> None:
    """Without a reason nothing happens; then it is gone from the queue, and comes back."""
    app = open_page(workspace, PAGE, LEAD)
    choice(app, "Look at").select("q2").run()
    press(app, "Retire")
    assert "Choose why" in said(app)
    assert get(workspace, "q2").state is QueryState.ACCEPTED
    choice(app, "Why").select("ambiguous")
    app.text_input[-1].set_value("which zip?")
    press(app, "Retire")
    assert "Retired q2" in said(app)
    assert (get(workspace, "q2").state, get(workspace, "q2").note) == (
        QueryState.RETIRED,
        "ambiguous beyond repair: which zip?",
    )
    assert "q2" not in judging.load(workspace).queries
    app.multiselect(key="lk_states").set_value(["retired"]).run()
    assert "accepted to retired ambiguous beyond repair: which zip?" in words(app)
    press(app, "Restore as accepted")
    assert "Restored q2 as accepted" in said(app)
    assert get(workspace, "q2").state is QueryState.ACCEPTED


def test_a_link_opens_its_query_whatever_the_page_of_the_list(
    workspace: Workspace, open_page: Open
) -> None:
    """More queries than a page holds: a link to the last one opens it."""
    with workspace.writing() as db:
        more = [Query(f"m{n:03}", f"query number {n}", QuerySource.LOG) for n in range(60)]
        queries.save(db, more)
    app = open_page(workspace, PAGE, LEAD)
    assert app.number_input(key="lk_list_page").max == 3
    assert choice(app, "Look at").value == "m000"
    app.number_input(key="lk_list_page").set_value(3).run()
    choice(app, "Look at").select("q5").run()
    app.number_input(key="lk_list_page").set_value(1).run()
    assert choice(app, "Look at").value == "q5", "what is open stays open"
    linked = open_page(workspace, "app.py", LEAD)
    linked.query_params["query"] = "q5"
    linked.switch_page(PAGE).run()
    assert choice(linked, "Look at").value == "q5"


def test_a_follow_up_is_rewritten_by_hand_and_both_are_kept(
    workspace: Workspace, open_page: Open
) -> None:
    app = open_page(workspace, PAGE, LEAD)
    choice(app, "Look at").select("q1").run()
    app.text_area[0].set_value("csv.DictWriter writes no header row").run()
    press(app, "Save the rewritten form")
    query = get(workspace, "q1")
    assert (query.text, query.rewritten_text, query.rewritten_by) == (
        "csv header lost when i write dicts",
        "csv.DictWriter writes no header row",
        "Ann Lead",
    )


def upload(app: AppTest, name: str, content: str) -> AppTest:
    """Upload a file into the view that is open."""
    return app.file_uploader[0].set_value((name, content.encode(), "text/plain")).run()


def decide(app: AppTest, at: int, what: str) -> AppTest:
    """Decide about one of the flagged queries."""
    radios = [radio for radio in app.radio if radio.label == "Decide"]
    return radios[at].set_value(what).run()


def test_a_log_comes_in_once_a_person_has_decided(workspace: Workspace, open_page: Open) -> None:
    """Counted, drawn and previewed; refused while a number waits; then masked and left out."""
    app = view(open_page(workspace, PAGE, LEAD), "log")
    upload(app, "log.csv", LOG)
    assert not app.exception
    assert "searches 9" in words(app)
    assert "distinct queries 4" in words(app)
    assert "Personal data: 2 queries to decide on" in [one.value for one in app.subheader]
    assert "2 queries to decide on above" in words(app)
    press(app, "Bring in 4 queries")
    assert "decide whether to keep it" in said(app)
    assert len(texts(workspace)) == 6
    decide(app, 0, "mask")
    edit = next(box for box in app.text_input if box.label == "The text without it")
    assert edit.value == "printer offline for [email]"
    edit.set_value("printer offline for somebody").run()
    decide(app, 1, "leave_out")
    assert "With these there would be 9 accepted queries" in words(app)
    press(app, "Bring in 3 queries")
    assert "3 queries added, 1 of them masked, 1 left out" in said(app)
    assert "1 pair proposed for judging" in said(app)
    assert {"Reset Password", "printer offline", "printer offline for somebody"} <= texts(workspace)
    with workspace.reading() as db:
        [row] = origins.draws(db)
        [clicked] = [one for one in pairs.keys(db) if one[0].startswith("log-")]
    assert row.settings["method"] == "frequency"
    assert clicked[1] == DOC
    assert judging.load(workspace).judgments == ()


def test_decisions_are_kept_from_page_to_page_of_the_list(
    workspace: Workspace, open_page: Open
) -> None:
    """Twelve flagged queries: what is decided on the first page counts while the second shows."""
    app = view(open_page(workspace, PAGE, LEAD), "log")
    upload(app, "log.csv", "query\n" + "".join(f"mail n{n}@example.org\n" for n in range(12)))
    decide(app, 0, "mask")
    next(box for box in app.text_input if box.label == "The text without it").set_value("mail x")
    app.run()
    decide(app, 1, "keep")
    app.number_input(key="lk_review_page").set_value(2).run()
    decide(app, 1, "leave_out")
    assert "9 queries to decide on above" in words(app)
    app.number_input(key="lk_review_page").set_value(1).run()
    assert [radio.value for radio in app.radio if radio.label == "Decide"][:3] == [
        "mask",
        "keep",
        None,
    ]
    press(app, "Bring in the others, leave out the 9 undecided")
    assert "2 queries added, 1 of them masked, 10 left out" in said(app)
    assert "mail x" in texts(workspace)


def test_the_same_log_again_changes_nothing(workspace: Workspace, open_page: Open) -> None:
    log = intake.read_log("log.csv", LOG.encode())
    _, items, source = intake.from_log(log, intake.Settings())
    keep = {one.query.query_id: intake.Decision("keep") for one in items}
    intake.bring_in(workspace, LEAD, items, keep, source=source)
    app = view(open_page(workspace, PAGE, LEAD), "log")
    upload(app, "log.csv", LOG)
    assert "4 of 4 are here already and stay" in words(app)
    assert not any(button.label.startswith("Bring in") for button in app.button)


def test_a_draw_by_bands_shows_its_strata(workspace: Workspace, open_page: Open) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "log")
    rows = "".join(f"rare {n},1\n" for n in range(30))
    upload(app, "log.csv", f"query,count\ntop,30\n{rows}")
    app.selectbox(key="lk_draw_method").select("bands").run()
    app.number_input(key="lk_draw_size").set_value(5).run()
    assert "head 1 30 1" in words(app)
    assert "tail 30 30 4" in words(app)
    press(app, "Bring in 5 queries")
    assert "5 queries added" in said(app)


def test_unknown_columns_are_matched_and_unreadable_rows_left_out_on_purpose(
    workspace: Workspace, open_page: Open
) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "log")
    upload(app, "log.csv", "what was typed,times\nfine,2\nodd,many\n")
    assert "Say which column holds text" in said(app)
    choice(app, "text (required)").select("what was typed").run()
    assert "'many' is no count" in words(app)
    assert not any(button.label.startswith("Bring in") for button in app.button)
    app.checkbox(key="lk_log_leave_out").check().run()
    press(app, "Bring in 1 query")
    assert "fine" in texts(workspace)


def test_a_file_in_another_encoding_is_read_once_that_is_said(
    workspace: Workspace, open_page: Open
) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "log")
    data = "query\nmüde sein\n".encode("cp1252")
    app.file_uploader[0].set_value(("log.csv", data, "text/csv")).run()
    assert "is not UTF-8" in said(app)
    box = next(box for box in app.selectbox if box.label.startswith("Encoding"))
    box.select("cp1252").run()
    press(app, "Bring in 1 query")
    assert "müde sein" in texts(workspace)


def test_a_log_without_a_header_is_read_once_that_is_said(
    workspace: Workspace, open_page: Open
) -> None:
    """The message names the field, and the columns are matched by their numbers."""
    app = view(open_page(workspace, PAGE, LEAD), "log")
    upload(app, "log.csv", "1,sort a list\n2,sort a dict\n")
    assert "Say which line holds the column names (“Header line”; 0 for none)" in said(app)
    app.number_input(key=_header_line(app)).set_value(0).run()
    assert "column_1 column_2" in words(app)
    next(box for box in app.selectbox if box.label.startswith("text")).select("column_2").run()
    press(app, "Bring in 2 queries")
    assert {"sort a list", "sort a dict"} <= set(texts(workspace))


def _header_line(app: AppTest) -> str:
    return next(str(one.key) for one in app.number_input if one.label.startswith("Header line"))


TALK = """\
conversation,role,text
a,user,how do I write a csv file
a,assistant,Use csv.writer.
a,user,and with a header?
"""


def test_follow_ups_of_conversations_come_in_with_their_turns(
    workspace: Workspace, open_page: Open
) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "conversations")
    upload(app, "talk.csv", TALK)
    assert "follow-ups among them 1" in words(app)
    press(app, "Bring in 1 query")
    [query] = [q for q in queries.in_state(workspace, QueryState.ACCEPTED) if "header?" in q.text]
    assert query.source is QuerySource.CONVERSATION
    assert query.turns[0] == Turn("user", "how do I write a csv file")


def test_a_role_that_nobody_knows_is_asked_for(workspace: Workspace, open_page: Open) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "conversations")
    upload(app, "talk.csv", TALK.replace("user", "klant"))
    assert "Say which of them is the user" in said(app)
    app.text_input(key="lk_user_role").set_value("klant").run()
    assert "follow-ups among them 1" in words(app)


def test_misses_are_pasted_with_what_went_wrong(workspace: Workspace, open_page: Open) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "misses")
    app.text_area[0].set_value("vpn drops\nmail for bob@example.org stuck").run()
    app.text_input[0].set_value("empty result page").run()
    app.text_input[1].set_value("run 7").run()
    press(app, "Bring in the others, leave out the 1 undecided")
    assert "1 query added, 1 left out for personal data" in said(app)
    [query] = [q for q in queries.in_state(workspace, QueryState.ACCEPTED) if q.text == "vpn drops"]
    with workspace.reading() as db:
        assert origins.origin(db, query.query_id) == {"note": "empty result page", "link": "run 7"}
    assert app.text_area[0].value == ""


def test_misses_from_a_file(workspace: Workspace, open_page: Open) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "misses")
    upload(app, "misses.csv", f"query,note,expected\nheader lost,old page,{DOC}\n")
    press(app, "Bring in 1 query")
    assert "1 query added, 1 pair proposed for judging" in said(app)


def test_a_query_by_hand(workspace: Workspace, open_page: Open) -> None:
    app = view(open_page(workspace, PAGE, LEAD), "by-hand")
    app.text_area[0].set_value("budget 2025").run()
    assert "keyword, date-bound" in words(app)
    press(app, "Bring in 1 query")
    assert "budget 2025" in texts(workspace)


def test_a_rater_does_not_see_it(workspace: Workspace, open_page: Open) -> None:
    app = open_page(workspace, PAGE, "bo-rater")
    assert "is not a lead" in said(app)
    assert not app.radio
