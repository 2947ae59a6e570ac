"""Decode columns of single-value bytes to typed Arrow arrays, without a loop over rows.

A column is a selection of items of one binary array: row *i* is item ``items[i]``. Fixed-width
values are gathered straight from the array's buffer, at any byte offset.

A row is *odd* when its bytes are not the canonical serialisation of its typed value: bytes
written before a type was promoted, and bytes that do not parse, whose typed value is null. The
raw bytes of odd rows have to be stored; the bytes of other rows follow from the value.

Source: Iceberg spec, appendix D, and "Schema Evolution" for what may be promoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg import decimals
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.metadata.values import PER_SECOND

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Numbers = NDArray[np.integer]

WIDTHS = {
    Kind.BOOLEAN: 1,
    Kind.INT: 4,
    Kind.DATE: 4,
    Kind.FLOAT: 4,
    Kind.LONG: 8,
    Kind.DOUBLE: 8,
    Kind.TIME: 8,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
}
"""Bytes of the canonical serialisation, for types whose values are numbers of that width."""

MAX_BLOCKS = 2**28
"""The most bytes of a column of ``fixed``, in which nulls take as much as values; above it every row stays raw."""

_PADDING = 16
_SECONDS_PER_DAY = 86_400
_INT64_MAX = 2**63 - 1


class Items:
    """A binary array whose bytes can be read as numbers at any offset."""

    def __init__(self, array: pa.BinaryArray) -> None:
        self.array = array
        _, offsets, self._data = array.buffers()
        count = len(array) + 1
        self.offsets: NDArray[np.int32] = (
            np.frombuffer(offsets, np.int32, count, array.offset * 4) if len(array) else np.zeros(1, np.int32)
        )

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """The bytes of all items."""
        used = int(self.offsets[-1])
        return np.frombuffer(self._data, np.uint8, used) if used else np.zeros(0, np.uint8)

    @cached_property
    def data(self) -> NDArray[np.uint8]:
        """The bytes of all items, padded so that a wide read at the last byte stays inside."""
        return np.concatenate([self.bytes, np.zeros(_PADDING, np.uint8)])

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Bytes of each item."""
        return np.diff(self.offsets)

    def read(self, starts: NDArray[np.integer], dtype: str) -> Numbers:
        """Return the numbers that begin at the byte offsets ``starts``."""
        wide = np.dtype(dtype)
        everywhere: Numbers = np.ndarray((len(self.data) - wide.itemsize + 1,), wide, self.data, 0, (1,))
        numbers: Numbers = everywhere[starts]
        return numbers


@dataclass(frozen=True, slots=True)
class Decoded:
    """A column's typed values, None if no row has one, and its odd rows, None if there are none."""

    values: pa.Array | None
    odd: Mask | None


def decode(column: Items, items: Index, present: Mask | None, of: Primitive) -> Decoded:
    """Decode one column.

    Args:
        column: the items.
        items: for each row, the index of its item; any index for rows without one.
        present: rows that have an item; None when all do.
        of: the type of the values.
    """
    match of.kind:
        case Kind.STRING:
            return _strings(column, items, present)
        case Kind.BINARY:
            return _decoded(pick(column, items, present), None)
        case Kind.DECIMAL:
            return _decimals(column, items, present, of)
        case Kind.UUID:
            return _blocks(column, items, present, 16)
        case Kind.FIXED:
            return _blocks(column, items, present, of.length)
        case kind if kind in WIDTHS:
            return _numbers(column, items, present, of)
    return Decoded(None, np.ones(len(items), np.bool_) if present is None else present)


def pick(column: Items, items: Index, present: Mask | None) -> pa.BinaryArray:
    """Return the bytes of the rows that are present, null for the others."""
    return column.array.take(pa.array(items, mask=None if present is None else ~present))


def bitmap(mask: Mask | None) -> pa.Buffer | None:
    """Return Arrow's validity bitmap of a mask."""
    return None if mask is None else pa.py_buffer(np.packbits(mask, bitorder="little"))


def _decoded(values: pa.Array, odd: Mask | None) -> Decoded:
    return Decoded(None if values.null_count == len(values) else values, odd if odd is not None and odd.any() else None)


def _bounds(column: Items, items: Index) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return column.offsets.take(items), column.lengths.take(items)


