"""Convert statistics from the native Avro decoder, one column per key, to the column types of segments.

The result is the same as that of ``statistics``, which starts from lists of keys and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.avro import Columns
from lakemuster.formats.avro.arrow import as_text
from lakemuster.formats.iceberg.slices import WIDTHS, Decoded, Items, decode, pick
from lakemuster.formats.iceberg.statistics import Column, bound_field, canonical, count_field
from lakemuster.metadata.files import count_type
from lakemuster.metadata.types import Kind, Primitive, arrow_type

_AT_ONCE = 64
"""Columns of counts that are narrowed together."""

_NARROW = {8: np.int8, 16: np.int16, 32: np.int32}
_NUMBERS: dict[Kind, int] = {kind: width for kind, width in WIDTHS.items() if kind not in (Kind.BOOLEAN, Kind.TIME)}


def width_of(of: Primitive) -> int:
    """Return the width in bytes of a type's canonical bounds, if all bytes of that width are values; else 0."""
    return _NUMBERS.get(of.kind, 0)


def keyed_counts(columns: Columns, kind: str) -> Iterator[Column]:
    """Yield one narrow column per key, like ``statistics.count_columns``."""
    for bits, some in groupby(sorted(columns), lambda key: int(columns[key].type.bit_width)):
        keys = list(some)
        # Many at a time: a wide table has a thousand columns of few rows.
        for first in range(0, len(keys), _AT_ONCE):
            own = keys[first : first + _AT_ONCE]
            arrays = [columns[key] for key in own]
            for key, values in zip(own, _narrowed(arrays, bits), strict=True):
                yield count_field(kind, key, values.type), values


def _narrowed(arrays: Sequence[pa.Array], bits: int) -> Iterator[pa.Array]:
    """Convert columns of counts of ``bits`` bits to the narrowest types that hold them."""
    held = [array.buffers() for array in arrays]
    matrix = _matrix([data for _, data in held], len(arrays[0]), np.dtype(f"i{bits // 8}"))
    types = _types(matrix)
    alike = types[0] if len(set(types)) == 1 and types[0].bit_width != bits else None
    whole = None if alike is None else pa.py_buffer(matrix.astype(_NARROW[alike.bit_width]))
    for number, (values, of, (validity, data)) in enumerate(zip(arrays, types, held, strict=True)):
        if whole is not None:
            size = len(values) * of.bit_width // 8
            data = whole.slice(number * size, size)  # noqa: PLW2901
        elif of.bit_width != bits:
            data = pa.py_buffer(matrix[number].astype(_NARROW[of.bit_width]))  # noqa: PLW2901
        yield pa.Array.from_buffers(of, len(values), [validity, data], values.null_count)


def _types(matrix: NDArray[np.signedinteger]) -> list[pa.DataType]:
    """Return the narrowest type for each row of a matrix."""
    least, most = matrix.min(axis=1), matrix.max(axis=1)
    if count_type(int(least.min()), int(most.max())) == pa.int8():
        return [pa.int8()] * len(matrix)
    return [count_type(*ends) for ends in zip(least.tolist(), most.tolist(), strict=True)]


def _matrix(buffers: Sequence[pa.Buffer], rows: int, width: np.dtype[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Return the numbers of all buffers, (buffers, rows): a view if these are evenly spaced, as from decoders."""
    places = np.array([buffer.address for buffer in buffers])
    steps = np.diff(places)
    if len(steps) and (steps[0] < rows * width.itemsize or (steps != steps[0]).any()):
        return np.stack([np.frombuffer(buffer, width, rows) for buffer in buffers])
    step = int(steps[0]) if len(steps) else rows * width.itemsize
    memory = pa.foreign_buffer(int(places[0]), step * len(steps) + rows * width.itemsize, buffers)
    return np.ndarray((len(buffers), rows), width, memory, 0, (step, width.itemsize))


def keyed_bounds(columns: Columns, kind: str, type_of: Callable[[int], Primitive]) -> Iterator[Column]:
    """Yield typed columns by key, and raw ones where bytes are not canonical, like ``statistics.bound_columns``."""
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
            return Decoded(as_text(values), None)
        except pa.ArrowInvalid:
            pass
    items, rows = Items(values.cast(pa.binary())), np.arange(len(values))
    present = values.is_valid().to_numpy(zero_copy_only=False) if values.null_count else None
    return canonical(items, rows, present, of) or decode(items, rows, present, of)
