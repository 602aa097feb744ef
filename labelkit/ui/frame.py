"""The line that every page opens with: page settings, workspace, sign-in, roles, sidebar."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from labelkit import overview
from labelkit.errors import LabelkitError, NotAllowed
from labelkit.model import DEMO, Person
from labelkit.store import Workspace, meta
from labelkit.ui import identity, navigation, notice
from labelkit.ui.text import plain

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class Here:
    """Where a page runs and for whom."""

    workspace: Workspace
    person: Person

    @property
    def draft_scope(self) -> str:
        """Names this workspace and person in the browser's storage."""
        return f"{identity.workspace_tag(self.workspace)}:{self.person.person_id}"


@contextmanager
def page(name: str) -> Iterator[Here]:
    """Open a page of `navigation.PAGES`; its body runs only for a person who may see it.

    A LabelkitError raised in the body is shown as its message. Any page can be the first one
    that a fresh server runs, so nothing here relies on app.py.
    """
    spec = navigation.PAGES[name]
    st.set_page_config(
        page_title=f"{spec.title} · labelkit",
        page_icon=str(_STATIC / "icon.png"),
        layout="wide",
    )
    st.html(_STATIC / "frame.css")
    try:
        here = _enter(spec)
    except LabelkitError as error:
        notice.show("error", str(error))
        st.stop()
    try:
        yield here
    except LabelkitError as error:
        notice.show("error", str(error))
    _settle(name)


def workspace_path() -> Path:
    """The workspace to open: LABELKIT_WORKSPACE, else ./workspace."""
    return Path(os.environ.get("LABELKIT_WORKSPACE") or "workspace")


def _refuse_open_network() -> None:
    """Names picked from a list are no protection: serve them to this machine only."""
    address = st.get_option("server.address")
    if address not in LOOPBACK:
        raise NotAllowed(
            f"labelkit does not open on {address or 'all network addresses'}: here whoever "
            "connects picks a name. Serve it with 'labelkit serve', which binds to 127.0.0.1."
        )


def _enter(spec: navigation.Page) -> Here:
    _refuse_open_network()
    workspace = Workspace.open(workspace_path())
    person = identity.current(workspace)
    with st.sidebar:
        identity.remember(workspace, person)
        if person is not None:
            _sidebar(workspace, person)
    if person is None:
        identity.sign_in(workspace)
        st.stop()
    if not navigation.allowed(person, spec):
        _refuse(spec, person)
    return Here(workspace, person)


def _sidebar(workspace: Workspace, person: Person) -> None:
    st.markdown(f"**{plain(workspace.name)}**  \nstage: {_stage(str(workspace.path))}")
    navigation.links(person)
    st.divider()
    st.markdown(f"{plain(person.name)}  \n{', '.join(person.roles) or 'no role yet'}")
    st.caption("local, not authenticated")
    if meta.get(workspace, DEMO):
        st.caption("demo labels: written by labelkit's authors, not by domain experts")
    if st.button("Change person", key="lk_sign_out", type="tertiary"):
        identity.sign_out()
        st.rerun()


@st.cache_data(ttl=60, max_entries=16, show_spinner=False)
def _stage(path: str) -> str:
    # Up to a minute old: it is counted from the whole project, and drawn on every click.
    return overview.stage(Workspace.open(path))


def _refuse(spec: navigation.Page, person: Person) -> None:
    needed = " or ".join(role.value for role in spec.roles)
    st.title(spec.title, anchor=False)
    notice.show(
        "warning",
        f"{person.name} is not a {needed}, so this page stays closed. "
        "A lead can change that under People.",
    )
    st.stop()


@st.cache_resource(show_spinner=False)
def _settle(page_name: str) -> None:
    """After a page's first run in this process: take what it loaded out of garbage collection.

    Streamlit collects after every run; with 50 sessions this took the 95th percentile of a save
    from 914 to 63 ms. Once a page and not once at start, because pages load pandas and the like.
    """
    gc.collect()
    gc.freeze()
