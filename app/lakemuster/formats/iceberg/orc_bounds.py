"""Correct bounds of ORC files, whose statistics describe other values than readers return.

- ORC pads CHAR values with blanks, its statistics include them, and readers strip them. Tables have no CHAR type, so
  every lower bound of strings counts only up to a control character, which is below a blank, and without blanks at
  its end.
- ORC compares with ``<`` and ``>``: NaN as the first value of a stride hides the numbers after it, and the bounds of
  the file are those of its other strides. Iceberg's own writer counts NaN and computes these bounds itself, so bounds
  without a count of NaN are unknown. The least stride has ``STRIDE`` rows: NaN can hide no number of a shorter file.
- ORC adds a second to timestamps with a fraction in the last second before 1970. Their partition is that of the
  time before, see ``predicates.projection``.

Source: Iceberg Java, ``OrcMetrics``; ORC, ``CharTreeWriter``, ``ColumnStatisticsImpl``; ORC-763.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.iceberg.statistics import Column
from lakemuster.metadata.files import split_column
from lakemuster.metadata.values import PER_SECOND

STRIDE = 1000
"""The fewest rows that a stride of a file with several may have."""

_PADDING = r"(?s) *[\x00-\x1f].*\z| +\z"

Mask = NDArray[np.bool_]


def has_format(formats: pa.Array, name: str) -> Mask:
    """Mark the names of one file format, given in lower case."""
    return np.asarray(pc.fill_null(pc.equal(pc.utf8_lower(formats), name), False).to_numpy(zero_copy_only=False))


def changed_bounds(
    columns: Iterable[Column], orc: Mask, records: NDArray[np.int64]
) -> Iterator[tuple[str, int, Mask, pa.Array]]:
    """Yield the bounds that change: side, field id, the rows where they do, and the values to use.

    Args:
        columns: statistics in the shape of ``metadata.files``.
        orc: (N,) whether the file is an ORC file.
        records: (N,) the number of rows of the file.
    """
    bounds: list[tuple[str, int, pa.Array]] = []
    counted: dict[int, pa.Array] = {}
    for field, values in columns:
        if (split := split_column(field.name)) is None:
            continue
        if split[0] == "nan_count":
            counted[split[1]] = values
        elif split[0] in ("lower", "upper"):
            bounds.append((split[0], split[1], values))
    for side, field_id, values in bounds:
        used = _used(values, orc, records, counted.get(field_id), is_lower=side == "lower")
        if used is not None and used[0].any():
            yield side, field_id, *used


def _used(
    values: pa.Array, orc: Mask, records: NDArray[np.int64], counts: pa.Array | None, *, is_lower: bool
) -> tuple[Mask, pa.Array] | None:
    known = np.asarray(values.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    if pa.types.is_floating(values.type):
        rows = orc & known & ((records < 0) | (records > STRIDE))
        if counts is not None:
            rows &= np.asarray(counts.is_null().to_numpy(zero_copy_only=False), np.bool_)
        return rows, pc.if_else(pa.array(rows), pa.scalar(None, values.type), values)
    if is_lower and pa.types.is_string(values.type):
        short = pc.replace_substring_regex(values, _PADDING, "", max_replacements=1)
        differs = pc.fill_null(pc.not_equal(short, values), False)
        rows = orc & np.asarray(differs.to_numpy(zero_copy_only=False), np.bool_)
        return rows, pc.if_else(pa.array(rows), short, values)
    if is_lower and pa.types.is_timestamp(values.type):
        second = PER_SECOND[values.type.unit]
        numbers = values.view(pa.int64()).fill_null(-1).to_numpy()
        rows = orc & (numbers >= 0) & (numbers < second)
        earlier = pa.array(np.where(rows, numbers - second, numbers), pa.int64(), mask=~known).view(values.type)
        return rows, earlier
    return None
