"""Count the live contents of a snapshot: from the counts of its manifests, or from entries if they cancel each other.

The figures are additive: files, rows of data files as their writer recorded them, bytes. Deleted rows are not
subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.counts import EntryCounts, LiveCounts, content_bytes, exact_sum
from lakemuster.metadata.snapshot import ManifestHeader, Role

COUNTED = ("record_count", "file_size_in_bytes")
"""The entry columns that :func:`counts_of_entries` needs."""


def counts_of_manifests(
    manifests: Iterable[tuple[Role, ManifestHeader, EntryCounts | None]],
) -> LiveCounts | None:
    """Sum the live files of manifests without cancelling entries; None if the counts of one are unknown."""
    data_files = delete_files = records = size = 0
    for role, header, counts in manifests:
        if role != "manifests":
            continue
        if counts is None or counts.live_bytes is None:
            return None
        size += counts.live_bytes
        if header.content == "deletes":
            delete_files += counts.live_files
        else:
            data_files += counts.live_files
            records += counts.live_rows
    return storable(LiveCounts(data_files, delete_files, records, size))


def counts_of_entries(tables: Sequence[pa.Table], live: Sequence[NDArray[np.bool_]]) -> LiveCounts:
    """Sum the entries of decoded manifests that ``live`` marks; all of them are data files."""
    files = records = size = 0
    for table, keep in zip(tables, live, strict=True):
        files += int(np.count_nonzero(keep))
        records += exact_sum(table.column("record_count").to_numpy()[keep])
        size += exact_sum(content_bytes(table).to_numpy()[keep])
    return LiveCounts(files, 0, records, size)


def storable(counts: LiveCounts) -> LiveCounts | None:
    """Return the counts; None if a damaged or hostile manifest makes one negative or too large for 64 bits."""
    numbers = (counts.data_files, counts.delete_files, counts.records, counts.bytes)
    return counts if all(0 <= number < 2**63 for number in numbers) else None
