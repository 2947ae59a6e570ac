"""Rows of a snapshot's manifest lists, with typed partition bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from lakemuster.index.snapshots import ManifestRecord
from lakemuster.metadata.files import typed_field
from lakemuster.metadata.partition import result_type
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.columns import internal_array, sparse, struct
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

_COMMON: dict[str, tuple[pa.DataType, Callable[[ManifestHeader], object]]] = {
    "manifest_length": (pa.int64(), lambda header: header.length),
    "partition_spec_id": (pa.int32(), lambda header: header.spec_id),
    "content": (pa.string(), lambda header: header.content),
    "sequence_number": (pa.int64(), lambda header: header.sequence_number),
    "min_sequence_number": (pa.int64(), lambda header: header.min_sequence_number),
    "added_snapshot_id": (pa.int64(), lambda header: header.added_snapshot_id),
    "added_files_count": (pa.int64(), lambda header: header.added_files_count),
    "existing_files_count": (pa.int64(), lambda header: header.existing_files_count),
    "deleted_files_count": (pa.int64(), lambda header: header.deleted_files_count),
    "added_rows_count": (pa.int64(), lambda header: header.added_rows_count),
    "existing_rows_count": (pa.int64(), lambda header: header.existing_rows_count),
    "deleted_rows_count": (pa.int64(), lambda header: header.deleted_rows_count),
    "key_metadata": (pa.binary(), lambda header: header.key_metadata),
    "first_row_id": (pa.int64(), lambda header: header.first_row_id),
}
_PAIMON: dict[str, tuple[pa.DataType, Callable[[ManifestHeader], object]]] = {
    "manifest_length": _COMMON["manifest_length"],
    "content": _COMMON["content"],
    "added_files_count": _COMMON["added_files_count"],
    "deleted_files_count": _COMMON["deleted_files_count"],
    "schema_id": (pa.int64(), lambda header: header.schema_id),
    "min_bucket": (pa.int32(), lambda header: header.min_bucket),
    "max_bucket": (pa.int32(), lambda header: header.max_bucket),
    "min_level": (pa.int32(), lambda header: header.min_level),
    "max_level": (pa.int32(), lambda header: header.max_level),
    "min_row_id": (pa.int64(), lambda header: header.min_row_id),
    "max_row_id": (pa.int64(), lambda header: header.max_row_id),
    "total_buckets": (pa.int32(), lambda header: header.total_buckets),
    "extra_files": (pa.list_(pa.string()), lambda header: header.extra_files),
}


def manifest_table(records: Sequence[ManifestRecord], view: View) -> pa.Table:
    """Return one row per manifest, in list order; Paimon's name their list (base, delta, changelog, index)."""
    rewrites = Rewrites(view.table.rewrites)
    paimon = view.table.format == "paimon"
    columns: dict[str, pa.Array] = {
        "manifest_path": pa.array([rewrites.apply(record.header.location) for record in records], pa.string())
    }
    if paimon:
        columns["list"] = pa.array([record.role for record in records], pa.string())
    for name, (kind, value) in (_PAIMON if paimon else _COMMON).items():
        columns[name] = pa.array([value(record.header) for record in records], kind)
    partitions = _partitions([record.header for record in records], view)
    fields = [pa.field(name, array.type) for name, array in columns.items()]
    fields.insert(2, sparse("partitions", partitions.type))
    arrays = list(columns.values())
    arrays.insert(2, partitions)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _partitions(headers: Sequence[ManifestHeader], view: View) -> pa.Array:
    arrays, fields = [], []
    for spec_field in {f.field_id: f for spec in view.metadata.specs for f in spec.fields}.values():
        of = result_type(spec_field, view.schemas)
        summaries = [_summary(header, spec_field.field_id) for header in headers]
        summary = _summary_array(summaries, of)
        arrays.append(summary)
        fields.append(pa.field(spec_field.name, summary.type))
    return struct(arrays, fields, len(headers))


def _summary(header: ManifestHeader, field_id: int) -> PartitionFieldSummary | None:
    return next((summary for summary in header.partitions or () if summary.field_id == field_id), None)


def _summary_array(summaries: Sequence[PartitionFieldSummary | None], of: Primitive) -> pa.Array:
    bounds = arrow_type(of)

    def column(kind: pa.DataType, value: Callable[[PartitionFieldSummary], object]) -> pa.Array:
        return pa.array([None if summary is None else value(summary) for summary in summaries], kind)

    def bound(
        value: Callable[[PartitionFieldSummary], object], raw: Callable[[PartitionFieldSummary], object]
    ) -> pa.Array:
        if bounds is None:
            return column(pa.binary(), raw)
        return internal_array([None if summary is None else value(summary) for summary in summaries], bounds)

    members = {
        "contains_null": column(pa.bool_(), lambda summary: summary.contains_null),
        "contains_nan": column(pa.bool_(), lambda summary: summary.contains_nan),
        "null_count": column(pa.int64(), lambda summary: summary.null_count),
        "lower_bound": bound(lambda summary: summary.lower, lambda summary: summary.lower_raw),
        "upper_bound": bound(lambda summary: summary.upper, lambda summary: summary.upper_raw),
    }
    fields = [
        typed_field(name, array.type, of.text if name.endswith("bound") else "") for name, array in members.items()
    ]
    absent = pa.array([summary is None for summary in summaries], pa.bool_())
    return pa.StructArray.from_arrays(list(members.values()), fields=fields, mask=absent)
