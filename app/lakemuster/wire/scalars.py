"""Write Arrow columns of scalar types as JSON texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.files import INSTANT
from lakemuster.metadata.values import PER_SECOND, decimal_text, timestamp_text
from lakemuster.wire.json_kernel.columns import ALWAYS, UNSAFE, Dates, Integers, JsonTexts, Strings, only_where
from lakemuster.wire.json_kernel.kernel import FIRST_DAY, LAST_DAY
from lakemuster.wire.texts import ColumnTexts


def scalar_texts(array: pa.Array, type_text: str, *, as_id: bool) -> ColumnTexts:
    """Return the JSON texts of a column that is not nested.

    Args:
        array: values, not all null.
        type_text: the format's name of the type, where Arrow's type is ambiguous; else empty.
        as_id: whether integers are ids, which are always text.

    Raises:
        TypeError: the type has no JSON form here.
    """
    kind, types = array.type, pa.types
    if types.is_integer(kind):
        return ColumnTexts(Integers(array, ALWAYS if as_id else UNSAFE))
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return ColumnTexts(Strings(array.cast(pa.string())))
    if types.is_boolean(kind):
        return ColumnTexts(JsonTexts(array.cast(pa.string())))
    if types.is_date32(kind):
        return ColumnTexts(Dates(array))
    if types.is_floating(kind):
        return ColumnTexts(JsonTexts(_floats(array)))
    if types.is_fixed_size_binary(kind):
        texts = _uuids(array) if type_text == "uuid" and kind.byte_width == 16 else _hex(array)
    elif types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        texts = _hex(array)
    elif types.is_decimal(kind):
        texts = _decimals(array)
    elif types.is_time(kind):
        texts = array.cast(pa.string())
    elif types.is_timestamp(kind):
        texts = _timestamps(array, "Z" if type_text == INSTANT else "+00:00")
    else:
        raise TypeError(f"no JSON form for {kind}")
    return ColumnTexts(JsonTexts(texts, quoted=True))


def _floats(array: pa.Array) -> pa.Array:
    # Write a 4-byte float as a double: its shortest text denotes another number, and a bound
    # must not move.
    texts = array.cast(pa.float64()).cast(pa.string())
    whole = pc.match_substring_regex(texts, "^-?[0-9]+$")
    if pc.any(whole).as_py():
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, ".0", ""), texts)
    if pc.all(pc.is_finite(array)).as_py():
        return texts
    texts = pc.if_else(pc.is_nan(array), '"NaN"', texts)
    infinite = pc.if_else(pc.greater(array, 0), '"Infinity"', '"-Infinity"')
    return pc.if_else(pc.is_inf(array), infinite, texts)


def _decimals(array: pa.Array) -> pa.Array:
    # Arrow writes small values with an exponent, which the specification allows for negative scales only.
    if 0 <= array.type.scale <= 6:
        return array.cast(pa.string())
    return pa.array(
        [None if value is None else decimal_text(value, array.type.scale) for value in array.to_pylist()], pa.string()
    )


def _timestamps(array: pa.Array, utc: str) -> pa.Array:
    unit, zone = array.type.unit, array.type.tz
    counts, per_day = array.view(pa.int64()), 86_400 * PER_SECOND[unit]
    if _within(counts, FIRST_DAY * per_day, (LAST_DAY + 1) * per_day - 1):
        texts = _with_t(array.view(pa.timestamp(unit)).cast(pa.string()))
    else:
        texts = pa.array(
            [None if count is None else timestamp_text(count, unit) for count in counts.to_pylist()], pa.string()
        )
    return texts if zone is None else pc.binary_join_element_wise(texts, utc, "")


def _within(numbers: pa.Array, lowest: int, highest: int) -> bool:
    bounds = pc.min_max(numbers)
    return bool(bounds["min"].as_py() >= lowest and bounds["max"].as_py() <= highest)


def _with_t(array: pa.StringArray) -> pa.StringArray:
    """Replace the space that Arrow puts between date and time with the specification's T."""
    valid, offsets, data = array.buffers()
    text = np.frombuffer(data, np.uint8).copy()
    starts = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array)]
    if array.null_count:
        starts = starts[array.is_valid().to_numpy(zero_copy_only=False)]
    text[starts + 10] = ord("T")
    return pa.StringArray.from_buffers(len(array), offsets, pa.py_buffer(text), valid, array.null_count, array.offset)


def _uuids(array: pa.FixedSizeBinaryArray) -> pa.Array:
    digits = np.frombuffer(_fixed_hex(array), np.uint8).reshape(-1, 32)
    text = np.full((len(array), 36), ord("-"), np.uint8)
    for start, end, shift in ((0, 8, 0), (8, 12, 1), (12, 16, 2), (16, 20, 3), (20, 32, 4)):
        text[:, start + shift : end + shift] = digits[:, start:end]
    return _fixed_texts(array, pa.py_buffer(text), 36)


def _hex(array: pa.Array) -> pa.Array:
    if pa.types.is_fixed_size_binary(array.type):
        return _fixed_texts(array, pa.py_buffer(_fixed_hex(array)), 2 * array.type.byte_width)
    array = array.cast(pa.binary())
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    text = b"" if data is None else memoryview(data)[bounds[0] : bounds[-1]].hex().encode()
    shifted = ((bounds - bounds[0]) * 2).astype(np.int32)
    texts = pa.StringArray.from_buffers(len(array), pa.py_buffer(shifted), pa.py_buffer(text))
    return only_where(array, texts)


def _fixed_hex(array: pa.FixedSizeBinaryArray) -> bytes:
    width = array.type.byte_width
    data = array.buffers()[1]
    return memoryview(data)[array.offset * width : (array.offset + len(array)) * width].hex().encode()


def _fixed_texts(array: pa.Array, text: pa.Buffer, width: int) -> pa.Array:
    offsets = np.arange(len(array) + 1, dtype=np.int32) * np.int32(width)
    texts = pa.StringArray.from_buffers(len(array), pa.py_buffer(offsets), text)
    return only_where(array, texts)
