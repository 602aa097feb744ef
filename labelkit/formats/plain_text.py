"""Documents that are files: text, Markdown and HTML, reduced to what a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from labelkit.errors import InputError
from labelkit.formats import encodings
from labelkit.formats.foreign import careful
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source, from_path
from labelkit.formats.tables import Problem, Reading, Row
from labelkit.wording import counted

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

MARKDOWN, HTML = (".md", ".markdown"), (".html", ".htm", ".xhtml")
ENDINGS = (".txt", ".text", *MARKDOWN, *HTML)
UNREAD = ("script", "style", "noscript", "template", "svg", "head")
BLOCKS = [
    *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div"),
    *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4"),
    *("h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary"),
    *("table", "tr", "ul"),
]
SPACES = re.compile(r"[^\S\n]+")
GAPS = re.compile(r"\s*\n\s*\n\s*")
NOT_IN_ID = re.compile(r"\s+")


def read(name: str, sources: Sequence[Source], options: ReadOptions, skipped: int = 0) -> Reading:
    """Text files as documents: the path is the id, the first heading or the name the title."""

    def rows() -> Iterator[Row | Problem]:
        for number, source in enumerate(sources, 1):
            try:
                yield Row(number, dict(_document(source, options)))
            except InputError as error:
                yield Problem(number, "", str(error))

    none = counted(skipped, "file is no text", "files are no text")
    notes = (f"{none} (txt, md, html): left out.",) if skipped else ()
    how = {"format": f"text, {counted(len(sources), 'file')}"}
    return Reading(name, ("doc_id", "title", "text"), rows, how, unit="file", notes=notes)


def folder(path: Path) -> tuple[list[Source], int]:
    """The text files of a folder and those below, by path, and how many other files there are."""
    found, others = [], 0
    for entry in sorted(path.rglob("*")):
        inside = entry.relative_to(path)
        if entry.is_symlink() or not entry.is_file() or any(p[0] == "." for p in inside.parts):
            continue
        if entry.suffix.lower() not in ENDINGS:
            others += 1
            continue
        source = from_path(entry)
        source.name = inside.as_posix()
        found.append(source)
    if not found:
        raise InputError("holds no text files (txt, md, html).", file=path)
    return found, others


def _document(source: Source, options: ReadOptions) -> Iterator[tuple[str, str]]:
    path = PurePosixPath(source.name)
    text = _decoded(source, options)
    title, text = reduce(source.suffix, text)
    if "\0" in text:
        raise InputError("holds a NUL: it is no text.", file=source.name)
    yield "doc_id", NOT_IN_ID.sub("_", source.name)
    yield "title", title or path.stem
    yield "text", text


def _decoded(source: Source, options: ReadOptions) -> str:
    try:
        encoding, _ = encodings.detect(source, options.encoding)
        return encodings.decode(source, encoding)
    except encodings.NotUnicode:
        declared = _declared(source)
        if not declared:
            raise
        return encodings.decode(source, declared)


def _declared(source: Source) -> str:
    """The encoding that an HTML page itself names, where it names one that is known."""
    from bs4.dammit import EncodingDetector

    if source.suffix not in HTML:
        return ""
    said = EncodingDetector.find_declared_encoding(source.head(), is_html=True) or ""
    try:
        b"".decode(said)
    except LookupError:
        return ""
    return said


def reduce(suffix: str, text: str) -> tuple[str, str]:
    """The title and the text of a file by its ending; markup is taken off."""
    if suffix in HTML:
        return _html(suffix, text)
    if suffix in MARKDOWN:
        from markdown_it import MarkdownIt

        with careful("the Markdown", "Markdown"):
            marked = MarkdownIt("commonmark").enable("table").render(text)
        return _html(suffix, marked)
    return "", text


def _html(suffix: str, markup: str) -> tuple[str, str]:
    from bs4 import BeautifulSoup

    with careful("the page", "HTML"):
        page = BeautifulSoup(markup, "html.parser")
        heading = page.title or page.h1 or page.h2
        title = SPACES.sub(" ", heading.get_text().replace("\n", " ")).strip() if heading else ""
        return title, _readable(page)


def _readable(page: BeautifulSoup) -> str:
    """The text of a page: one line a block, runs of spaces as one, code as it stands."""
    for unread in page(UNREAD):
        unread.decompose()
    code = [element.get_text().strip("\n") for element in page("pre")]
    for number, element in enumerate(page("pre")):
        element.string = f"\0{number}\0"
    for line_break in page("br"):
        line_break.replace_with("\n")
    for cell in page(("td", "th")):
        cell.append("\t")
    for block in page(BLOCKS):
        block.insert_before("\n\n" if block.name != "tr" and block.name != "li" else "\n")
        block.append("\n")
    text = _tidy(page.get_text())
    return re.sub("\0(\\d+)\0", lambda found: code[int(found[1])], text)


def _tidy(text: str) -> str:
    lines = (SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return GAPS.sub("\n\n", "\n".join(lines)).strip()
