"""Text of others is shown as it is."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as some

from labelkit.ui.text import marked, plain, query_terms


@given(some.text(), some.text())
def test_marking_never_changes_the_text(text: str, query: str) -> None:
    """Without the marks, the HTML reads as the text did, whatever either holds."""
    html = marked(text, query_terms(query))
    bare = re.sub(r"</?mark>", "", html)
    assert not set("<>") & set(bare)
    assert _unescaped(bare) == text.encode("utf-8", "replace").decode()


def _unescaped(html: str) -> str:
    """The five names that escaping makes; html.unescape would read more than was written."""
    for name, character in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("#x27", "'"), ("amp", "&")):
        html = html.replace(f"&{name};", character)
    return html


def test_words_of_the_query_are_marked_in_other_forms() -> None:
    """Case and a common ending do not matter; parts of other words and common words do."""
    html = marked("Writes Written rewrite the header HEADERS", query_terms("write the headers"))
    assert re.findall("<mark>(.*?)</mark>", html) == ["Writes", "Written", "header", "HEADERS"]


def test_unspaced_script_is_marked_by_pairs_of_characters() -> None:
    """Chinese has no spaces: neighbouring characters of the query are found."""
    html = marked("如何读取压缩文件", query_terms("读取文件"))
    assert re.findall("<mark>(.*?)</mark>", html) == ["读取", "文件"]


def test_arabic_is_marked_by_word() -> None:
    """A right-to-left word is found like any other."""
    assert "<mark>ملف</mark>" in marked("اقرأ ملف مضغوط", query_terms("ملف"))


def test_markup_in_a_label_is_escaped() -> None:
    """Nothing in a label is read as Markdown, a directive or an emoji name."""
    assert plain("*a* [b](c) $d$") == r"\*a\* \[b\]\(c\) \$d\$"
    assert "\u2060" in plain(":smile:")
    assert "\u2060" not in plain("csv: the header")
