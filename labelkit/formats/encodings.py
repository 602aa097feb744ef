"""Which encoding a text file is in: told by its bytes, said by a person, never guessed silently."""

from __future__ import annotations

import codecs
import io
from collections.abc import Generator

from labelkit.errors import InputError
from labelkit.formats.source import BLOCK, Source

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
USUAL = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257",
         "iso8859_15", "mac_roman", "koi8_r", "big5", "gb18030", "shift_jis", "euc_jp",
         "euc_kr")  # fmt: skip
"""What a guess may be: the encodings that files are really in, the commonest first."""

DETECT = "detect"
AROUND = 1 << 15
SHOWN = 40


class NotUnicode(InputError):
    """The bytes are in no Unicode encoding; `guess` is what they may be, if anything."""

    def __init__(self, message: str, *, file: str, line: int, guess: str) -> None:
        super().__init__(message, file=file, line=line)
        self.guess = guess


def detect(source: Source, said: str | None) -> tuple[str, str]:
    """The encoding of a text file, and how it is known, in a few words.

    Raises NotUnicode, with line and byte, for one that is neither said nor Unicode.
    """
    if said and said != DETECT:
        return _known(source, said), "as said"
    head = source.head()
    for mark, name in MARKS:
        if head.startswith(mark):
            return name, "byte order mark"
    if wide := _without_mark(head):
        return wide, "every other byte is 0"
    if not _decodes(head, "utf-8"):
        fault = misfit(source, "utf-8")
        if said == DETECT and isinstance(fault, NotUnicode) and fault.guess:
            return fault.guess, "guessed"
        raise fault
    return "utf-8", "plain ASCII so far" if head.isascii() else "valid UTF-8"


def _known(source: Source, said: str) -> str:
    try:
        "a".encode(said)  # of what is listed as a codec, not all is an encoding of text
        return codecs.lookup(said).name
    except (LookupError, ValueError):
        raise InputError(
            f"{said!r} is no encoding; such as utf-8, utf-16, cp1252.", file=source.name
        ) from None


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether the bytes are in the encoding; a character cut at their end is no fault."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeError:
        return False
    return True


def _without_mark(head: bytes) -> str:
    """UTF-16 that begins without a mark: in Western text every other byte is 0."""
    even, odd = head[0:4096:2].count(0), head[1:4096:2].count(0)
    pairs = max(len(head[:4096]) // 2, 1)
    if max(even, odd) < 0.4 * pairs or min(even, odd) > 0.05 * pairs:
        return ""
    name = "utf-16-le" if odd > even else "utf-16-be"
    return name if _decodes(head, name) else ""


def _guess(data: bytes) -> str:
    """What the bytes are likely to be; the commonest name among guesses that are as good."""
    from charset_normalizer import from_bytes

    found = list(from_bytes(data, cp_isolation=list(USUAL), enable_fallback=False))
    if not found:
        return ""
    best = found[0]
    as_good = [m for m in found if (m.chaos, m.coherence) == (best.chaos, best.coherence)]
    if any(_same(data, USUAL[0], match.encoding) for match in as_good):
        return USUAL[0]
    return best.encoding


def _same(data: bytes, one: str, other: str) -> bool:
    try:
        return data.decode(one) == data.decode(other)
    except UnicodeError:
        return False


def lines(source: Source, encoding: str, *, newline: str = "") -> Generator[str]:
    """The lines with their ends; bytes that do not fit the encoding raise, with their place."""
    try:
        with (
            source.open() as opened,
            io.TextIOWrapper(opened, encoding, errors="strict", newline=newline) as text,
        ):
            yield from text
    except UnicodeError:
        raise misfit(source, encoding) from None


def decode(source: Source, encoding: str) -> str:
    """The whole text, its line ends as they are."""
    data = source.whole()
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeError:
        raise misfit(source, encoding) from None


def misfit(source: Source, encoding: str) -> InputError:
    """Where the bytes stop fitting the encoding, and what to do, as an error to raise."""
    offset, line, around, at = _place(source, encoding)
    shown = f"byte {offset} (0x{around[at]:02x})" if at < len(around) else "the file's end"
    if encoding not in ("utf-8", "utf-8-sig"):
        said = f"{shown} is not {encoding}: say another encoding (--encoding)."
        return InputError(said, file=source.name, line=line)
    guess = _guess(around)
    said = f"{shown} is not UTF-8: {_advice(around, at, guess)}"
    return NotUnicode(said, file=source.name, line=line, guess=guess)


def _place(source: Source, encoding: str) -> tuple[int, int, bytes, int]:
    """Byte and line of the first fault, the bytes around it, and its place among those."""
    # Under the plain name the mark is decoded like any character, so that offsets count it.
    decoder = codecs.getincrementaldecoder(encoding.removesuffix("-sig"))()
    offset, line = 0, 1
    with source.open() as opened:
        while True:
            block = opened.read(BLOCK)
            held = len(decoder.getstate()[0])
            try:
                line += decoder.decode(block, not block).count("\n")
            except UnicodeDecodeError as error:
                start = error.start
                line += error.object[:start].count(b"\n")
                begin = max(start - AROUND, 0)
                around = bytes(error.object[begin : start + AROUND])
                return offset - held + start, line, around, start - begin
            except UnicodeError:
                return offset, line, b"", 0
            if not block:
                return offset, line, b"", 0
            offset += len(block)


def _advice(around: bytes, at: int, guess: str) -> str:
    save = "save the file as UTF-8 and import it again"
    if not guess:
        return f"{save}, or say its encoding (--encoding)."
    begin = max(around.rfind(b"\n", 0, at) + 1, at - SHOWN)
    shown = around[begin : at + SHOWN].split(b"\n")[0].decode(guess, "ignore").strip()
    return (
        f"it may be {guess}, which reads {shown!r}. If that is right, say --encoding {guess}; "
        f"else say another encoding, or {save}."
    )
