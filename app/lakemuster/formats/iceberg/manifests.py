"""Decode Iceberg manifests from Avro to aligned columns, and fill in the values that entries inherit.

A manifest's own header holds the schema and the spec that it was written with. They give the types
of its bounds and partitions, so that a manifest decodes to the same columns at any time of its
table's life. Where the header lacks them, the table's schemas and specs are used.

Source: Iceberg spec, "Manifests", "Sequence Number Inheritance", "First Row ID Inheritance".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro import AvroHeader, Columns, Widths, checked_schema, read_header, read_keyed
from lakemuster.formats.iceberg.avro_fields import (
    ENTRY_FIELDS,
    FILE_FIELDS,
    KEY_IDS,
    STATISTICS,
    Member,
    rows_of,
)
from lakemuster.formats.iceberg.fixed_values import STATUSES, add_up, are_of_sizes, prefixed_fixed
from lakemuster.formats.iceberg.json_text import parse_json
from lakemuster.formats.iceberg.keyed_statistics import keyed_bounds, keyed_counts, width_of
from lakemuster.formats.iceberg.manifest_lists import parse_manifest_list, preferred_schemas
from lakemuster.formats.iceberg.partitions import partition_columns
from lakemuster.formats.iceberg.schemas import RESERVED, parse_schema
from lakemuster.formats.iceberg.specs import parse_spec_fields
from lakemuster.formats.iceberg.statistics import Column, KeyMatrixBuilder, bound_columns, count_columns
from lakemuster.formats.iceberg.usable_bounds import Files, usable_columns
from lakemuster.metadata.files import ADDED, DATA, DELETED, EXISTING, ICEBERG_COLUMNS
from lakemuster.metadata.integer_text import parse_int64
from lakemuster.metadata.partition import UNKNOWN, PartitionField
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from lakemuster.metadata.types import Primitive

__all__ = ["inherit", "own_spec_id", "parse_manifest", "parse_manifest_list"]

_REQUIRED = ("status", "file_path", "file_format", "record_count", "file_size_in_bytes")
_SEQUENCE_NUMBERS = ("sequence_number", "file_sequence_number")
_ALIKE = (pa.types.is_integer, pa.types.is_string, pa.types.is_binary, pa.types.is_list)
_COLUMNS = tuple(ICEBERG_COLUMNS)
_ENTRY = frozenset({"status", "snapshot_id", *_SEQUENCE_NUMBERS})


def parse_manifest(data: bytes, header: ManifestHeader, table: TableMetadata) -> pa.Table:
    """Decode a manifest to the shape of ``metadata.files``, without inherited values.

    Columns that a v1 manifest lacks have the specification's defaults: content 0, sequence numbers 0.

    Args:
        data: the file.
        header: its row of the manifest list.
        table: for schemas and specs that the manifest's own header lacks, and for what its writer's bounds mean.

    Raises:
        MetadataCorrupt: not a manifest, or an unknown status or content; or both the length and the counts by status
            differ from ``header``, so that entries may be missing.
        LimitExceeded: larger than what we decode.
    """
    avro = read_header(data)
    layout = _layout(avro.metadata["avro.schema"])
    schemas = _schemas(avro, table)
    type_of = _type_finder(schemas)
    entries, maps = _decoded(data, avro, layout, _maps(layout, lambda key: width_of(type_of(key))), header)
    columns = list(_own_columns(entries))
    own = {field.name: values for field, values in columns}
    _check(own, header, len(data))
    fields = _partition_fields(avro, header, table)
    if entries.column("partition") is not None:
        columns += partition_columns(entries.partition, entries.record("partition"), fields, schemas)
    statistics = _statistics(entries, {path[-1]: columns for path, columns in maps.items()}, type_of)
    columns += usable_columns(statistics, type_of, Files.of_entries(own, table.properties))
    return pa.Table.from_arrays([values for _, values in columns], schema=pa.schema([field for field, _ in columns]))


_KeyedMaps = dict[tuple[str, ...], Columns]


def _decoded(
    data: bytes, avro: AvroHeader, layout: Member, maps: Mapping[tuple[str, ...], Widths | None], header: ManifestHeader
) -> tuple[_Entries, _KeyedMaps]:
    """Decode the entries; where ``fixed`` partition values may follow their length, as the record counts agree better.

    Values of one encoding may decode as the other: the last byte of one then begins the record count.
    """
    prefixed = prefixed_fixed(avro.metadata["avro.schema"])
    if prefixed is None:
        rows, found = read_keyed(data, avro, maps)
        return _Entries(rows, layout), found
    other = replace(avro, metadata={**avro.metadata, "avro.schema": prefixed.schema})
    readings: list[tuple[bool, _Entries, _KeyedMaps]] = []
    problems: list[MetadataCorrupt] = []
    for own, sizes in ((other, prefixed.sizes), (avro, {})):
        try:
            rows, found = read_keyed(data, own, maps)
            entries = _Entries(rows, layout)
        except MetadataCorrupt as problem:
            problems.append(problem)
            continue
        if are_of_sizes(entries.partition, sizes):
            readings.append((add_up(entries.column, header), entries, found))
    if not readings:
        raise problems[-1]
    return max(readings, key=lambda reading: reading[0])[1:]  # of equal ones, the first


def own_spec_id(data: bytes) -> int | None:
    """Return the partition spec id in a manifest's own header, the only one of an inline manifest of v1.

    Raises:
        MetadataCorrupt: not an Avro file.
    """
    return parse_int64(read_header(data).metadata.get("partition-spec-id", b"").decode("latin-1"))


def inherit(table: pa.Table, header: ManifestHeader) -> pa.Table:
    """Fill in the values that entries inherit from their manifest's row in the manifest list.

    * ``snapshot_id``: the snapshot that added the manifest;
    * ``sequence_number`` and ``file_sequence_number``: the manifest's, for added entries, and for
      all entries when it is 0, as it is for manifests of v1;
    * ``first_row_id``: for data files that are not deleted, the manifest's plus the rows of the
      preceding files that had none either; null for delete files.

    Args:
        table: *all* entries of the manifest, in order: row ids depend on the preceding entries.
        header: the manifest's row of the manifest list.
    """
    present = table.column_names
    status = _flat(table.column("status"))
    inherited = {"snapshot_id": _filled(_own(table, present, "snapshot_id"), header.added_snapshot_id)}
    for name in _SEQUENCE_NUMBERS:
        own = _own(table, present, name)
        if header.sequence_number == 0:
            own = _filled(own, 0)
        elif header.sequence_number is not None and own.null_count:
            inherits = status.to_numpy() == ADDED
            filled = _filled(own, header.sequence_number)
            own = filled if inherits.all() else pc.if_else(pa.array(inherits), filled, own)
        inherited[name] = own
    if header.content == "data" and header.first_row_id is not None:
        own = _own(table, present, "first_row_id")
        inherited["first_row_id"] = _row_ids(own, status, _flat(table.column("record_count")), header.first_row_id)
    columns, fields = table.columns, list(table.schema)
    for name, values in inherited.items():
        if name in present:
            columns[present.index(name)] = values
        else:
            place = sum(other in _COLUMNS[: _COLUMNS.index(name)] for other in present)
            columns.insert(place, values)
            fields.insert(place, pa.field(name, values.type))
            present.insert(place, name)
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, table.schema.metadata))


def _own(table: pa.Table, present: Sequence[str], name: str) -> pa.Array:
    return _flat(table.column(name)) if name in present else pa.nulls(table.num_rows, pa.int64())


def _filled(own: pa.Array, value: int | None) -> pa.Array:
    return own if value is None or not own.null_count else own.fill_null(value)


def _row_ids(own: pa.Array, status: pa.Array, records: pa.Array, first: int) -> pa.Array:
    unassigned = own.is_null().to_numpy(zero_copy_only=False) & (status.to_numpy() != DELETED)
    if not unassigned.any():
        return own
    taken = np.where(unassigned, records.to_numpy(), 0)
    ids = first + np.cumsum(taken) - taken
    return pc.coalesce(own, pa.array(ids, pa.int64(), mask=~unassigned))


@lru_cache(64)
def _layout(avro_schema: bytes) -> Member:
    return rows_of(checked_schema(avro_schema))


@lru_cache(64)
def _header_schema(text: bytes) -> Schema:
    return parse_schema(parse_json(text, "the schema in a manifest's header"), "schema")


@lru_cache(64)
def _header_fields(text: bytes) -> tuple[PartitionField, ...]:
    return parse_spec_fields(parse_json(text, "the partition spec in a manifest's header"), "partition-spec")


def _schemas(avro: AvroHeader, table: TableMetadata) -> tuple[Schema, ...]:
    own = avro.metadata.get("schema")
    return (*((_header_schema(own),) if own else ()), *preferred_schemas(table))


def _partition_fields(avro: AvroHeader, header: ManifestHeader, table: TableMetadata) -> dict[int, PartitionField]:
    """Return partition fields by id. v1 numbers them from 1000 in every spec, so the manifest's own come first."""
    own = avro.metadata.get("partition-spec")
    known = list(_header_fields(own)) if own else []
    for spec in sorted(table.specs, key=lambda spec: spec.spec_id != header.spec_id):
        known += spec.fields
    fields: dict[int, PartitionField] = {}
    for field in known:
        fields.setdefault(field.field_id, field)
    return fields


