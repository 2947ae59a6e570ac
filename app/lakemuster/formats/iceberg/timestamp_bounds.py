"""Correct bounds of timestamps that writers recorded in milliseconds.

- Delta's statistics cut timestamps to milliseconds, and UniForm, which writes its tables as Iceberg tables, records
  them as bounds. A lower bound holds all the same.
- Of Parquet files whose timestamps are milliseconds, which ``add_files`` and ``migrate`` may take in, Iceberg Java
  records the number of milliseconds where microseconds are due. Small numbers count as either. A bound between these
  and the epoch holds all the same.

Source: delta-io/delta issue 7444; Delta protocol, "Per-file Statistics"; Delta, ``IcebergConverter``; apache/iceberg
issue 18173; Iceberg Java, ``ParquetMetrics``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg.statistics import Column
from lakemuster.metadata.files import split_column
from lakemuster.metadata.values import PER_SECOND

DELTA_VERSION = "delta-version"
"""The table property with the version of the Delta table that was converted."""
LAST_MILLISECOND = 253_402_300_799_999
"""The end of the year 9999, in milliseconds since 1970."""

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def is_of_delta(properties: Mapping[str, str]) -> bool:
    """Return whether UniForm writes the table."""
    return DELTA_VERSION in properties


def loosened_bounds(
    columns: Iterable[Column], parquet: Mask, *, is_of_delta: bool
) -> Iterator[tuple[str, int, Mask, pa.Array]]:
    """Yield the bounds that change: side, field id, the rows where they do, and the values to use.

    Args:
        columns: statistics in the shape of ``metadata.files``.
        parquet: (N,) whether the file is a Parquet file.
        is_of_delta: whether UniForm writes the table.
    """
    for field, values in columns:
        split = split_column(field.name)
        if split is None or split[0] not in ("lower", "upper") or not pa.types.is_timestamp(values.type):
            continue
        side, unit = split[0], values.type.unit
        numbers = values.view(pa.int64()).fill_null(0).to_numpy()
        used = _in_either_unit(numbers, parquet, is_lower=side == "lower") if unit == "us" else numbers
        if is_of_delta and side == "upper":
            used = np.maximum(used, _end_of_millisecond(numbers, PER_SECOND[unit] // 1000 - 1))
        known = values.is_valid().to_numpy(zero_copy_only=False)
        rows = known & (used != numbers)
        if rows.any():
            yield side, split[1], rows, pa.array(used, pa.int64(), mask=~known).view(values.type)


def _in_either_unit(numbers: Numbers, parquet: Mask, *, is_lower: bool) -> Numbers:
    least, greatest = (-LAST_MILLISECOND, -1) if is_lower else (1, LAST_MILLISECOND)
    return np.where(parquet & (least <= numbers) & (numbers <= greatest), numbers * 1000, numbers)


def _end_of_millisecond(numbers: Numbers, rest: int) -> Numbers:
    whole = numbers % (rest + 1) == 0
    return np.where(whole, np.minimum(numbers, np.iinfo(np.int64).max - rest) + rest, numbers)
