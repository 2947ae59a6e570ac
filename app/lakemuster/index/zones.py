"""Zones: combined statistics of many neighbouring entries, so that most entries need not be read.

A segment stores the zones of all its fields at its end, where they can be read without opening the segment.

Source: ARCHITECTURE.md, "Words".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import column, split_column
from lakemuster.metadata.numbers import order_type

ZONE_ROWS = 1024
"""Number of entries in a zone."""

ROWS = "rows"
"""The column that holds the number of entries in each zone."""

SIZE = b"lakemuster.zone_rows"
"""Metadata key of a segment's zones: the number of entries in each; the last zone of a manifest may have fewer."""

SCHEMA_ID = b"lakemuster.schema_id"
"""Metadata key, Paimon: the id of the schema with which all files were written, with all columns; else absent."""

PARTITION, KEY = "partition_", "key_"
"""Name prefixes of the zone columns of partition fields, and of Paimon's keys."""

Counts = NDArray[np.int64]
Narrow = NDArray[np.signedinteger]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

_UNKNOWN = _NONE = -1
_COUNTS = ("null_count", "nan_count", "value_count")
_KINDS = {
    "partition": (PARTITION, "lower"),
    **{part: ("", part) for part in ("lower", "upper", *_COUNTS)},
    **{KEY + part: (KEY, part) for part in ("lower", "upper", "null_count")},
}
"""Kinds of segment columns: the prefix of their zone columns' names, and the statistic that they hold."""


class Summary(NamedTuple):
    """Statistics of one field for N entries, or for Z zones: a zone's bounds enclose its entries', its counts are sums.

    A statistic that is missing everywhere is None; a single missing bound is null, a missing count negative.
    """

    lower: pa.Array | None = None
    upper: pa.Array | None = None
    null_count: Narrow | None = None
    nan_count: Narrow | None = None
    value_count: Narrow | None = None


def zone_count(rows: int, size: int = ZONE_ROWS) -> int:
    """Return the number of zones for ``rows`` entries."""
    return -(-rows // size)


def zone_starts(rows: Sequence[int], size: int = ZONE_ROWS) -> Places:
    """Return the positions, of shape (Z,), of the entries at which zones begin.

    Args:
        rows: number of entries of each manifest; no zone spans two manifests.
        size: number of entries of a zone; the last zone of a manifest may have fewer.
    """
    firsts = np.cumsum([0, *rows]).tolist()
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(a, b, size) for a, b in pairwise(firsts))])


def zoned(stats: Summary, starts: Places) -> Summary:
    """Aggregate one field's statistics by zone.

    An entry without a bound makes its zone's bound unknown, unless the entry has only nulls.

    Args:
        stats: statistics of at least one entry.
        starts: the positions at which zones begin.
    """
    values, nulls = stats.value_count, stats.null_count
    # A file with a value count of 0 proves nothing, so its zone's total must be unknown, too.
    proving = values if values is None or values.all() else np.where(values == 0, _UNKNOWN, values)

    def blank() -> Mask | None:
        return None if values is None or nulls is None else np.asarray((values > 0) & (nulls == values))

    return Summary(
        _extremes(stats.lower, blank, starts, np.minimum),
        _extremes(stats.upper, blank, starts, np.maximum),
        _totals(nulls, starts),
        _totals(stats.nan_count, starts),
        _totals(proving, starts),
    )


def _extremes(
    bounds: pa.Array | None, blank: Callable[[], Mask | None], starts: Places, reduce: np.ufunc
) -> pa.Array | None:
    if bounds is None or bounds.null_count == len(bounds):
        return None
    missing = _missing(bounds)
    unknown: Mask | None = None
    if missing is not None:
        unproven = missing if (known := blank()) is None else missing & ~known
        unknown = np.logical_or.reduceat(unproven, starts) | np.logical_and.reduceat(missing, starts)
        if unknown.all():
            return None
    of = bounds.type
    if (width := order_type(of)) is not None:
        return _of_numbers(bounds, width, missing, unknown, starts, reduce)
    if pa.types.is_boolean(of):
        return _of_numbers(bounds.cast(pa.int8()), np.dtype(np.int8), missing, unknown, starts, reduce).cast(of)
    if pa.types.is_fixed_size_binary(of):
        return _of_others(bounds.cast(pa.binary()), unknown, starts, reduce).cast(of)
    return _of_others(bounds, unknown, starts, reduce)


