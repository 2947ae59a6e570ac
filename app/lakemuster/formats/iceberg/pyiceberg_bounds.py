"""Bounds of texts and binaries that PyIceberg took from some of a file's row groups only.

Parquet writers leave out the bounds of a row group if its least or greatest value is long, Arrow above 4,096 bytes.
PyIceberg ignores such row groups, so that their values may lie outside the bounds that it records for the file. A file
of one row group has no bounds then. Metadata does not name the writer, but PyIceberg's names of files are its own.

Source: PyIceberg 0.12, ``data_file_statistics_from_parquet_metadata`` and ``WriteTask``; Arrow,
``DEFAULT_MAX_STATISTICS_SIZE``; trinodb/trino issue 19052.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.iceberg.statistics import Column
from lakemuster.metadata.files import split_column

MAX_RECORDED_BYTES = 4_096
"""The longest value that Arrow records as a bound."""
_NAME = r"[/-]00000-\d+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.parquet\z"

Mask = NDArray[np.bool_]


def has_partial_bounds(paths: pa.Array, split_offsets: pa.Array | None) -> Mask:
    """Mark the files of several row groups that have a name as PyIceberg gives it.

    Args:
        paths: (N,) their locations.
        split_offsets: (N,) lists of the offsets of their row groups, which PyIceberg always records; null, or None, if
            unknown.
    """
    if split_offsets is None:
        return np.zeros(len(paths), bool)
    rows = np.array(pc.greater(pc.list_value_length(split_offsets), 1).fill_null(False))
    if rows.any():
        rows[rows] = np.asarray(pc.match_substring_regex(paths.filter(pa.array(rows)), pattern=_NAME))
    return rows


def unusable_bounds(columns: Iterable[Column], rows: Mask) -> Iterator[tuple[str, int, Mask, pa.Array]]:
    """Yield the bounds that prove nothing: side, field id, the rows where they do not, and the values to use.

    Args:
        columns: statistics in the shape of ``metadata.files``.
        rows: (N,) what :func:`has_partial_bounds` marks.
    """
    mask = pa.array(rows)
    for field, values in columns:
        split = split_column(field.name)
        if split is not None and split[0] in ("lower", "upper") and _may_be_long(values.type):
            yield split[0], split[1], rows, pc.if_else(mask, pa.scalar(None, values.type), values)


def _may_be_long(of: pa.DataType) -> bool:
    if pa.types.is_fixed_size_binary(of):
        return bool(of.byte_width > MAX_RECORDED_BYTES)
    return bool(pa.types.is_string(of) or pa.types.is_binary(of))
