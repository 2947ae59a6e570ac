"""Statistics that are columns by key already, as the native Avro decoder gives them: to the types of segments.

The same columns as those of ``statistics``, which has them from lists of keys and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from lakemuster.formats.avro import Columns
from lakemuster.formats.iceberg.slices import WIDTHS, Decoded, Items, decode, pick
from lakemuster.formats.iceberg.statistics import Column, bound_field, canonical, count_field
from lakemuster.metadata.files import count_type
from lakemuster.metadata.types import Kind, Primitive, arrow_type

_NARROW = {8: np.int8, 16: np.int16, 32: np.int32}
_NUMBERS: dict[Kind, int] = {kind: width for kind, width in WIDTHS.items() if kind not in (Kind.BOOLEAN, Kind.TIME)}


def width_of(of: Primitive) -> int:
    """Bytes of each canonical bound of a type, all of which are values of it; 0 where that is not so."""
    return _NUMBERS.get(of.kind, 0)


def keyed_counts(columns: Columns, kind: str) -> Iterator[Column]:
    """One narrow column per key; ``columns`` as of ``statistics.count_columns``."""
    for key in sorted(columns):
        values = columns[key]
        bits, data = values.buffers()
        counts = np.frombuffer(data, np.int32 if values.type.bit_width == 32 else np.int64, len(values))
        # These and not their methods: a wide table has a thousand columns of few rows.
        of = count_type(int(np.minimum.reduce(counts)), int(np.maximum.reduce(counts)))
        if of.bit_width != values.type.bit_width:
            data = pa.py_buffer(counts.astype(_NARROW[of.bit_width]))
        yield count_field(kind, key, of), pa.Array.from_buffers(of, len(values), [bits, data], values.null_count)


def keyed_bounds(columns: Columns, kind: str, type_of: Callable[[int], Primitive]) -> Iterator[Column]:
    """One typed column per key, and one of raw bytes where they are not canonical: as ``statistics.bound_columns``."""
    for key in sorted(columns):
        of, values = type_of(key), columns[key]
        decoded = _decoded(values, of)
        if decoded.values is not None and decoded.values.null_count < len(decoded.values):
            yield bound_field(kind, key, decoded.values.type, of.text), decoded.values
        if decoded.odd is not None:
            items = Items(values.cast(pa.binary()))
            raw = pick(items, np.arange(len(values)), decoded.odd)
            yield bound_field(f"{kind}_raw", key, pa.binary(), of.text), raw


def _decoded(values: pa.Array, of: Primitive) -> Decoded:
    if pa.types.is_fixed_size_binary(values.type) and values.type.byte_width == width_of(of):
        return Decoded(pa.Array.from_buffers(arrow_type(of), len(values), values.buffers(), values.null_count), None)
    if of.kind is Kind.STRING:
        try:
            return Decoded(values.cast(pa.string()), None)
        except pa.ArrowInvalid:
            pass
    items, rows = Items(values.cast(pa.binary())), np.arange(len(values))
    present = values.is_valid().to_numpy(zero_copy_only=False) if values.null_count else None
    return canonical(items, rows, present, of) or decode(items, rows, present, of)
