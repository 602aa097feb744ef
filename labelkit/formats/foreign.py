"""The boundary to other people's parsers: whatever damage makes them raise is one clear error."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import ParseError

from labelkit.errors import InputError

DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    ParseError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What parsers of workbooks and archives raise at damaged bytes; they promise no error of theirs.

Fuzzing found each of them. MemoryError, KeyboardInterrupt and SystemExit pass.
"""


@contextmanager
def careful(file: str, what: str) -> Iterator[None]:
    """Run a foreign parser; what it raises becomes an InputError that names the file."""
    from xlrd import XLRDError
    from xlrd.compdoc import CompDocError

    try:
        yield
    except InputError:
        raise
    except (*DAMAGE, XLRDError, CompDocError) as error:
        said = str(error).split("\n")[0][:200] or type(error).__name__
        if "encrypted" in said.lower():
            raise InputError(
                f"{what} that is encrypted: save it without a password.", file=file
            ) from None
        raise InputError(f"cannot be read as {what}: {said}.", file=file) from None
