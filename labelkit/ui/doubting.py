"""The winner under doubt, on the Benchmark page: win chances, and what deserves a second look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from labelkit.bench import RunResult
from labelkit.bench import doubt as doubting
from labelkit.bench import doubt_text as words
from labelkit.bench.ledger_of_runs import release_of
from labelkit.judging import second_looks as looks
from labelkit.judging.second_looks import Look, Standing
from labelkit.measures import written
from labelkit.model import Role
from labelkit.ui import heading, refusals, session, tables
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element, join
from labelkit.wording import counted

Figures = Mapping[str, Any]
Key = tuple[str, str]

SECTION = "The winner under doubt"


def section(here: Here, run: RunResult) -> None:
    """What was found when the labels were doubted, or the button to do so."""
    if len(run.completed) < 2:
        return
    heading.section(SECTION)
    found = doubting.kept(run)
    if found is None:
        _ask(here, run)
        return
    draw(element("p", _named(words.verdict(found), found), cls="lk-note"))
    _table(words.chance_rows(found), "How often each candidate wins", found)
    heading.note(words.kinds_note())
    _flip(here, found)
    with st.expander("Differences, order and single raters under doubt"):
        _details(found)
    with st.expander("What is known of the raters' errors, and what was assumed"):
        _errors(found)


def _ask(here: Here, run: RunResult) -> None:
    heading.note(
        "Labels can be wrong. The second labels say how often; from that, other versions of the "
        "labels are drawn, and every candidate is scored under each."
    )
    if st.button("Doubt the labels", key=f"lk_doubt_{item(run.folder.name)}"):
        with refusals.shown(), st.spinner("Drawing labels and scoring the candidates …"):
            doubting.keep(run, doubting.doubt(run, release_of(run, here.workspace)))
            st.rerun()


def _named(sentence: str, found: Figures) -> str:
    """The sentence with the metric as people write it."""
    return sentence.replace(found["primary"], written(found["primary"]))


def _table(rows: Sequence[Sequence[str]], label: str, found: Figures) -> None:
    head, *body = rows
    columns = [_named(name, found) for name in head]
    tables.show(columns, body, label=label, numbers=columns[1:])


def _flip(here: Here, found: Figures) -> None:
    """The smallest set of judgments that would change the winner, each open to a second look."""
    draw(element("p", words.flip_sentence(found), cls="lk-note"))
    if found["flip"] is None:
        return
    rows = found["flip"]["judgments"]
    keys = [(row["query_id"], row["doc_id"]) for row in rows]
    standing = looks.second_looks(here.workspace, here.person.person_id, keys)
    lead = Role.LEAD in here.person.roles
    for key, row in zip(keys, rows, strict=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _judgment(row, standing[key])
            _second_look(here, key, standing[key].look, lead=lead)
    possible = [key for key in keys if standing[key].look == Look.POSSIBLE]
    if (
        lead
        and len(possible) > 1
        and st.button(f"Ask for another label on all {len(possible)}", key="lk_look_all")
    ):
        _send(here, possible)


def _judgment(row: Figures, standing: Standing) -> None:
    now, at, chance, by = words.change(row)
    levels = f"level {now}, flips at {at} (chance {chance}), {by}"
    if standing.hidden:
        levels = f"levels kept from you while you could be given this pair, {by}"
    title = row["title"] or row["doc_id"]
    draw(
        element(
            "div",
            element("b", row["query"] or row["query_id"], dir="auto"),
            join(" · ", element("span", title, dir="auto")),
            element("div", levels, cls="lk-small"),
            cls="lk-doubtful",
        )
    )


def _second_look(here: Here, key: Key, look: Look, *, lead: bool) -> None:
    if look != Look.POSSIBLE:
        st.caption(f"another label: {look.value}")
    elif lead and st.button("Ask for another label", key=f"lk_look_{item(*key)}"):
        _send(here, [key])


def _send(here: Here, keys: Sequence[Key]) -> None:
    asked = looks.ask_second_look(here.workspace, here.person.person_id, keys)
    what = counted(asked, "pair")
    session.say("success", f"Another label was asked for on {what}: someone new will be given it.")
    st.rerun()


def _details(found: Figures) -> None:
    _table_of(words.gap_rows(found), "Differences under doubt", texts=2)
    heading.note(words.tau_sentence(found))
    _table_of(
        words.view_rows(found), "The leaderboard by each rater's labels and by each rule", texts=2
    )
    heading.note(
        "A rater's line is over the queries that this rater judged whole, and its tau is with the "
        "published labels on the same queries. A rule's line gives every pair with several labels "
        "the lowest, middle or highest of them."
    )


def _table_of(rows: Sequence[Sequence[str]], label: str, *, texts: int) -> None:
    head, *body = rows
    tables.show(head, body, label=label, numbers=head[texts:])


def _errors(found: Figures) -> None:
    heading.note(words.errors_sentence(found))
    cells = zip(found["confusion"], found["confusion_low"], found["confusion_high"], strict=True)
    body = [
        [str(n), *(_share(*cell) for cell in zip(*three, strict=True))]
        for n, three in enumerate(cells)
    ]
    head = ("true level", "given 0", "given 1", "given 2")
    tables.show(head, body, label="The raters' confusion of levels", numbers=head[1:])
    heading.note(words.ASSUMED)
    for warning in found["warnings"]:
        heading.note(warning)


def _share(mean: float, low: float, high: float) -> str:
    return f"{mean:.1%} ({low:.1%} to {high:.1%})".replace("%", " %")
