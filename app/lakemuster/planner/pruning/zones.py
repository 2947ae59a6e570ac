"""Zones: the statistics of many neighbouring entries as one, so that most entries are never looked at.

Source: shared design, "Where things are kept".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats

ZONE_ROWS = 1024
"""Entries of a zone."""


def zone_count(rows: int, size: int = ZONE_ROWS) -> int:
    """The zones of so many entries."""
    return -(-rows // size)


def zones_of(stats: FieldStats | None, kind: Primitive, rows: Sequence[int], size: int = ZONE_ROWS) -> FieldStats:
    """One field's statistics, zone by zone: what the bounds of each zone's entries lie within.

    An entry without a bound makes its zone's unknown, unless it holds nothing but nulls.

    Args:
        stats: of all entries; None when nothing was recorded.
        kind: the type that a predicate takes the field to have.
        rows: entries of each manifest; no zone is of two.
        size: entries of a zone; the last of a manifest may have fewer.
    """
    target = arrow_type(kind)
    if stats is None or target is None:
        return FieldStats()
    unknown = np.full(sum(rows), UNKNOWN, np.int64)
    nulls = unknown if stats.null_count is None else stats.null_count
    values = unknown if stats.value_count is None else stats.value_count
    blank = np.asarray((values > 0) & (nulls == values))
    firsts = np.cumsum([0, *rows]).tolist()
    starts = np.concatenate([np.arange(a, b, size) for a, b in pairwise(firsts)]) if rows else np.zeros(0, np.int64)
    return FieldStats(
        _extremes(stats.lower, target, blank, starts, "min"),
        _extremes(stats.upper, target, blank, starts, "max"),
        _totals(stats.null_count, starts),
        _totals(stats.nan_count, starts),
        # A file without values proves nothing by itself, and must not be lost in a sum that does.
        None if stats.value_count is None else _totals(np.where(values == 0, UNKNOWN, values), starts),
    )


def _extremes(
    bounds: pa.Array | None, target: pa.DataType, blank: NDArray[np.bool_], starts: NDArray[np.int64], side: str
) -> pa.Array | None:
    bounds = None if bounds is None else cast_or_none(bounds, target)
    if bounds is None or bounds.null_count == len(bounds):
        return None
    missing = bounds.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_floating(target):
        missing = missing | pc.fill_null(pc.is_nan(bounds), False).to_numpy(zero_copy_only=False)
    unknown = np.logical_or.reduceat(missing & ~blank, starts) | np.logical_and.reduceat(missing, starts)
    if unknown.all():
        return None
    if pa.types.is_integer(target) or pa.types.is_temporal(target) or pa.types.is_floating(target):
        return _of_numbers(bounds, missing, unknown, starts, side)
    return _of_others(bounds, unknown, starts, side)


def _of_numbers(
    bounds: pa.Array, missing: NDArray[np.bool_], unknown: NDArray[np.bool_], starts: NDArray[np.int64], side: str
) -> pa.Array:
    target = plain = bounds.type
    if pa.types.is_temporal(target):
        plain = pa.int32() if target.bit_width == 32 else pa.int64()
        bounds = bounds.view(plain)
    neutral: float
    if pa.types.is_floating(plain):
        neutral = np.inf if side == "min" else -np.inf
    else:
        limits = np.iinfo(plain.to_pandas_dtype())
        neutral = limits.max if side == "min" else limits.min
    numbers = np.array(pc.fill_null(bounds, 0).to_numpy(zero_copy_only=False))
    numbers[missing] = neutral
    reduce: Callable[..., NDArray[np.generic]] = (np.minimum if side == "min" else np.maximum).reduceat
    found = pa.array(reduce(numbers, starts), plain, mask=unknown)
    return found.view(target) if plain is not target else found


def _of_others(bounds: pa.Array, unknown: NDArray[np.bool_], starts: NDArray[np.int64], side: str) -> pa.Array:
    target = bounds.type
    if pa.types.is_fixed_size_binary(target):
        bounds = bounds.cast(pa.binary())
    ends = [*starts[1:].tolist(), len(bounds)]
    extremes = [
        None if skip else pc.min_max(bounds.slice(start, end - start))[side].as_py()
        for start, end, skip in zip(starts.tolist(), ends, unknown.tolist(), strict=True)
    ]
    return pa.array(extremes, target)


def _totals(part: Counts | None, starts: NDArray[np.int64]) -> Counts | None:
    if part is None:
        return None
    known = np.logical_and.reduceat(part >= 0, starts)
    return np.asarray(np.where(known, np.add.reduceat(part, starts), UNKNOWN), np.int64)


def stacked(parts: list[FieldStats], rows: list[int], kind: Primitive) -> FieldStats:
    """Statistics of several things after one another.

    Args:
        parts: of each.
        rows: how many rows each has.
        kind: as in :func:`zones_of`.
    """
    target = arrow_type(kind)

    def bounds(of: list[pa.Array | None]) -> pa.Array | None:
        if target is None or all(array is None for array in of):
            return None
        arrays = [pa.nulls(n, target) if array is None else array for array, n in zip(of, rows, strict=True)]
        return pa.concat_arrays(arrays)

    def counts(of: list[Counts | None]) -> Counts | None:
        if all(array is None for array in of):
            return None
        arrays = [np.full(n, UNKNOWN, np.int64) if array is None else array for array, n in zip(of, rows, strict=True)]
        return np.concatenate(arrays)

    return FieldStats(
        bounds([part.lower for part in parts]),
        bounds([part.upper for part in parts]),
        counts([part.null_count for part in parts]),
        counts([part.nan_count for part in parts]),
        counts([part.value_count for part in parts]),
    )
