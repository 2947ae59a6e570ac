"""Comparison with PyIceberg, on every manifest list and manifest of the real tables."""

from __future__ import annotations

import datetime as dt
import gzip
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestFile, read_manifest_list
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.types import PrimitiveType

from lakemuster.formats.iceberg.manifests import inherit, parse_manifest_list
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.table_metadata import parse_table_metadata
from lakemuster.formats.iceberg.values import decode_value, raw_bounds
from lakemuster.metadata.files import split_column
from tests.golden.iceberg.real_tables import TABLES, RealTable
from tests.unit.formats.iceberg.single_values import VALUES, encode

by_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


class Moved(PyArrowFileIO):
    """Opens a table's files by name, independent of their recorded locations."""

    def __init__(self, table: RealTable) -> None:
        super().__init__({})
        self._table = table

    def new_input(self, location: str) -> Any:
        return super().new_input(str(self._table.file(location)))


@by_table
def test_metadata_is_that_of_pyiceberg(table):
    for path in sorted(table.folder.glob("*.metadata.json")):
        data = path.read_bytes()
        text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode()
        theirs, ours = TableMetadataUtil.parse_raw(text), parse_table_metadata(data, path.name)
        assert ours.uuid == str(theirs.table_uuid)
        assert ours.location == theirs.location
        assert ours.current_schema_id == theirs.current_schema_id
        assert ours.default_spec_id == theirs.default_spec_id
        assert ours.current_snapshot_id == theirs.current_snapshot_id
        assert ours.properties == theirs.properties
        assert {ref.name: ref.snapshot_id for ref in ours.refs} == {
            name: ref.snapshot_id for name, ref in theirs.refs.items()
        }
        assert list(ours.snapshot_log) == [(log.timestamp_ms, log.snapshot_id) for log in theirs.snapshot_log]
        assert [
            (s.snapshot_id, s.parent_id, s.committed_at_ms, s.sequence_number, s.schema_id) for s in ours.snapshots
        ] == [
            (s.snapshot_id, s.parent_snapshot_id, s.timestamp_ms, s.sequence_number or 0, s.schema_id)
            for s in theirs.snapshots
        ]
        for mine, other in zip(ours.schemas, sorted(theirs.schemas, key=lambda s: s.schema_id), strict=True):
            assert mine.schema_id == other.schema_id
            for field_id, name in mine.names.items():
                assert other.find_column_name(field_id) == name
                primitive = mine.primitive(field_id)
                if primitive is not None:
                    assert primitive.text == str(other.find_type(field_id))
        for spec, other_spec in zip(ours.specs, sorted(theirs.partition_specs, key=lambda s: s.spec_id), strict=True):
            assert [(f.field_id, f.name, f.transform, f.source_ids) for f in spec.fields] == [
                (f.field_id, f.name, str(f.transform), (f.source_id,)) for f in other_spec.fields
            ]


@by_table
def test_manifest_lists_are_those_of_pyiceberg(table):
    metadata, io = table.metadata(), Moved(table)
    for path in table.lists():
        ours = parse_manifest_list(path.read_bytes(), metadata)
        theirs = list(read_manifest_list(io.new_input(path.name)))
        assert [header_of(header) for header in theirs] == [
            (
                header.location,
                header.length,
                header.spec_id,
                header.content,
                header.sequence_number,
                header.min_sequence_number,
                header.added_snapshot_id,
                header.added_files_count,
                header.existing_files_count,
                header.deleted_files_count,
                header.added_rows_count,
                header.existing_rows_count,
                header.deleted_rows_count,
                [(p.contains_null, p.contains_nan, p.lower_raw, p.upper_raw) for p in header.partitions or ()],
            )
            for header in ours
        ]


def header_of(header: ManifestFile) -> tuple[object, ...]:
    return (
        header.manifest_path,
        header.manifest_length,
        header.partition_spec_id,
        "deletes" if header.content == ManifestContent.DELETES else "data",
        header.sequence_number,
        header.min_sequence_number,
        header.added_snapshot_id,
        header.added_files_count,
        header.existing_files_count,
        header.deleted_files_count,
        header.added_rows_count,
        header.existing_rows_count,
        header.deleted_rows_count,
        [(p.contains_null, p.contains_nan, p.lower_bound, p.upper_bound) for p in header.partitions or ()],
    )


