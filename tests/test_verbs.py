"""What `import labelkit` offers: the verbs, each there and each explained."""

from __future__ import annotations

import inspect

import pytest

import labelkit


@pytest.mark.parametrize("name", [name for name in labelkit.__all__ if name != "__version__"])
def test_every_verb_is_there_and_says_what_it_does(name: str) -> None:
    verb = getattr(labelkit, name)
    assert callable(verb)
    assert inspect.getdoc(verb)


def test_a_name_that_is_no_verb_is_refused_with_those_that_are() -> None:
    with pytest.raises(AttributeError, match="labelkit has no 'nonsense'; it has Workspace"):
        _ = labelkit.nonsense
