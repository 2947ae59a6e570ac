"""Correct bounds of ORC files, whose statistics and indexes describe other values than readers return.

- ORC pads CHAR values with blanks, its statistics include them, and readers strip them: a lower bound counts only up to
  its first character that is not above a blank.
- Paimon takes the bounds of timestamps in the hybrid calendar, that of ``java.sql.Timestamp``, and reads the values in
  the proleptic Gregorian one: before 1582-10-15 they differ by up to ten days, and such a bound is unknown.
- Paimon takes the bounds of dates as milliseconds in the writer's time zone, and rounds those before 1970 up: where a
  day does not begin at midnight, as 1940-06-01 in Shanghai, a lower bound is the next day.
- ORC compares with ``<`` and ``>``: NaN as the first value of a stride hides the numbers after it, and the bounds of
  the file are those of its other strides. Paimon counts no NaN, so bounds of floating point columns are unknown in a
  file that may have several strides.
- Indexes have the values as they were written: CHAR with blanks, timestamps in the other calendar. ORC's writer also
  adds a second to timestamps with a fraction in the last second before 1970.

Source: Paimon ``OrcSimpleStatsExtractor``, ORC ``CharTreeWriter`` and ``ColumnStatisticsImpl``; ORC-763.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND

GREGORIAN = -12_219_206_400
"""1582-10-16, a day after the first of the Gregorian calendar, in seconds since 1970: bounds may be in any zone."""

STRIDE = 1000
"""The fewest rows that a stride of a file with several may have."""

_KINDS = ("lower", "upper", "key_lower", "key_upper")
_ORC = r"(?i)\.(cc-)?orc$"
_BLANKS = r"(?s)[\x00-\x20].*"
_LEAST = -(2**63)
_LEAST_DAY = -(2**31)
_MOST_SHIFT = 11 * 86_400
"""More seconds than the calendars differ by."""

Mask = NDArray[np.bool_]


def usable_bounds(
    columns: Iterable[tuple[pa.Field, pa.Array]], file_names: pa.Array, records: pa.Array
) -> Iterator[tuple[pa.Field, pa.Array]]:
    """Yield the columns of statistics, with bounds of ORC files that hold for the values that readers return.

    Args:
        columns: with one row for each file.
        file_names: the names of the files.
        records: their numbers of rows.
    """
    orc = are_orc(file_names)
    several = orc & (records.to_numpy() > STRIDE)
    for field, values in columns:
        split = split_column(field.name)
        if split is None or split[0] not in _KINDS or not orc.any():
            yield field, values
        elif pa.types.is_floating(values.type):
            yield field, pc.if_else(pa.array(several), pa.scalar(None, values.type), values)
        else:
            yield field, _usable(values, orc, (field.metadata or {}).get(b"type", b""), is_lower="lower" in split[0])


def are_orc(file_names: pa.Array) -> Mask:
    """Mark the names of ORC files."""
    return np.asarray(pc.match_substring_regex(file_names, _ORC).to_numpy(zero_copy_only=False), np.bool_)


def compare_alike(of: Primitive, values: Sequence[object]) -> bool:
    """Return whether every value in an index of an ORC file compares with some constants as the value that is read.

    Args:
        of: the column's type.
        values: the constants in internal form.
    """
    if of.text.startswith("CHAR("):
        return not values
    if of.kind not in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        return True
    second = PER_SECOND[of.unit]
    least = (GREGORIAN + _MOST_SHIFT) * second
    return all(isinstance(value, int) and value >= least and not -second < value < second for value in values)


def _usable(values: pa.Array, orc: Mask, type_text: bytes, *, is_lower: bool) -> pa.Array:
    if pa.types.is_timestamp(values.type):
        first = max(GREGORIAN * PER_SECOND[values.type.unit], _LEAST)
        early = pc.fill_null(pc.less(values.view(pa.int64()), first), False)
        gone = orc & np.asarray(early.to_numpy(zero_copy_only=False), np.bool_)
        return pc.if_else(pa.array(gone), pa.scalar(None, values.type), values) if gone.any() else values
    if is_lower and pa.types.is_date32(values.type):
        days = values.view(pa.int32())
        before = pc.and_(pa.array(orc), pc.and_(pc.less_equal(days, 0), pc.greater(days, _LEAST_DAY)))
        return pc.if_else(before, pc.subtract(days, pa.scalar(1, days.type)), days).view(values.type)
    if is_lower and type_text.startswith(b"CHAR("):
        return pc.if_else(pa.array(orc), pc.replace_substring_regex(values, _BLANKS, "", max_replacements=1), values)
    return values
