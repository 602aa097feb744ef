"""What a rater does on the Label page of the test runner."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

BO = "bo-rater"


def pair_of(app: AppTest) -> int:
    """The pair on screen."""
    return int(app.session_state["lk_open_pair"].pair_id)


def press(app: AppTest, *keys: str) -> AppTest:
    """Press buttons so that they arrive in one run."""
    for key in keys:
        app.button(key=key).click()
    return app.run()


def write(app: AppTest, reason: str) -> None:
    """Type a reason; it goes along with the next run."""
    app.text_area(key=f"lk_reason_{pair_of(app)}").set_value(reason)


def judge(app: AppTest, level: int, reason: str) -> int:
    """Judge the pair on screen; returns its id."""
    pair = pair_of(app)
    press(app, f"lk_choice_level_{level}_{pair}")
    write(app, reason)
    press(app, f"lk_save_{pair}")
    return pair
