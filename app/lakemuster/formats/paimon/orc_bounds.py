"""Correct bounds of ORC files, whose statistics describe other values than readers return.

- ORC pads CHAR values with blanks, its statistics include them, and readers strip them: a lower bound counts only up to
  its first character that is not above a blank.
- Paimon takes the bounds of timestamps in the hybrid calendar, that of ``java.sql.Timestamp``, and reads the values in
  the proleptic Gregorian one: before 1582-10-15 they differ by up to ten days, and such a bound is unknown.

Source: Paimon ``OrcSimpleStatsExtractor``, ORC ``CharTreeWriter`` and ``ColumnStatisticsImpl``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import split_column

GREGORIAN = -12_219_206_400
"""1582-10-16, a day after the first of the Gregorian calendar, in seconds since 1970: bounds may be in any zone."""

_KINDS = ("lower", "upper", "key_lower", "key_upper")
_ORC = r"(?i)\.(cc-)?orc$"
_BLANKS = r"(?s)[\x00-\x20].*"
_PER_SECOND = {"ms": 10**3, "us": 10**6}
"""Nanoseconds hold no such early time."""

Mask = NDArray[np.bool_]


def usable_bounds(
    columns: Iterable[tuple[pa.Field, pa.Array]], file_names: pa.Array
) -> Iterator[tuple[pa.Field, pa.Array]]:
    """Yield the columns of statistics, with bounds of ORC files that hold for the values that readers return.

    Args:
        columns: with one row for each file.
        file_names: the names of the files.
    """
    orc = np.asarray(pc.match_substring_regex(file_names, _ORC).to_numpy(zero_copy_only=False), np.bool_)
    for field, values in columns:
        split = split_column(field.name)
        if orc.any() and split is not None and split[0] in _KINDS:
            yield field, _usable(values, orc, (field.metadata or {}).get(b"type", b""), is_lower="lower" in split[0])
        else:
            yield field, values


def _usable(values: pa.Array, orc: Mask, type_text: bytes, *, is_lower: bool) -> pa.Array:
    if pa.types.is_timestamp(values.type) and values.type.unit in _PER_SECOND:
        instants = values.view(pa.int64())
        early = pc.fill_null(pc.less(instants, GREGORIAN * _PER_SECOND[values.type.unit]), False)
        gone = orc & np.asarray(early.to_numpy(zero_copy_only=False), np.bool_)
        return pc.if_else(pa.array(gone), pa.scalar(None, values.type), values) if gone.any() else values
    if is_lower and type_text.startswith(b"CHAR("):
        return pc.if_else(pa.array(orc), pc.replace_substring_regex(values, _BLANKS, "", max_replacements=1), values)
    return values