def _missing(bounds: pa.Array) -> Mask | None:
    """Return a mask of the bounds that are missing or NaN; None if none is."""
    if pa.types.is_floating(bounds.type):
        missing = np.isnan(bounds.to_numpy(zero_copy_only=False))
        return missing if missing.any() else None
    return np.asarray(bounds.is_null().to_numpy(zero_copy_only=False)) if bounds.null_count else None


def _of_numbers(
    bounds: pa.Array,
    width: np.dtype[Any],
    missing: Mask | None,
    unknown: Mask | None,
    starts: Places,
    reduce: np.ufunc,
) -> pa.Array:
    of = bounds.type
    words = of.bit_width // 8 // width.itemsize
    held = np.frombuffer(bounds.buffers()[1], width)[words * bounds.offset : words * (bounds.offset + len(bounds))]
    numbers = held[::words]
    if width.kind == "f":
        numbers = _ordered(numbers.view(f"i{width.itemsize}"))
    if missing is not None:
        ends = np.iinfo(numbers.dtype)
        numbers = np.where(missing, numbers.dtype.type(ends.max if reduce is np.minimum else ends.min), numbers)
    found = reduce.reduceat(numbers, starts)
    if width.kind == "f":
        found = _ordered(found)
    if unknown is not None:
        found[unknown] = 0
    if words > 1:
        found = np.stack([found, found >> 63], axis=1)
    known = None if unknown is None else pa.py_buffer(np.packbits(~unknown, bitorder="little"))
    return pa.Array.from_buffers(of, len(starts), [known, pa.py_buffer(found)])