def _numbers(column: Items, items: Index, present: Mask | None, of: Primitive) -> Decoded:
    starts, lengths = _bounds(column, items)
    width = WIDTHS[of.kind]
    values = column.read(starts, f"<i{width}")
    here = np.ones(len(items), np.bool_) if present is None else present
    valid = here & (lengths == width)
    odd = here & ~valid
    if odd.any():
        shorter = odd & (lengths == 4)
        values, promoted = _promote(column.read(starts, "<i4"), values, shorter, of)
        valid = valid | promoted
    if of.kind is Kind.BOOLEAN:
        odd |= valid & (values.view(np.uint8) > 1)
        values = np.packbits(values != 0, bitorder="little")
    elif of.kind is Kind.TIME:
        # Arrow's times must be within a day.
        in_day = (values >= 0) & (values < _SECONDS_PER_DAY * PER_SECOND[of.unit])
        odd |= valid & ~in_day
        valid &= in_day
    bits = None if valid.all() else bitmap(valid)
    return _decoded(pa.Array.from_buffers(arrow_type(of), len(items), [bits, pa.py_buffer(values)]), odd)


def _promote(short: Numbers, values: Numbers, rows: Mask, of: Primitive) -> tuple[Numbers, Mask]:
    """Merge promoted values of 4 bytes into the values of 8; return these and the mask of promoted rows."""
    match of.kind:
        case Kind.LONG:
            return np.where(rows, short.astype(np.int64), values), rows
        case Kind.DOUBLE:
            wide = short.view(np.float32).astype(np.float64).view(np.int64)
            return np.where(rows, wide, values), rows
        case Kind.TIMESTAMP:
            per_day = _SECONDS_PER_DAY * PER_SECOND[of.unit]
            in_range = rows & (np.abs(short.astype(np.int64)) <= _INT64_MAX // per_day)
            return np.where(in_range, np.where(in_range, short, 0).astype(np.int64) * per_day, values), in_range
    return values, np.zeros(len(rows), np.bool_)


def _strings(column: Items, items: Index, present: Mask | None) -> Decoded:
    raw = pick(column, items, present)
    try:
        return _decoded(raw.cast(pa.string()), None)
    except pa.ArrowInvalid:
        texts = [None if value is None else _text(value) for value in raw.to_pylist()]
    typed = pa.array(texts, pa.string())
    odd = typed.is_null().to_numpy(zero_copy_only=False)
    return _decoded(typed, odd if present is None else odd & present)


def _text(value: bytes) -> str | None:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _blocks(column: Items, items: Index, present: Mask | None, width: int) -> Decoded:
    _, lengths = _bounds(column, items)
    here = np.ones(len(items), np.bool_) if present is None else present
    if len(items) * width > MAX_BLOCKS:
        return Decoded(None, here)
    valid = here & (lengths == width)
    taken = column.array.take(pa.array(items[valid]))
    values = np.frombuffer(taken.buffers()[2] or b"", np.uint8, len(taken) * width)
    if len(taken) < len(items):
        spread = np.zeros((len(items), width), np.uint8)
        spread[valid] = values.reshape(-1, width)
        values = spread
    bits = None if valid.all() else bitmap(valid)
    return _decoded(pa.Array.from_buffers(pa.binary(width), len(items), [bits, pa.py_buffer(values)]), here & ~valid)


def _decimals(column: Items, items: Index, present: Mask | None, of: Primitive) -> Decoded:
    starts, lengths = _bounds(column, items)
    here = np.ones(len(items), np.bool_) if present is None else present
    short = np.clip(lengths, 1, decimals.WIDTH).astype(np.int64)
    head = column.read(starts, ">i8").astype(np.int64)
    tail = column.read(np.minimum(starts + 8, len(column.data) - 8), ">u8").astype(np.uint64)
    high, low = decimals.join(head, tail, short)
    valid = here & (lengths >= 1) & (lengths <= decimals.WIDTH) & decimals.fits(high, low, of.precision)
    odd = here & ~(valid & decimals.is_minimal(head, short))
    long = np.flatnonzero(here & (lengths > decimals.WIDTH))
    if len(long):
        kept = decimals.read_long(high, low, long, lambda row: column.array[items[row]].as_py(), of.precision)
        valid[kept] = True
    typed = decimals.decimal_array(high, low, None if valid.all() else valid, arrow_type(of))
    return _decoded(typed, odd)
