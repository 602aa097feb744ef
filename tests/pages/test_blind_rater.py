"""No page that a rater can open holds what another person said before the rater has said it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.errors import NotAllowed
from labelkit.judging import assigning, third_labels
from labelkit.model import Role
from labelkit.store import Workspace, people
from labelkit.ui.navigation import PAGES

Open = Callable[[Workspace, str, str | None], AppTest]
NEW = "dee-rater"
SAID = "and found level"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Two people have judged, a release is frozen, and a third person waits for pairs."""
    made = measured.frozen(tmp_path_factory.mktemp("blind") / "w")
    people.add(made, "Dee Rater", [Role.RATER])
    wish = assigning.Wish("Again", raters=3, people=(measured.FIRST, measured.SECOND, NEW))
    assigning.make(made, measured.LEAD, wish)
    return made


@pytest.mark.parametrize(
    "name", [name for name, spec in PAGES.items() if (ROOT / spec.file).exists()]
)
def test_no_page_shows_a_rater_what_others_said(
    workspace: Workspace, open_page: Open, name: str
) -> None:
    for query in ("", "q1"):
        app = open_page(workspace, PAGES[name].file, NEW)
        if query:
            app.query_params.update({"query": query, "pair": "1", "release": "v1"})
            app.run()
        shown = everything(app)
        assert SAID not in shown
        assert "bo-rater read" not in shown
        assert not app.get("download_button") or Role.RATER in PAGES[name].roles


def everything(app: AppTest) -> str:
    """All that was sent to the browser."""
    return "\n".join(str(element.proto) for element in app.get("html")) + str(app)


def test_a_lead_does_see_it_there(tmp_path: Path, open_page: Open) -> None:
    """Else the test above would look for words that stand nowhere."""
    judged = measured.judged(tmp_path / "w")
    assert SAID in everything(open_page(judged, "pages/adjudicate.py", measured.LEAD))


def test_no_verb_tells_a_rater(workspace: Workspace) -> None:
    for verb in (
        lambda: judging.disagreements(workspace, NEW),
        lambda: judging.count_kept_from(workspace, NEW),
        lambda: judging.draw_second_sample(workspace, NEW),
        lambda: assigning.standing(workspace, NEW),
        lambda: third_labels.standing(workspace, NEW),
    ):
        with pytest.raises(NotAllowed):
            verb()
    task = judging.claim(workspace, NEW)
    assert SAID not in str(task)
    assert judging.recent(workspace, NEW) == []
    assert judging.recent_reasons(workspace, NEW) == []
