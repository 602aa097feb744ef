"""Between NumPy and Arrow by their buffers: pyarrow's own conversions import pandas first, which
takes longer than scoring a small run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def numbers(array: pa.Array, dtype: DTypeLike) -> NDArray[Any]:
    """The values of an Arrow array without nulls whose type is that of `dtype`."""
    values = np.frombuffer(array.buffers()[1], dtype)
    return values[array.offset : array.offset + len(array)]


def integers(values: NDArray[np.int64]) -> pa.Int64Array:
    """Whole numbers as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def strings(texts: Sequence[str]) -> pa.StringArray:
    """Texts as an Arrow array."""
    import pyarrow as pa

    joined = "".join(texts)
    sizes = map(len, texts) if joined.isascii() else (len(one.encode()) for one in texts)
    ends = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(sizes, np.int32, len(texts)), out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(joined.encode())]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)
