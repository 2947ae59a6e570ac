"""Columns that have one value in every row, as many of a manifest's entries are: its text is written once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def is_uniform(array: pa.Array) -> bool:
    """Whether several rows surely have one value: false too where that would take longer to tell."""
    if len(array) < 2 or array.null_count:
        return False
    kind, types = array.type, pa.types
    if types.is_boolean(kind):
        return bool(array.true_count in (0, len(array)))
    if types.is_integer(kind) or types.is_date32(kind):
        numbers = _numbers(array)
        return bool(numbers[0] == numbers[-1] and (numbers == numbers[0]).all())
    if types.is_string(kind):
        octets = array.buffers()[2]
        return _are_alike(_ends(array), np.frombuffer(b"" if octets is None else octets, np.uint8))
    if types.is_list(kind) and types.is_integer(kind.value_type) and not array.values.null_count:
        return _are_alike(_ends(array), _numbers(array.values))
    return False


def _are_alike(ends: NDArray[np.int32], values: NDArray[Any]) -> bool:
    """Whether all spans of some values are of one length and hold the same."""
    rows, first, last = len(ends) - 1, int(ends[0]), int(ends[-1])
    length, rest = divmod(last - first, rows)
    if rest or first < 0 or length < 0 or ends[1] - first != length or last > len(values):
        return False
    if not length:
        return not (ends != first).any()
    spans = values[first:last]
    # Most columns that are not uniform show it here.
    if (spans[:length] != spans[-length:]).any():
        return False
    return bool((ends[1:] - ends[:-1] == length).all() and (spans[length:] == spans[:-length]).all())


def _ends(array: pa.Array) -> NDArray[np.int32]:
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]


def _numbers(array: pa.Array) -> NDArray[Any]:
    width = np.dtype(f"i{array.type.bit_width // 8}")
    octets = array.buffers()[1]
    return np.frombuffer(b"" if octets is None else octets, width)[array.offset : array.offset + len(array)]
