"""Correct bounds of tables that Delta Lake writes as Iceberg tables (UniForm).

Delta's statistics cut timestamps to milliseconds, and UniForm records them as bounds. A lower bound holds all the same.

Source: delta-io/delta issue 7444; Delta protocol, "Per-file Statistics"; Delta, ``IcebergConverter``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg.statistics import Column
from lakemuster.metadata.files import split_column
from lakemuster.metadata.values import PER_SECOND

VERSION = "delta-version"
"""The table property with the version of the Delta table that was converted."""

Mask = NDArray[np.bool_]


def is_of_delta(properties: Mapping[str, str]) -> bool:
    """Return whether UniForm writes the table."""
    return VERSION in properties


def raised_bounds(columns: Iterable[Column]) -> Iterator[tuple[str, int, Mask, pa.Array]]:
    """Yield the bounds that change: side, field id, the rows where they do, and the values to use.

    Args:
        columns: statistics in the shape of ``metadata.files``.
    """
    for field, values in columns:
        split = split_column(field.name)
        if split is None or split[0] != "upper" or not pa.types.is_timestamp(values.type):
            continue
        rest = PER_SECOND[values.type.unit] // 1000 - 1
        numbers = values.view(pa.int64()).fill_null(1).to_numpy()
        rows = numbers % (rest + 1) == 0
        if rows.any():
            raised = np.where(rows, np.minimum(numbers, np.iinfo(np.int64).max - rest) + rest, numbers)
            known = values.is_valid().to_numpy(zero_copy_only=False)
            yield "upper", split[1], rows, pa.array(raised, pa.int64(), mask=~known).view(values.type)