BOUNDS: tuple[Literal["lower", "upper"], ...] = ("lower", "upper")
COUNTS = {
    "column_size": "column_sizes",
    "value_count": "value_counts",
    "null_count": "null_value_counts",
    "nan_count": "nan_value_counts",
}


@by_table
def test_entries_and_their_statistics_are_those_of_pyiceberg(table):
    io = Moved(table)
    manifests: dict[str, ManifestFile] = {}
    for path in table.lists():
        for manifest in read_manifest_list(io.new_input(path.name)):
            manifests.setdefault(table.file(manifest.manifest_path).name, manifest)
    for name, header in table.headers().items():
        theirs = manifests[name].fetch_manifest_entry(io, discard_deleted=False)
        ours = inherit(table.entries(header), header)
        assert [own_fields(entry) for entry in theirs] == [
            tuple(row.get(key) for key in OWN) for row in ours.to_pylist()
        ]
        for row, entry in enumerate(theirs):
            compare_statistics(ours, row, entry)
            compare_partition(ours, row, entry)


OWN = (
    "status",
    "snapshot_id",
    "sequence_number",
    "file_sequence_number",
    "content",
    "file_path",
    "file_format",
    "record_count",
    "file_size_in_bytes",
    "key_metadata",
    "split_offsets",
    "equality_ids",
    "sort_order_id",
)


def own_fields(entry: ManifestEntry) -> tuple[object, ...]:
    file = entry.data_file
    return (
        int(entry.status),
        entry.snapshot_id,
        entry.sequence_number,
        entry.file_sequence_number,
        int(file.content),
        file.file_path,
        str(file.file_format.value),
        file.record_count,
        file.file_size_in_bytes,
        file.key_metadata,
        file.split_offsets,
        file.equality_ids,
        file.sort_order_id,
    )


def compare_statistics(ours, row, entry):
    for kind, name in COUNTS.items():
        found = {i: ours.column(f"{kind}.{i}")[row].as_py() for i in ids_of(ours, kind)}
        assert present(found) == (getattr(entry.data_file, name) or {})
    for bound in BOUNDS:
        found = {i: raw_bounds(ours, bound, i)[row].as_py() for i in ids_of(ours, bound) | ids_of(ours, f"{bound}_raw")}
        assert present(found) == (getattr(entry.data_file, f"{bound}_bounds") or {})


def ids_of(table, kind):
    return {split[1] for name in table.column_names if (split := split_column(name)) and split[0] == kind}


def present(values):
    return {key: value for key, value in values.items() if value is not None}


def compare_partition(ours, row, entry):
    for position, value in enumerate(entry.data_file.partition._data):
        column = ours.column(f"partition.{1000 + position}")
        assert plain(column[row].as_py()) == plain(value)


def plain(value):
    """Return dates and times as the numbers that PyIceberg uses."""
    if isinstance(value, dt.datetime):
        return round(value.timestamp() * 10**6)
    if isinstance(value, dt.date):
        return (value - dt.date(1970, 1, 1)).days
    if isinstance(value, dt.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond
    return value if not isinstance(value, Decimal) else value.normalize()


@by_table
def test_bounds_have_the_values_of_pyiceberg(table):
    schemas = table.metadata().schemas
    for header in table.headers().values():
        entries = table.entries(header)
        for bound in BOUNDS:
            for field_id in ids_of(entries, bound):
                of = next(schema.primitive(field_id) for schema in schemas if field_id in schema.by_id)
                for raw in raw_bounds(entries, bound, field_id).drop_null().to_pylist():
                    assert number(decode_value(of, raw)) == from_bytes(PrimitiveType.model_validate(of.text), raw)


def number(value):
    """Return a UUID as the bytes that PyIceberg uses."""
    return value.bytes if isinstance(value, UUID) else value


CANONICAL = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.tuples(st.just(name), VALUES[name].map(lambda value: encode(name, value)))
)


@given(CANONICAL)
def test_single_values_of_every_type_are_those_of_pyiceberg(case):
    name, raw = case
    theirs = from_bytes(PrimitiveType.model_validate(name), raw)
    mine = number(decode_value(parse_primitive(name), raw))
    assert repr(mine) == repr(theirs)
