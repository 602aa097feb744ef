"""Words of the query are found in a document in other forms, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from labelkit.ui.terms import Terms, query_spans


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("running queries", "runs the query", ["runs", "query"]),
        ("résumé", "Resume and résumés", ["Resume", "résumés"]),
        ("читать файлы", "Чтение файла; читает", ["файла", "читает"]),
        ("πώς διαβάζω αρχεία", "διαβάζει αρχείο", ["διαβάζει", "αρχείο"]),
        ("قراءة الملف", "ملفا بعد القراءة", ["ملفا", "القراءة"]),
        ("किताबें पढ़ना", "किताब को पढ़ो", ["किताब", "पढ़ो"]),
        ("לקרוא קבצים", "קבצים רבים", ["קבצים"]),
        ("파일 읽기", "파일을 읽는", ["파일을"]),
        ("读取文件", "如何读取压缩文件 file", ["读取", "文件"]),
        ("ファイルを読む", "このファイル", ["ファ", "イル"]),
        ("csv.DictWriter", "dictwriter, DictWriters", ["dictwriter", "DictWriters"]),
        ("test", "testament attest", []),
        ("what is it", "what it is", []),
    ],
)
def test_forms_of_the_query_s_words_are_found(query: str, text: str, marked: list[str]) -> None:
    """Stems in spaced scripts, pairs of characters where nothing is spaced."""
    assert [text[start:end] for start, end in query_spans(query, text)] == marked


@given(some.text(), some.text())
def test_places_are_in_order_and_never_overlap(query: str, text: str) -> None:
    """Whatever is asked of whatever text."""
    end = 0
    for match in Terms(query).finditer(text):
        assert end <= match.start() < match.end() <= len(text)
        end = match.end()
