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
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites


def manifest_table(records: Sequence[ManifestRecord], view: View) -> pa.Table:
    """Return one row per manifest, in list order."""
    rewrites = Rewrites(view.table.rewrites)
    columns: dict[str, pa.Array] = {
        "manifest_path": pa.array([rewrites.apply(record.header.location) for record in records], pa.string())
    }
    for name, (kind, value) in LIST_RULES.of(view.table).manifest_columns.items():
        columns[name] = pa.array([value(record) for record in records], kind)
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
