"""``$partitions`` and ``$buckets``: sums over the files of each partition or bucket.

As in Paimon, the sums cover all entries of base and delta: added minus deleted. The last update is the creation
of the newest file that the manifests list, even a deleted one. ``total_buckets`` is taken from the last entry. Values
that only a catalog has (``created_at`` and the like) are null, and ``done`` is false.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.partition_names import DEFAULT_NAME
from lakemuster.index import Index
from lakemuster.index.segment_files import Segment
from lakemuster.metadata.files import ADDED, PAIMON_COLUMNS
from lakemuster.planner.columns import single_array
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.paimon.system.tables import SystemTable
from lakemuster.planner.paimon.system.texts import cast_texts, internal_texts, listed, partition_columns
from lakemuster.planner.view import View

_SUMMED = ("record_count", "file_size_in_bytes", "file_count")
_VECTORS = "DELETION_VECTORS"


def partition_sums(index: Index, view: View) -> pa.Table:
    """Return the sums of each partition that has files; partition values in columns ``partition.<field id>``."""
    return _summed(index, view, ())


def bucket_table(index: Index, view: View, table: SystemTable) -> pa.Table:
    """Return one row per partition and bucket that has files, sorted by partition text and bucket."""
    sums = _summed(index, view, ("bucket",))
    columns = partition_columns(sums, view.metadata.specs[0], view.schemas)
    texts = listed([cast_texts(values, of) for _, of, values in columns], sums.num_rows)
    found = {"partition": texts, **{name: single_array(sums.column(name)) for name in sums.column_names}}
    return _sorted(table, found, ["partition", "bucket"])


def partition_table(index: Index, view: View, table: SystemTable) -> pa.Table:
    """Return one row per partition that has files, sorted by partition text."""
    sums = partition_sums(index, view)
    options = dict(max(view.schemas, key=lambda schema: schema.schema_id).options)
    default = options.get("partition.default-name", DEFAULT_NAME)
    columns = partition_columns(sums, view.metadata.specs[0], view.schemas)
    pieces = [_named(name, pc.fill_null(_blank(cast_texts(values, of)), default)) for name, of, values in columns]
    count = sums.num_rows
    found = {name: single_array(sums.column(name)) for name in sums.column_names}
    found["partition"] = pc.binary_join_element_wise(*pieces, "/") if pieces else pa.repeat(pa.scalar(""), count)
    found |= {name: pa.nulls(count, table.schema.field(name).type) for name in ("created_at", "created_by")}
    found |= {name: pa.nulls(count, pa.string()) for name in ("updated_by", "options")}
    found["done"] = pa.repeat(pa.scalar(False), count)
    has_vectors = options.get("deletion-vectors.enabled", "false").strip().lower() == "true"
    zeros = pa.repeat(pa.scalar(0, pa.int64()), count)
    found["deleted_record_count"] = _deleted(index, view, sums) if has_vectors else zeros
    return _sorted(table, found, ["partition"])


def _blank(texts: pa.Array) -> pa.Array:
    # A blank value has the same directory as null, and is read back from it as null.
    return pc.if_else(pc.equal(pc.utf8_trim_whitespace(texts), ""), pa.scalar(None, pa.string()), texts)


def _named(name: str, texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(f"{name}=", texts, "")


def _sorted(table: SystemTable, found: dict[str, pa.Array], by: list[str]) -> pa.Table:
    rows = pa.Table.from_batches([table.build(found)])
    return rows.sort_by([(name, "ascending") for name in by]).combine_chunks()


def _summed(index: Index, view: View, by: tuple[str, ...]) -> pa.Table:
    """Sum by partition (columns ``partition.<id>``) and ``by``; groups without files are left out."""
    keys = [*_partition_names(view), *by]
    pieces = [_signed(index.segments.open(part.manifest.segment), view) for part in parts(index, view, LIVE_ROLES)]
    entries = pa.concat_tables([_signed(None, view), *pieces])
    if not keys:
        # Arrow needs a column to group by.
        keys, entries = ["all"], entries.append_column("all", pa.repeat(pa.scalar(0), entries.num_rows))
    kinds = [*((name, "sum") for name in _SUMMED), ("last_update_time", "max"), ("total_buckets", "last")]
    grouped = entries.group_by(keys, use_threads=False).aggregate(kinds)
    names = {f"{name}_{kind}": name for name, kind in kinds}
    grouped = grouped.rename_columns([names.get(name, name) for name in grouped.column_names])
    return grouped.filter(pc.greater(grouped.column("file_count"), 0)).combine_chunks()


def _signed(segment: Segment | None, view: View) -> pa.Table:
    """Return a manifest's entries with the signed amounts that each adds; an empty table without a segment."""
    names = ("status", "bucket", "total_buckets", "record_count", "file_size_in_bytes", "creation_time")
    if segment is None:
        table = pa.table({name: pa.array([], PAIMON_COLUMNS[name]) for name in names})
    else:
        present = segment.schema.names
        table = segment.table([name for name in present if name in names or name.startswith("partition.")])
    count = table.num_rows
    own = {
        name: single_array(table.column(name)) if name in table.column_names else pa.nulls(count, PAIMON_COLUMNS[name])
        for name in names
    }
    sign = pc.if_else(pc.equal(own["status"], ADDED), pa.scalar(1, pa.int64()), pa.scalar(-1, pa.int64()))
    values = [array for _, _, array in partition_columns(table, view.metadata.specs[0], view.schemas)]
    columns = dict(zip(_partition_names(view), values, strict=True))
    columns["bucket"], columns["total_buckets"] = own["bucket"], own["total_buckets"]
    columns |= {name: pc.multiply(own[name], sign) for name in ("record_count", "file_size_in_bytes")}
    columns["file_count"], columns["last_update_time"] = sign, own["creation_time"]
    return pa.table(columns)


def _partition_names(view: View) -> list[str]:
    return [f"partition.{field.field_id}" for field in view.metadata.specs[0].fields]


def _deleted(index: Index, view: View, sums: pa.Table) -> pa.Array:
    """Count the rows that deletion vectors mark, by partition; null where a vector records no cardinality."""
    found: dict[tuple[object, ...], int | None] = {}
    for part in parts(index, view, {"index"}):
        table = index.segments.open(part.manifest.segment).table(None)
        table = table.filter(pc.and_(pc.equal(table.column("status"), ADDED), _are_vectors(table)))
        ranges = (
            table.column("deletion_vectors").to_pylist()
            if "deletion_vectors" in table.column_names
            else [None] * table.num_rows
        )
        for key, vectors in zip(_keys(table, view), ranges, strict=True):
            counts = [vector["cardinality"] for vector in vectors or ()]
            before = found.get(key, 0)
            found[key] = None if before is None or None in counts else before + sum(counts)
    return pa.array([found.get(key, 0) for key in _keys(sums, view)], pa.int64())


def _are_vectors(table: pa.Table) -> pa.ChunkedArray:
    return pc.equal(table.column("index_type"), _VECTORS)


def _keys(table: pa.Table, view: View) -> list[tuple[object, ...]]:
    columns = partition_columns(table, view.metadata.specs[0], view.schemas)
    values = [internal_texts(array, of).to_pylist() for _, of, array in columns]
    return list(zip(*values, strict=True)) if values else [()] * table.num_rows
