"""The system tables ``$manifests``, ``$table_indexes`` and ``$statistics`` of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.table_metadata import ColumnStatistics, parse_statistics
from lakemuster.index import Index
from lakemuster.index.statistics import find_statistics
from lakemuster.metadata.files import ADDED, PAIMON_INDEX_COLUMNS
from lakemuster.metadata.partition import result_type
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.metadata.types import arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import internal_array, single_array
from lakemuster.planner.manifest_list import ENTRY_ROLES, manifest_records, parts
from lakemuster.planner.paimon.system.tables import SystemTable
from lakemuster.planner.paimon.system.texts import cast_texts, listed, partition_texts
from lakemuster.planner.view import View

_COLUMN_STATISTICS = (
    ("colId", "field_id"),
    ("distinctCount", "distinct_count"),
    ("min", "lower"),
    ("max", "upper"),
    ("nullCount", "null_count"),
    ("avgLen", "average_length"),
    ("maxLen", "max_length"),
)


def manifest_table(index: Index, view: View, table: SystemTable) -> pa.Table:
    """Return the manifests of the base, delta and changelog lists, in this order."""
    headers = [record.header for record in manifest_records(index, view) if record.role in ENTRY_ROLES]
    rows = [
        {
            "file_name": header.location.rsplit("/", 1)[-1],
            "file_size": header.length,
            "num_added_files": header.added_files_count,
            "num_deleted_files": header.deleted_files_count,
            "schema_id": header.schema_id,
            "min_row_id": header.min_row_id,
            "max_row_id": header.max_row_id,
        }
        for header in headers
    ]
    found = table.of_rows(rows)
    for name, side in (("min_partition_stats", "lower"), ("max_partition_stats", "upper")):
        texts = _bounds(headers, view, side)
        found = found.set_column(found.schema.get_field_index(name), found.schema.field(name), texts)
    return found


def _bounds(headers: Sequence[ManifestHeader], view: View, side: str) -> pa.Array:
    texts = []
    for field in view.metadata.specs[0].fields:
        of = result_type(field, view.schemas)
        bounds = [
            next((getattr(s, side) for s in header.partitions or () if s.field_id == field.field_id), None)
            for header in headers
        ]
        target = arrow_type(of)
        texts.append(
            pa.nulls(len(headers), pa.string()) if target is None else cast_texts(internal_array(bounds, target), of)
        )
    return listed(texts, len(headers))


def index_table(index: Index, view: View, table: SystemTable) -> pa.Table:
    """Return the index files: hash indexes, deletion vectors, global indexes."""
    pieces = [
        _index_rows(index.segments.open(part.manifest.segment).table(None), view, table)
        for part in parts(index, view, {"index"})
    ]
    return pa.Table.from_batches(pieces, schema=table.schema)


def _index_rows(entries: pa.Table, view: View, table: SystemTable) -> pa.RecordBatch:
    entries = entries.filter(pc.equal(entries.column("status"), ADDED)).combine_chunks()
    own = {
        name: single_array(entries.column(name)) if name in entries.column_names else pa.nulls(entries.num_rows, of)
        for name, of in PAIMON_INDEX_COLUMNS.items()
    }
    covered = own["global_index"]
    found = {name: own[name] for name in ("bucket", "index_type", "file_name", "row_count")}
    found["file_size"] = own["file_size_in_bytes"]
    found["partition"] = partition_texts(entries, view.metadata.specs[0], view.schemas)
    found["dv_ranges"] = _ranges(own["deletion_vectors"], table.schema.field("dv_ranges").type)
    found |= {name: pc.struct_field(covered, name) for name in ("row_range_start", "row_range_end", "index_field_id")}
    found["index_field_name"] = _field_names(covered, view)
    return table.build(found)


def _ranges(vectors: pa.ListArray, target: pa.ListType) -> pa.Array:
    if vectors.null_count == len(vectors):
        return pa.nulls(len(vectors), target)
    entries = vectors.flatten()
    members = [entries.field(position) for position in range(entries.type.num_fields)]
    fields = [target.value_type.field(position) for position in range(4)]
    arrays = []
    for values, field in zip(members, fields, strict=True):
        cast = cast_or_none(values, field.type)
        arrays.append(pa.nulls(len(values), field.type) if cast is None else cast)
    lengths = pc.fill_null(pc.list_value_length(vectors), 0)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths).cast(pa.int32())])
    mask = vectors.is_null() if vectors.null_count else None
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(arrays, fields=fields), type=target, mask=mask)


def _field_names(covered: pa.StructArray, view: View) -> pa.Array:
    names = {field.field_id: field.name for field in view.schemas[0].fields}
    texts = []
    for row in covered.to_pylist():
        ids = [] if row is None else [row["index_field_id"], *(row["extra_field_ids"] or ())]
        known = [names[number] for number in ids if number in names]
        # Like Paimon: null if any of the columns no longer exists.
        texts.append(",".join(known) if ids and len(known) == len(ids) else None)
    return pa.array(texts, pa.string())


def statistics_table(index: Index, view: View, table: SystemTable) -> pa.Table:
    """Return the statistics that ``ANALYZE TABLE`` wrote for the snapshot; no row if it has no readable file."""
    name = statistics_name(view)
    document = None
    if name is not None:
        with index.database.reading() as session:
            document = find_statistics(session, view.table.table_id, name)
    if not document:
        return table.of_rows([])
    try:
        found = parse_statistics(document)
    except MetadataCorrupt:
        return table.of_rows([])
    row = {
        "snapshot_id": found.snapshot_id,
        "schema_id": found.schema_id,
        "mergedRecordCount": found.merged_record_count,
        "mergedRecordSize": found.merged_record_size,
        "colstat": _column_statistics(found.columns),
    }
    return table.of_rows([row])


def statistics_name(view: View) -> str | None:
    """Return the name of the snapshot's statistics file; None if it has none."""
    name = None if view.snapshot is None else view.snapshot.snapshot.extra.get("statistics")
    return name if isinstance(name, str) else None


def _column_statistics(columns: Mapping[str, ColumnStatistics]) -> str:
    """Return the statistics as JSON, formatted like Jackson's."""
    document = {
        name: {key: value for key, member in _COLUMN_STATISTICS if (value := getattr(column, member)) is not None}
        for name, column in columns.items()
    }
    return json.dumps(document, ensure_ascii=False, indent=2, separators=(",", " : ")) if document else "{ }"