def _type_finder(schemas: Sequence[Schema]) -> Callable[[int], Primitive]:
    def type_of(field_id: int) -> Primitive:
        for schema in schemas:
            if field_id in schema.by_id:
                return schema.primitive(field_id) or UNKNOWN
        return RESERVED.get(field_id, UNKNOWN)

    return type_of


class _Entries:
    """The Avro columns of a manifest, by the specification's names."""

    def __init__(self, rows: pa.Table, layout: Member) -> None:
        self._rows = rows
        self._entry = layout.names(ENTRY_FIELDS)
        if "data_file" not in self._entry or "status" not in self._entry:
            raise MetadataCorrupt("not a manifest: its records have no status or no data_file")
        self._layout = layout.member(self._entry["data_file"])
        self._file = self._layout.names(FILE_FIELDS)
        files = rows.column(self._entry["data_file"])
        if not pa.types.is_struct(files.type):
            raise MetadataCorrupt("not a manifest: data_file is not a record")
        if files.null_count:
            raise MetadataCorrupt("a manifest entry has no data_file")
        self._files: list[pa.StructArray] = files.chunks or [pa.array([], files.type)]

    def __len__(self) -> int:
        return int(self._rows.num_rows)

    def column(self, name: str) -> pa.Array | None:
        """Return one column; None if the file lacks it."""
        if name in _ENTRY:
            own = self._entry.get(name)
            return None if own not in self._rows.column_names else _flat(self._rows.column(own))
        own = self._file.get(name)
        return None if own is None else _member(self._files, own)

    def own_name(self, name: str) -> str:
        """Return the file's own name of a field of ``data_file``; empty when the file lacks it."""
        return self._file.get(name, "")

    def record(self, name: str) -> Member:
        """Return the Avro record of a field of ``data_file``, which the file must have."""
        return self._layout.member(self._file[name])

    def partition(self, member: str) -> pa.Array | None:
        """Return one member of the partition tuple; None when its Avro type is null."""
        own = self._file.get("partition")
        tuples = None if own is None else _member(self._files, own)
        return None if tuples is None else _member([tuples], member)


