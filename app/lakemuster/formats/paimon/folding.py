"""Fold a snapshot's base and delta manifests to live entries: ADDs that no DELETE cancels.

The identity of a file entry is its partition, bucket, level, file name, extra files, embedded index and external
path. ``level`` belongs to it because an upgrade is DELETE and ADD of one name at two levels; extra files and embedded
index because rewriting an index replaces the entry. An entry is added once and deleted at most once, so the order of
entries and of manifests does not matter. If one is added twice all the same, it is live once. A DELETE without its
ADD is not an error and cancels nothing.

Only entries whose file name occurs more than once can cancel or repeat each other; all others are decided by their
name alone. Nothing is compared row by row.

Source: Paimon ``FileEntry.mergeEntries``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.paimon.columns import combine, value_codes
from lakemuster.metadata.files import ADDED, DELETED, PAIMON_COLUMNS, split_column

IDENTITY_COLUMNS = (
    "status",
    "file_name",
    "bucket",
    "level",
    "extra_files",
    "embedded_file_index",
    "external_path",
)
"""The columns that :func:`live_rows` reads, with every ``partition.<id>``."""

Mask = NDArray[np.bool_]


def live_rows(tables: Sequence[pa.Table]) -> list[Mask]:
    """Mark the live entries of the manifests that make up one snapshot.

    Args:
        tables: decoded manifests with (at least) the identity columns and partition columns;
            an absent column is all null.

    Returns:
        One mask per table: True where the entry is an ADD that is not cancelled.
    """
    if not tables:
        return []
    status = _gathered(tables, "status").to_numpy(zero_copy_only=False)
    live: Mask = status == ADDED
    names = value_codes(_gathered(tables, "file_name"))
    repeated = np.flatnonzero(np.bincount(names, minlength=1)[names] > 1)
    if len(repeated):
        identity = _identities(tables, names, repeated)
        standing = live[repeated] & ~np.isin(identity, identity[status[repeated] == DELETED])
        _, first = np.unique(identity[standing], return_index=True)
        live[repeated] = False
        live[repeated[standing][first]] = True
    return np.split(live, np.cumsum([table.num_rows for table in tables])[:-1])


def _identities(tables: Sequence[pa.Table], names: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number per distinct entry among ``rows`` of all tables concatenated."""
    partitions = sorted(
        {name for table in tables for name in table.column_names if (split_column(name) or "")[:1] == ("partition",)}
    )
    own = [name for name in IDENTITY_COLUMNS if name not in ("status", "file_name")]
    codes = [names[rows]]
    for name in (*own, *partitions):
        taken = _gathered(tables, name).take(pa.array(rows))
        if pa.types.is_list(taken.type):
            # File names are not empty and hold no control characters, so distinct lists join to distinct texts.
            taken = pc.binary_join(taken, "\x00")
        codes.append(value_codes(taken))
    return combine(*codes)


def _gathered(tables: Sequence[pa.Table], name: str) -> pa.Array:
    """Return a column of all tables as one array, with 64-bit offsets since the texts can exceed 2 GiB together."""
    form = next((table.schema.field(name).type for table in tables if name in table.column_names), None)
    form = PAIMON_COLUMNS[name] if form is None else form
    wide = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(form, form)
    chunks = []
    for table in tables:
        if name in table.column_names:
            chunks += table.column(name).cast(wide).chunks
        else:
            chunks.append(pa.nulls(table.num_rows, wide))
    return pa.concat_arrays(chunks) if chunks else pa.nulls(0, wide)