def _ordered(bits: Narrow) -> Narrow:
    """Map the bits of floats to integers of the same order, with -0 before 0; its own inverse."""
    return np.asarray(bits ^ ((bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max))


def _of_others(bounds: pa.Array, unknown: Mask | None, starts: Places, reduce: np.ufunc) -> pa.Array:
    side = "min" if reduce is np.minimum else "max"
    skipped = [False] * len(starts) if unknown is None else unknown.tolist()
    extremes = [
        None if skip else pc.min_max(bounds.slice(start, end - start))[side].as_py()
        for (start, end), skip in zip(pairwise([*starts.tolist(), len(bounds)]), skipped, strict=True)
    ]
    return pa.array(extremes, bounds.type)


def _totals(part: Narrow | None, starts: Places) -> Counts | None:
    if part is None:
        return None
    totals = np.add.reduceat(part, starts, dtype=np.int64)
    if part.min() >= 0:
        return np.asarray(totals)
    return np.asarray(np.where(np.logical_and.reduceat(part >= 0, starts), totals, _UNKNOWN))


def segment_zones(table: pa.Table, manifest_rows: Sequence[int], size: int = ZONE_ROWS) -> pa.RecordBatch:
    """Return the zones of all fields of a segment, one row per zone.

    The columns are ``rows``; for each column ``lower.<id>``, ``upper.<id>``, ``null_count.<id>``, ``nan_count.<id>``
    and ``value_count.<id>``, unless nothing is known; for each partition field with values the same with the prefix
    ``partition_``, except the value count, which is ``rows``. Paimon: the value count is the files' row count, and
    statistics of keys have the prefix ``key_``. Columns of several types are omitted.

    Args:
        table: the segment's entries, in the form of ``metadata.files``.
        manifest_rows: number of entries of each manifest in the segment.
    """
    starts, metadata = zone_starts(manifest_rows, size), {SIZE: b"%d" % size}
    if (schema_id := _schema_id(table)) is not None:
        metadata[SCHEMA_ID] = b"%d" % schema_id
    names, parts = [ROWS], [pa.array(np.diff(starts, append=table.num_rows), pa.int64())]
    for name, values in _zones_of(table, starts) if len(starts) else ():
        if name and values is not None:
            names.append(name)
            parts.append(values)
    return pa.record_batch(parts, names, metadata=metadata)


class _Recorded(NamedTuple):
    """The statistics columns of a schema by field, in the order of its columns.

    Attributes:
        fields: (F, 5) positions of the columns of each field's lower and upper bounds and counts, or ``_NONE``. Counts
            of partition fields are computed.
        names: (F * 5) names of their zone columns; empty for omitted ones.
        partitions: positions of the partition fields in ``fields``.
    """

    fields: Places
    names: list[str]
    partitions: list[int]


@lru_cache(maxsize=16)
def _recorded(schema: bytes) -> _Recorded:
    """Return the statistics columns of a serialized schema, cached: most manifests of a table have the same schema."""
    columns = pa.ipc.read_schema(pa.py_buffer(schema)).names
    own: dict[tuple[str, int], dict[str, int]] = {}
    several = set()
    for number, name in enumerate(columns):
        kind, field_id, text = split_column(name) or ("", 0, "")
        if (known := _KINDS.get(kind)) is not None:
            prefix, part = known
            own.setdefault((prefix, field_id), {})[part] = number
        if text:
            several.add(field_id)
    values_of_all = {"value_count": columns.index("record_count")} if "schema_id" in columns else {}
    fields: list[list[int]] = []
    names: list[str] = []
    partitions = []
    for (prefix, field_id), found in own.items():
        if prefix == PARTITION:
            partitions.append(len(fields))
            fields.append([found["lower"], found["lower"], *[_NONE] * len(_COUNTS)])
            names += [*(column(prefix + part, field_id) for part in Summary._fields[:-1]), ""]
        elif field_id not in several:
            parts = found | values_of_all
            fields.append([parts.get(part, _NONE) for part in Summary._fields])
            names += [column(prefix + part, field_id) for part in Summary._fields]
    return _Recorded(np.array(fields, np.int64).reshape(-1, len(Summary._fields)), names, partitions)


def _zones_of(table: pa.Table, starts: Places) -> Iterable[tuple[str, pa.Array | None]]:
    """Yield the zone columns except ``rows``; None for a column whose values are all unknown."""
    recorded = _recorded(table.schema.remove_metadata().serialize().to_pybytes())
    partitions = [of_partitions(_flat(table.column(int(recorded.fields[at, 0])))) for at in recorded.partitions]
    of_partition = dict(zip(recorded.partitions, partitions, strict=True))
    stats = [of_partition.get(at) or _summary(table, places) for at, places in enumerate(recorded.fields)]
    parts = [None if part is None else pa.array(part) for own in stats for part in zoned(own, starts)]
    return zip(recorded.names, parts, strict=True)


def _summary(table: pa.Table, places: Places) -> Summary:
    lower, upper, *counted = [None if place < 0 else _flat(table.column(place)) for place in places.tolist()]
    return Summary(lower, upper, *(None if part is None else _numbers(part) for part in counted))


def _schema_id(table: pa.Table) -> int | None:
    """Return the id of the schema with which all files were written, with all of its columns; None if there is none."""
    if table.schema.get_field_index("schema_id") < 0 or not table.num_rows:
        return None
    least, most = pc.min_max(table.column("schema_id")).values()
    written = table.column("write_cols") if table.schema.get_field_index("write_cols") >= 0 else None
    is_whole = written is None or written.null_count == len(written)
    if table.column("schema_id").null_count or least != most or not is_whole:
        return None
    return int(least.as_py())


def of_partitions(values: pa.Array) -> Summary:
    """Return the partition values of N entries as exact statistics, one value each."""
    one, none = np.ones(len(values), np.int64), np.zeros(len(values), np.int64)
    nulls = np.asarray(values.is_null().to_numpy(zero_copy_only=False), np.int64) if values.null_count else none
    nans = none
    if pa.types.is_floating(values.type):
        nans = np.asarray(pc.fill_null(pc.is_nan(values), False).to_numpy(zero_copy_only=False), np.int64)
    return Summary(values, values, nulls, nans, one)


def counts(array: pa.Array) -> Counts:
    """Return counts as integers; missing ones are negative."""
    return np.asarray(_numbers(array), np.int64)


def _numbers(array: pa.Array) -> Narrow:
    if array.null_count:
        array = pc.fill_null(array, _UNKNOWN)
    return np.asarray(array.to_numpy(zero_copy_only=False))


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