def _member(structs: Sequence[pa.StructArray], name: str) -> pa.Array | None:
    if not pa.types.is_struct(structs[0].type) or structs[0].type.get_field_index(name) < 0:
        return None
    return _joined([struct.field(name) if not struct.null_count else _flattened(struct, name) for struct in structs])


def _flattened(struct: pa.StructArray, name: str) -> pa.Array:
    return struct.flatten()[struct.type.get_field_index(name)]


def _own_columns(entries: _Entries) -> Iterator[Column]:
    for name, of in ICEBERG_COLUMNS.items():
        values = entries.column(name)
        if values is None and (name == "content" or name in _SEQUENCE_NUMBERS):
            values = pa.repeat(pa.scalar(0, of), len(entries))
        elif values is not None and name == "content":
            values = values.fill_null(DATA)
        if values is None:
            if name in _REQUIRED:
                raise MetadataCorrupt(f"not a manifest: its records have no {name}")
            continue
        if values.null_count and name in _REQUIRED:
            raise MetadataCorrupt(f"a manifest entry has no {name}")
        if len(values) and values.null_count == len(values):
            continue
        yield pa.field(name, of), values if values.type == of else _cast(values, of, name)


def _cast(values: pa.Array, of: pa.DataType, name: str) -> pa.Array:
    alike = next(is_kind for is_kind in _ALIKE if is_kind(of))
    if alike(values.type):
        try:
            return values.cast(of)
        except pa.ArrowException as cause:
            raise MetadataCorrupt(f"{name} of a manifest is out of range") from cause
    raise MetadataCorrupt(f"{name} of a manifest is of type {values.type}")


