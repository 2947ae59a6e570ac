"""Match a plan's data files with their delete files.

Where a plan has most files of a batch, the matches of the whole batch are computed once and cached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import LimitExceeded
from lakemuster.planner.deletes.deletes import DeleteIndex
from lakemuster.planner.inherited import inherited
from lakemuster.planner.scan.packs import pack_cache
from lakemuster.planner.scan.planned_entries import BatchFiles
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import RowNumbers

LEAST, MOST = 1024, 1 / 4
"""Minimum files of a batch, and minimum fraction of its entries, for which the whole batch is matched and cached."""

MatchingDeletes = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Offsets (N + 1,) and numbers of delete files, as :meth:`DeleteIndex.match` returns them."""


def matching_deletes(
    scan: ScanIndex, index: DeleteIndex, group: Sequence[BatchFiles], entries: Callable[[], pa.Table]
) -> MatchingDeletes:
    """Return the delete files of some data files.

    Args:
        group: the batches of segments that hold the files.
        entries: reads their entries, inherited fields filled in; not called if all members have matched batches.
    """
    spec_id = group[0].spec.spec_id
    known = [_of_batch(scan, index, member) if len(member.rows) >= LEAST else None for member in group]
    if not any(known):
        return index.match(spec_id, entries())
    found, at = [], 0
    for member, own in zip(group, known, strict=True):
        found.append(own or index.match(spec_id, entries().slice(at, len(member.rows))))
        at += len(member.rows)
    return _joined(found)


def _of_batch(scan: ScanIndex, index: DeleteIndex, member: BatchFiles) -> MatchingDeletes | None:
    """Return a member's part of its whole batch's matches; None if the part is too small, or the batch has too many."""
    spec, rows, batch = member.spec, member.rows, member.columns.batch
    count = batch.num_rows
    if len(rows) < MOST * count:
        return None

    def make() -> MatchingDeletes:
        parts = spec.parts_of(np.arange(member.first, member.first + count))
        return index.match(spec.spec_id, pa.Table.from_batches([inherited(batch, spec.inheritance, parts)]))

    try:
        found: MatchingDeletes = pack_cache.get_or_make((scan.cache_key, member.segment, member.batch), make)
    except LimitExceeded:
        return None
    return found if len(rows) == count else _of_rows(found, rows)


def _of_rows(found: MatchingDeletes, rows: RowNumbers) -> MatchingDeletes:
    offsets, numbers = found
    starts = offsets[rows]
    counts = offsets[rows + 1] - starts
    ends = np.cumsum(counts)
    places = np.arange(int(counts.sum())) + np.repeat(starts - (ends - counts), counts)
    return np.concatenate([np.zeros(1, np.int64), ends]), numbers[places]


def _joined(found: Sequence[MatchingDeletes]) -> MatchingDeletes:
    if len(found) == 1:
        return found[0]
    counts = np.concatenate([np.diff(offsets) for offsets, _ in found])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return offsets, np.concatenate([numbers for _, numbers in found])
