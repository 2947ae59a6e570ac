"""Zone statistics for pruning: read from the end of segments, or computed from entries.

Source: ARCHITECTURE.md, "Where state is".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lakemuster.index.zone_block import Zones
from lakemuster.index.zones import PARTITION, ROWS, SIZE, ZONE_ROWS, Summary, counts, zone_starts, zoned
from lakemuster.metadata.files import column
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, FieldStats

_WIDER = {pa.int32(): pa.int64(), pa.float32(): pa.float64()}
"""Types that a column may be promoted to, in which its values keep their order."""


def zones_of(stats: FieldStats | None, kind: Primitive, rows: Sequence[int], size: int = ZONE_ROWS) -> FieldStats:
    """Compute one field's statistics zone by zone: limits of the bounds of each zone's entries.

    An entry without a bound makes its zone's bound unknown, unless the entry holds only nulls.

    Args:
        stats: the statistics of all entries; None when nothing was recorded.
        kind: the type that a predicate takes the field to have.
        rows: how many entries each manifest has; no zone spans two manifests.
        size: entries of a zone; the last of a manifest may have fewer.
    """
    target = arrow_type(kind)
    starts = zone_starts(rows, size)
    if stats is None or target is None or not len(starts):
        return FieldStats()
    lower, upper = (None if of is None else cast_or_none(of, target) for of in (stats.lower, stats.upper))
    return FieldStats(*zoned(Summary(lower, upper, stats.null_count, stats.nan_count, stats.value_count), starts))


def written_zones(zones: Zones | pa.RecordBatch, prefix: str, field_id: int, kind: Primitive) -> FieldStats | None:
    """Return what :func:`zones_of` would compute for one field, from the zones that a segment was written with.

    Args:
        zones: as from :func:`~lakemuster.index.zones.segment_zones`.
        prefix: the prefix of the names of their columns.

    Returns:
        None where they cannot be used: they are of another size, or the field was promoted to a type in which its
        bounds may have another order.
    """
    target, schema = arrow_type(kind), zones.schema
    if target is None or (schema.metadata or {}).get(SIZE) != b"%d" % ZONE_ROWS:
        return None

    def bounds(name: str) -> pa.Array | None:
        place = schema.get_field_index(column(prefix + name, field_id))
        return None if place < 0 else zones.column(place)

    def counted(name: str) -> Counts | None:
        place = schema.get_field_index(name)
        if place < 0:
            return None
        return zones.counts(place) if isinstance(zones, Zones) else counts(zones.column(place))

    lower, upper = bounds("lower"), bounds("upper")
    for side in (lower, upper):
        if side is not None and side.type != target and _WIDER.get(side.type) != target:
            return None
    lower, upper = (None if side is None else cast_or_none(side, target) for side in (lower, upper))
    nulls, nans = (counted(column(prefix + name, field_id)) for name in ("null_count", "nan_count"))
    if prefix != PARTITION:
        return FieldStats(lower, upper, nulls, nans, counted(column(prefix + "value_count", field_id)))
    rows = counted(ROWS)
    assert rows is not None
    if nulls is None:
        return FieldStats(None, None, rows, np.zeros(len(rows), np.int64), rows)  # only nulls
    return FieldStats(lower, upper, nulls, nans, rows)


def stacked(parts: list[FieldStats], rows: list[int], kind: Primitive) -> FieldStats:
    """Concatenate statistics.

    Args:
        parts: the statistics of one field.
        rows: the number of rows of each.
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
