"""Entries of a plan's files: taken from their segment, with what they inherit from their manifest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.index.segments import BATCH_ROWS
from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.columns import flat
from lakemuster.planner.scan.selection import Rows

_SEQUENCE_NUMBERS = ("sequence_number", "file_sequence_number")


def by_batch(rows: Rows, size: int = BATCH_ROWS) -> Iterator[tuple[int, Rows]]:
    """Positions, ascending, those of each batch of the segment together."""
    first, last = int(rows[0]) // size, int(rows[-1]) // size
    if first == last:
        yield first, rows
        return
    edges = [0, *np.searchsorted(rows, np.arange(first + 1, last + 1) * size).tolist(), len(rows)]
    for number, start, end in zip(range(first, last + 1), edges[:-1], edges[1:], strict=True):
        if start < end:
            yield number, rows[start:end]


def take(table: pa.Table, rows: Rows) -> pa.Table:
    """The rows at some positions, ascending."""
    if len(rows) == int(rows[-1]) - int(rows[0]) + 1:
        return table.slice(int(rows[0]), len(rows))
    return table.take(pa.array(rows))


def inherited(entries: pa.Table, header: ManifestHeader, row_ids: pa.Array | None) -> pa.Table:
    """Entries of Iceberg with the snapshot id, sequence numbers and row ids that they inherit.

    Args:
        row_ids: the entries' own or inherited ones; None when there are none.
    """
    filled = _all_added(entries, header)
    if filled is None:
        filled = inherit(entries, replace(header, first_row_id=None))
    if row_ids is None:
        return filled
    field = pa.field("first_row_id", pa.int64())
    if "first_row_id" in filled.column_names:
        return filled.set_column(filled.column_names.index("first_row_id"), field, row_ids)
    return filled.append_column(field, row_ids)


def _all_added(entries: pa.Table, header: ManifestHeader) -> pa.Table | None:
    """As ``inherit``, of entries that a commit added, which leave their numbers to the manifest; None for others."""
    names = entries.column_names
    if header.sequence_number is None or any(name in names for name in _SEQUENCE_NUMBERS):
        return None
    if header.sequence_number and pc.min_max(entries.column("status")) != _ADDED_ONLY:
        return None
    if "snapshot_id" in names:
        snapshot_ids, place = flat(entries.column("snapshot_id")), names.index("snapshot_id")
        if snapshot_ids.null_count:
            return None
    elif header.added_snapshot_id is not None:
        snapshot_ids, place = repeated(header.added_snapshot_id, entries.num_rows), names.index("status")
    else:
        return None
    numbers = repeated(header.sequence_number, entries.num_rows)
    columns, schema = entries.columns, entries.schema
    own = place if "snapshot_id" in names else place + 1
    fields = [pa.field(name, pa.int64()) for name in ("snapshot_id", *_SEQUENCE_NUMBERS)]
    columns[own : place + 1] = [snapshot_ids, numbers, numbers]
    return pa.Table.from_arrays(columns, schema=pa.schema([*list(schema)[:own], *fields, *list(schema)[place + 1 :]]))


_ADDED_ONLY = pa.scalar({"min": ADDED, "max": ADDED}, pa.struct([("min", pa.int8()), ("max", pa.int8())]))


def repeated(value: int, count: int) -> pa.Array:
    """One number over and over, from a few arrays that are kept."""
    return _repeated(value).slice(0, count) if count <= BATCH_ROWS else pa.repeat(pa.scalar(value, pa.int64()), count)


@lru_cache(maxsize=64)
def _repeated(value: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.int64()), BATCH_ROWS)
