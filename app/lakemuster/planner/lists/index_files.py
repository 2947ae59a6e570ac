"""Rows of Paimon's index manifest: one for each index file."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.paths import index_file_paths
from lakemuster.metadata.files import ADDED, PAIMON_INDEX_COLUMNS
from lakemuster.planner.columns import partition_names, partition_struct, partition_type, single_array
from lakemuster.planner.rows import conform
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

_OWN = tuple(name for name in PAIMON_INDEX_COLUMNS if name not in ("status", "bucket", "index_type", "file_name"))


def schema(view: View) -> pa.Schema:
    """Return the columns of the rows."""
    return pa.schema(
        [
            pa.field("index_type", pa.string()),
            pa.field("file_path", pa.string()),
            pa.field("file_name", pa.string()),
            pa.field("partition", partition_type(view.metadata.specs, view.schemas)),
            pa.field("bucket", pa.int32()),
            *(pa.field(name, PAIMON_INDEX_COLUMNS[name]) for name in _OWN),
        ]
    )


def index_rows(table: pa.Table, view: View) -> pa.Table:
    """Return the rows of one index manifest, which is a complete list: all of its entries are ADD."""
    table = table.filter(pc.equal(table.column("status"), ADDED))
    names = partition_names(view.metadata.specs)
    paths = index_file_paths(table, view.metadata.location, view.metadata, view.schemas)
    columns = {
        "file_path": Rewrites(view.table.rewrites).apply_array(paths),
        "partition": partition_struct(table, view.metadata.specs[0], names),
    }
    target = schema(view)
    arrays = [
        columns[field.name]
        if field.name in columns
        else single_array(table.column(field.name))
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in target
    ]
    batch = pa.RecordBatch.from_arrays(arrays, names=target.names)
    return pa.Table.from_batches([conform(batch, target)])