def _check(columns: dict[str, pa.Array], header: ManifestHeader, length: int) -> None:
    """Check the entries against the manifest list.

    A file of the listed length that was decoded to its last byte has all its entries: if its counts differ, that is a
    writer's mistake. A file of another length may have been cut at the end of a block, so its counts must agree.
    """
    status, content = columns["status"].to_numpy(), columns["content"].to_numpy()
    if len(status) and (status.min() < EXISTING or status.max() > DELETED):
        raise MetadataCorrupt("a manifest entry of unknown status", location=header.location)
    lowest, highest = (DATA, DATA) if header.content == "data" else (1, 2)
    if len(content) and (content.min() < lowest or content.max() > highest):
        raise MetadataCorrupt(f"an entry of wrong content in a manifest of {header.content}", location=header.location)
    if header.length == length:
        return
    records = columns["record_count"].to_numpy()
    for code, name in STATUSES.items():
        those = status == code
        _equal(header, f"{name}_files_count", int(those.sum()))
        _equal(header, f"{name}_rows_count", int(records[those].sum()))


def _equal(header: ManifestHeader, name: str, found: int) -> None:
    expected = getattr(header, name)
    if expected is not None and expected != found:
        raise MetadataCorrupt(
            f"{name} is {expected} in the manifest list and {found} in the manifest", location=header.location
        )


def _maps(layout: Member, width_of_key: Widths) -> dict[tuple[str, ...], Widths | None]:
    """Return the maps of statistics whose records have the key first, the usual order, by their names in the file."""
    own = layout.names(ENTRY_FIELDS).get("data_file")
    if own is None:
        return {}
    file = layout.member(own)
    return {
        (own, name): width_of_key if STATISTICS[standard] in ("lower", "upper") else None
        for standard, name in file.names(FILE_FIELDS).items()
        if standard in STATISTICS and not _is_reversed(file.member(name))
    }


def _statistics(
    entries: _Entries, keyed: Mapping[str, Columns], type_of: Callable[[int], Primitive]
) -> Iterator[Column]:
    exploder = KeyMatrixBuilder()
    for name, kind in STATISTICS.items():
        if (own := entries.own_name(name)) in keyed:
            columns = keyed[own]
            yield from (
                keyed_bounds(columns, kind, type_of) if kind in ("lower", "upper") else keyed_counts(columns, kind)
            )
            continue
        maps = entries.column(name)
        if maps is None or maps.null_count == len(maps):
            continue
        is_bounds = kind in ("lower", "upper")
        key, value = _map_members(maps.type, entries.record(name), is_bounds=is_bounds)
        if is_bounds:
            yield from bound_columns(maps, key, value, kind, type_of, exploder)
        else:
            yield from count_columns(maps, key, value, kind, exploder)


def _is_reversed(record: Member) -> bool:
    return len(record.members) == 2 and record.members[1].field_id in KEY_IDS


def _map_members(of: pa.DataType, record: Member, *, is_bounds: bool) -> tuple[str, str]:
    """Return the names of the key and the value of a map's records."""
    names = [member.name for member in record.members]
    if _is_reversed(record):
        names.reverse()
    if pa.types.is_list(of) and pa.types.is_struct(of.value_type) and len(names) == 2:
        key, value = (of.value_type.get_field_index(name) for name in names)
        wanted = pa.types.is_binary if is_bounds else pa.types.is_integer
        if min(key, value) >= 0 and pa.types.is_integer(of.value_type[key].type) and wanted(of.value_type[value].type):
            return names[0], names[1]
    raise MetadataCorrupt(f"{record.name} of a manifest is not a map of the expected type: {of}")


def _flat(column: pa.ChunkedArray) -> pa.Array:
    return _joined(column.chunks) if column.num_chunks else pa.array([], column.type)


def _joined(chunks: Sequence[pa.Array]) -> pa.Array:
    if len(chunks) == 1:
        return chunks[0]
    try:
        return pa.concat_arrays(chunks)
    except pa.ArrowException as cause:
        raise LimitExceeded("a column of a manifest is larger than an Arrow array") from cause
