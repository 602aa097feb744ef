"""What stands on a page of the test runner, as text."""

from __future__ import annotations

import re
from html import unescape

from streamlit.testing.v1 import AppTest


def markup(app: AppTest) -> str:
    """The HTML that the page itself drew."""
    return "\n".join(element.proto.body for element in app.get("html"))


def words(app: AppTest) -> str:
    """The text of that HTML, tags taken off, white space folded."""
    text = re.sub(r"<(style|script)\b.*?</\1>", " ", markup(app), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def said(app: AppTest) -> str:
    """Every message on the page, Markdown escapes taken off."""
    shown = [*app.info, *app.success, *app.warning, *app.error]
    return " ".join(element.value for element in shown).replace("\\", "")


def press(app: AppTest, label: str) -> AppTest:
    """Press the button of that label, wherever it stands, and run."""
    found = [button for button in app.button if button.label == label]
    assert found, f"no button {label!r}; there are {[button.label for button in app.button]}"
    return found[0].click().run()


def unfold(app: AppTest, key: str) -> AppTest:
    """Open an expander or popover that is filled only then."""
    app.session_state[key] = True
    return app.run()
