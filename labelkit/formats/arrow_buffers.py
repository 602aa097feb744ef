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

    encoded = list(map(str.encode, texts))
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, encoded), np.int32, len(encoded)), out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
