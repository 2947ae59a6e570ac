"""Parse Iceberg manifest lists: one header per manifest, with typed partition bounds.

Fields that a v1 list lacks have the specification's defaults: content ``data`` and sequence
numbers 0. A missing count is None, which means "assume non-zero".

Source: Iceberg spec, "Manifest Lists".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro import read_table
from lakemuster.formats.iceberg.avro_fields import LIST_FIELDS, SUMMARY_FIELDS, Member, rows_of
from lakemuster.formats.iceberg.values import decode_value
from lakemuster.metadata.partition import PartitionField, PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary, TableMetadata
from lakemuster.metadata.types import Primitive

_CONTENTS: tuple[Literal["data", "deletes"], ...] = ("data", "deletes")
_REQUIRED = ("manifest_path", "partition_spec_id")


def parse_manifest_list(data: bytes, table: TableMetadata) -> list[ManifestHeader]:
    """Parse a manifest list; headers in the order of the list.

    Raises:
        MetadataCorrupt: not a manifest list, or one that names a spec that the table does not have.
    """
    header, rows = read_table(data)
    record = rows_of(header.schema)
    names = record.names(LIST_FIELDS)
    if missing := [name for name in _REQUIRED if name not in names]:
        raise MetadataCorrupt(f"not a manifest list: it has no {' and no '.join(missing)}")
    columns = {name: rows.column(own).to_pylist() for name, own in names.items() if name != "partitions"}
    summaries = _Summaries(table, record, names.get("partitions"), rows)
    return [_header(columns, summaries, row) for row in range(rows.num_rows)]


def _header(columns: Mapping[str, list[object]], summaries: _Summaries, row: int) -> ManifestHeader:
    def at(name: str) -> object:
        column = columns.get(name)
        return None if column is None else column[row]

    def number(name: str) -> int | None:
        value = at(name)
        return value if isinstance(value, int) else None

    def count(name: str) -> int | None:
        value = number(name)
        return None if value is None or value < 0 else value

    location, spec_id, key = at("manifest_path"), at("partition_spec_id"), at("key_metadata")
    if not isinstance(location, str) or not isinstance(spec_id, int):
        raise MetadataCorrupt(f"row {row} of the manifest list has no manifest_path or partition_spec_id")
    content = number("content") or 0
    if content not in (0, 1):
        raise MetadataCorrupt(f"manifest {location} has the unknown content {content}", location=location)
    return ManifestHeader(
        location=location,
        length=number("manifest_length"),
        content=_CONTENTS[content],
        spec_id=spec_id,
        sequence_number=number("sequence_number") or 0,
        min_sequence_number=number("min_sequence_number") or 0,
        added_snapshot_id=number("added_snapshot_id"),
        added_files_count=count("added_files_count"),
        existing_files_count=count("existing_files_count"),
        deleted_files_count=count("deleted_files_count"),
        added_rows_count=count("added_rows_count"),
        existing_rows_count=count("existing_rows_count"),
        deleted_rows_count=count("deleted_rows_count"),
        partitions=summaries.of(row, spec_id, location),
        key_metadata=key if isinstance(key, bytes) else None,
        first_row_id=number("first_row_id"),
    )


class _Summaries:
    """Partition summaries of the rows of one list."""

    def __init__(self, table: TableMetadata, record: Member, name: str | None, rows: pa.Table) -> None:
        self._values: list[list[dict[str, object]] | None] | None = None
        self._names: dict[str, str] = {}
        if name is not None:
            column = rows.column(name)
            if not (pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type)):
                raise MetadataCorrupt(f"partition summaries of a manifest list are {column.type}")
            self._values = column.to_pylist()
            self._names = record.member(name).names(SUMMARY_FIELDS)
        schemas = preferred_schemas(table)
        self._fields = {spec.spec_id: _typed_fields(spec, schemas) for spec in table.specs}

    def of(self, row: int, spec_id: int, location: str) -> tuple[PartitionFieldSummary, ...] | None:
        fields = self._fields.get(spec_id)
        if fields is None:
            raise MetadataCorrupt(
                f"manifest {location} refers to partition spec {spec_id}, which the table does not have"
            )
        values = None if self._values is None else self._values[row]
        if values is None or (fields and not values):  # some writers record an empty list for none
            return None
        if len(values) != len(fields):
            raise MetadataCorrupt(
                f"manifest {location} has {len(values)} partition summaries, and spec {spec_id} {len(fields)} fields"
            )
        return tuple(self._summary(field, of, value) for (field, of), value in zip(fields, values, strict=True))

    def _summary(self, field: PartitionField, of: Primitive, value: Mapping[str, object]) -> PartitionFieldSummary:
        def at(name: str) -> object:
            own = self._names.get(name)
            return None if own is None else value[own]

        contains_null, contains_nan = at("contains_null"), at("contains_nan")
        lower, upper = at("lower_bound"), at("upper_bound")
        return PartitionFieldSummary(
            field_id=field.field_id,
            name=field.name,
            contains_null=contains_null if isinstance(contains_null, bool) else None,
            contains_nan=contains_nan if isinstance(contains_nan, bool) else None,
            lower=decode_value(of, lower) if isinstance(lower, bytes) else None,
            upper=decode_value(of, upper) if isinstance(upper, bytes) else None,
            lower_raw=lower if isinstance(lower, bytes) else None,
            upper_raw=upper if isinstance(upper, bytes) else None,
        )


def _typed_fields(spec: PartitionSpec, schemas: Sequence[Schema]) -> list[tuple[PartitionField, Primitive]]:
    return [(field, result_type(field, tuple(schemas))) for field in spec.fields]


def preferred_schemas(table: TableMetadata) -> tuple[Schema, ...]:
    """Return a table's schemas: the current one, then the others from the newest."""
    return tuple(sorted(table.schemas, key=lambda s: (s.schema_id != table.current_schema_id, -s.schema_id)))
