"""What changed in a document's text, shortened to the changed places and a little around them."""

from __future__ import annotations

from difflib import SequenceMatcher

from labelkit.judging.rubric_diff import Words, word_diff

AROUND = 80
"""Characters of unchanged text that are kept on each side of a change."""

WORD_BY_WORD = 6_000
"""Up to so many characters a changed block is compared word by word, else as a whole."""


def text_drift(before: str, after: str) -> Words:
    """Two texts as one, in pieces that stayed ("same", shortened), went and came.

    Compared line by line first: word by word alone takes minutes on a long document.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    pieces: list[tuple[str, str]] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = "".join(old[i:j]), "".join(new[k:m])
        if tag == "equal":
            pieces.append(("same", gone))
        elif len(gone) + len(come) <= WORD_BY_WORD:
            pieces += word_diff(gone, come)
        else:
            pieces += [one for one in (("removed", gone), ("added", come)) if one[1]]
    last = len(pieces) - 1
    return tuple(
        (kind, _short(text, number > 0, number < last) if kind == "same" else text)
        for number, (kind, text) in enumerate(pieces)
    )


def _short(text: str, begins: bool, ends: bool) -> str:
    """Unchanged text next to the change before it and the one behind it."""
    head, tail = AROUND if begins else 0, AROUND if ends else 0
    if len(text) <= head + tail + 3:
        return text
    return f"{text[:head]} … {text[len(text) - tail :]}"
