"""Rows of a snapshot's partitions: sums over the live files of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.files import DATA, EQUALITY_DELETES, INSTANT, POSITION_DELETES, typed_field
from lakemuster.planner.columns import partition_names, partition_struct, partition_type, single_array, struct
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import conform
from lakemuster.planner.view import View

_SUMS = (
    "record_count",
    "file_count",
    "total_data_file_size_in_bytes",
    "position_delete_record_count",
    "position_delete_file_count",
    "equality_delete_record_count",
    "equality_delete_file_count",
)


def partition_table(files: Iterable[tuple[ManifestPart, pa.Table]], view: View, times: Mapping[int, int]) -> pa.Table:
    """Sum files, records and bytes by partition and spec, and find the last update of each.

    An unpartitioned table has one row with an empty partition.

    Args:
        files: live entries, in the segments' shape, each with its manifest.
        times: the commit time of each snapshot, in milliseconds since the Unix epoch.
    """
    target = partition_type(view.metadata.specs, view.schemas)
    pieces = [_summed(_files(part, table, view, target, times), target) for part, table in files]
    filled = [piece for piece in pieces if piece.num_rows]
    if not filled:
        return _finished(_files_schema(target, view).empty_table(), target, view)
    return _finished(_summed(pa.concat_tables(filled), target), target, view)


def _value_names(target: pa.DataType) -> list[str]:
    return [f"value {index}" for index in range(target.num_fields)]


def _files_schema(target: pa.DataType, view: View) -> pa.Schema:
    moment = LIST_RULES.of(view.table).partition_updates.order_type
    return pa.schema(
        [
            *(pa.field(name, target.field(index).type) for index, name in enumerate(_value_names(target))),
            pa.field("spec_id", pa.int32()),
            *(pa.field(name, pa.int64()) for name in _SUMS),
            pa.field("order", moment),
            pa.field("snapshot_id", pa.int64()),
        ]
    )


def _files(part: ManifestPart, table: pa.Table, view: View, target: pa.DataType, times: Mapping[int, int]) -> pa.Table:
    count, header = table.num_rows, part.manifest.header
    spec = next((spec for spec in view.metadata.specs if spec.spec_id == header.spec_id), None)
    own = partition_struct(table, spec, partition_names(view.metadata.specs))
    whole = conform(pa.RecordBatch.from_arrays([own], names=["p"]), pa.schema([pa.field("p", target)])).column(0)
    records = single_array(table.column("record_count"))
    sizes = single_array(table.column("file_size_in_bytes"))
    zeros = pa.repeat(pa.scalar(0, pa.int64()), count)
    if "content" in table.column_names:
        content = pc.fill_null(single_array(table.column("content")), DATA)
    else:
        content = pa.repeat(pa.scalar(DATA, pa.int8()), count)

    def where(code: int, values: pa.Array | None) -> pa.Array:
        mask = pc.equal(content, code)
        return mask.cast(pa.int64()) if values is None else pc.if_else(mask, values, zeros)

    order, commit = LIST_RULES.of(view.table).partition_updates.of(table, times)
    arrays = [
        *(whole.field(index) for index in range(target.num_fields)),
        pa.repeat(pa.scalar(header.spec_id, pa.int32()), count),
        where(DATA, records),
        where(DATA, None),
        where(DATA, sizes),
        where(POSITION_DELETES, records),
        where(POSITION_DELETES, None),
        where(EQUALITY_DELETES, records),
        where(EQUALITY_DELETES, None),
        order,
        commit,
    ]
    return pa.Table.from_arrays(arrays, schema=_files_schema(target, view))


def _summed(files: pa.Table, target: pa.DataType) -> pa.Table:
    keys = [*_value_names(target), "spec_id"]
    newest_last = files.sort_by([("order", "ascending")])
    grouped = newest_last.group_by(keys, use_threads=False).aggregate(
        [*((name, "sum") for name in _SUMS), ("order", "max"), ("snapshot_id", "last")]
    )
    names = [*keys, *_SUMS, "order", "snapshot_id"]
    by_key = [*keys, *(f"{name}_sum" for name in _SUMS), "order_max", "snapshot_id_last"]
    return grouped.select(by_key).rename_columns(names).cast(files.schema)


def _finished(summed: pa.Table, target: pa.DataType, view: View) -> pa.Table:
    summed = summed.sort_by([(name, "ascending") for name in (*_value_names(target), "spec_id")]).combine_chunks()
    values = [single_array(summed.column(name)) for name in _value_names(target)]
    partition = struct(values, list(target), summed.num_rows)
    columns = {"partition": partition, "spec_id": single_array(summed.column("spec_id"))}
    sums = {name: single_array(summed.column(name)) for name in _SUMS}
    order, commits = single_array(summed.column("order")), single_array(summed.column("snapshot_id"))
    columns |= LIST_RULES.of(view.table).partition_updates.columns(sums, order, commits)
    fields = [_field(name, array.type) for name, array in columns.items()]
    return pa.table(list(columns.values()), pa.schema(fields))


def _field(name: str, kind: pa.DataType) -> pa.Field:
    is_instant = pa.types.is_timestamp(kind) and kind.tz is not None
    return typed_field(name, kind, INSTANT) if is_instant else pa.field(name, kind)
