"""A table as input of the planner: segments in memory, manifest headers and a view, without an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import count
from typing import Any, cast
from zlib import crc32

import pyarrow as pa

import lakemuster.catalog.table_formats  # noqa: F401
from lakemuster.formats.iceberg.usable_bounds import usable_columns
from lakemuster.formats.iceberg.values import decode_value
from lakemuster.index import Index
from lakemuster.index.packed import SegmentSource, concatenate
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.index.zones import segment_zones
from lakemuster.metadata.files import ADDED, DATA, DELETED, EXISTING, ICEBERG_COLUMNS, split_column, typed_field
from lakemuster.metadata.partition import PartitionField, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader, PartitionFieldSummary, Snapshot, TableMetadata
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan import planned_entries
from lakemuster.planner.scan.scan_index import ScanIndex, scan_index_over
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.view import View
from tests.unit.planner.oracle.model import PATH, DataFile, DeleteFile, Manifest, Recorded, Table
from tests.unit.planner.oracle.values import TYPES, array, encoded, is_nan, promoted

_NUMBERS = count(1)
_ADDED_IN = 77
Column = tuple[pa.Field, pa.Array]


class HeldSegment:
    """A segment in memory."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.num_rows = table.num_rows
        self.schema = table.schema
        self.names = tuple(table.schema.names)

    @cached_property
    def columns_of(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for name in self.schema.names:
            if (split := split_column(name)) is not None:
                found[split[1]] = (*found.get(split[1], ()), name)
        return found

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        return self._table if columns is None else self._table.select(list(columns))

    def rows(self, start: int, end: int, columns: Sequence[str]) -> pa.Table:
        return self._table.select(list(columns)).slice(start, end - start)

    def batch(self, number: int, columns: Sequence[str]) -> pa.RecordBatch:
        size: int = vars(planned_entries)["BATCH_ROWS"]  # patched by the case
        (batch,) = self._table.select(list(columns)).slice(number * size, size).combine_chunks().to_batches()
        return batch


class HeldSegments:
    """A store of segments in memory."""

    def __init__(self) -> None:
        self._held: dict[str, HeldSegment] = {}
        self._rows: dict[str, Sequence[int]] = {}

    def put(self, name: str, table: pa.Table, manifest_rows: Sequence[int] | None = None) -> None:
        self._held[name] = HeldSegment(table)
        self._rows[name] = manifest_rows or [table.num_rows]

    def open(self, name: str) -> HeldSegment:
        return self._held[name]

    def zones(self, name: str) -> pa.RecordBatch | None:
        """Return the zones of a segment; one segment in four has none."""
        return segment_zones(self._held[name].table(), self._rows[name]) if crc32(name.encode()) % 4 else None


def scan(table: Table) -> ScanIndex:
    """Return the planner's scan index of the table."""
    segments = HeldSegments()
    index = Index(cast("Any", None), cast("Any", segments))
    records = []
    for manifest, content in [*((m, "data") for m in table.data), *((m, "deletes") for m in table.deletes)]:
        number = next(_NUMBERS)
        name = f"oracle-{number}"
        segments.put(name, segment_table(table, manifest))
        records.append(ManifestRecord(number, "manifests", header_of(table, manifest, name, content), name))
    made = scan_index_over(index, view_of(table), [ManifestPart(record) for record in records])
    for spec in made.specs:
        vars(spec)["sources"] = tuple(packed(segments, spec, table.packed))
    return made


def packed(segments: HeldSegments, spec: SpecIndex, size: int) -> Iterator[SegmentSource]:
    """Yield the segments of a spec's manifests, with up to ``size`` neighbours packed where their tables allow it."""
    names, rows = [part.manifest.segment for part in spec.parts], spec.part_rows
    for start in range(0, len(names), size):
        own, counts = names[start : start + size], rows[start : start + size]
        whole = concatenate([segments.open(name).table() for name in own]) if len(own) > 1 else None
        if whole is None:
            yield from (SegmentSource(name, 1, count, name, count) for name, count in zip(own, counts, strict=True))
            continue
        name = f"{own[0]}-packed-{len(own)}"
        segments.put(name, whole, counts)
        yield SegmentSource(name, len(own), sum(counts), own[-1], counts[-1])


def view_of(table: Table) -> View:
    record = TableRecord(
        1, "oracle", "iceberg", "s3://table", (), (), 0, 1, None, None, None, None, "s3://table", None,
        table.format_version, table.schema.schema_id, 0, 1, None,
    )  # fmt: skip
    metadata = TableMetadata(
        format="iceberg", format_version=table.format_version, uuid=None, location="s3://table",
        metadata_location="s3://table/m.json", schemas=table.schemas, current_schema_id=table.schema.schema_id,
        specs=table.specs, default_spec_id=table.specs[-1].spec_id, properties={}, snapshots=(),
        current_snapshot_id=1, refs=(), snapshot_log=(),
    )  # fmt: skip
    snapshot = Snapshot(1, 0, (), schema_id=table.schemas[table.snapshot_version].schema_id)
    return View(record, metadata, SnapshotRecord(next(_NUMBERS), 1, snapshot, "published", None, 0, None, None, None))


def header_of(table: Table, manifest: Manifest, name: str, content: Any) -> ManifestHeader:
    statuses = [status for _, status in manifest.entries]
    summaries = None
    if manifest.summaries is not None:
        summaries = tuple(
            summary(table, manifest, own) if said else PartitionFieldSummary(own.field_id, own.name, None)
            for own, said in zip(manifest.spec.fields, manifest.summaries, strict=True)
        )
    return ManifestHeader(
        location=f"s3://table/{name}.avro",
        length=None,
        content=content,
        spec_id=manifest.spec.spec_id,
        sequence_number=manifest.sequence,
        min_sequence_number=0,
        added_snapshot_id=_ADDED_IN,
        added_files_count=statuses.count(ADDED),
        existing_files_count=statuses.count(EXISTING),
        deleted_files_count=statuses.count(DELETED),
        partitions=summaries,
    )


def summary(table: Table, manifest: Manifest, own: PartitionField) -> PartitionFieldSummary:
    """Return a partition field's summary, encoded in the type at writing and decoded in the current type."""
    values = [file.partition[own.field_id] for file, _ in manifest.entries]
    ordered = sorted(value for value in values if value is not None and not is_nan(value))
    of = partition_type(own, table.schemas[manifest.version], table)
    now = result_type(own, tuple(reversed(table.schemas)))
    raws: list[bytes | None] = [None, None]
    if ordered and of is not None:
        raws = [encoded(of, ordered[0]), encoded(of, ordered[-1])]
    if manifest.inverted:
        raws.reverse()
    nan = any(map(is_nan, values)) if manifest.knows_nan else None
    lower, upper = (None if raw is None else decode_value(now, raw) for raw in raws)
    return PartitionFieldSummary(own.field_id, own.name, None in values, nan, lower, upper, raws[0], raws[1])


def partition_type(own: PartitionField, schema: Schema, table: Table) -> Primitive | None:
    """Return the type of a field's values in a manifest of a schema, or None if it is unknown."""
    of = result_type(own, (schema, *reversed(table.schemas)))
    return None if of.kind is Kind.UNKNOWN else of


def segment_table(table: Table, manifest: Manifest) -> pa.Table:
    files = [file for file, _ in manifest.entries]
    columns: list[Column] = [
        (pa.field(name, ICEBERG_COLUMNS[name]), pa.array(values, ICEBERG_COLUMNS[name]))
        for name, values in own_columns(table, manifest)
    ]
    columns += [partition_column(table, manifest, own) for own in manifest.spec.fields]
    for field_id in dict.fromkeys(i for file in files for i in file.statistics):
        columns += usable_columns(statistics_columns(table, manifest, field_id), partial(type_of, table, manifest))
    kept = [(of, values) for of, values in columns if values.null_count < len(values)]
    return pa.Table.from_arrays([values for _, values in kept], schema=pa.schema([of for of, _ in kept]))


def own_columns(table: Table, manifest: Manifest) -> Iterator[tuple[str, list[Any]]]:
    entries = manifest.entries
    files = [file for file, _ in entries]
    yield "status", [status for _, status in entries]
    if table.format_version > 1:
        yield (
            "sequence_number",
            [
                None if manifest.inherits and status == ADDED and file.sequence == manifest.sequence else file.sequence
                for file, status in entries
            ],
        )
    yield "content", [file.content if isinstance(file, DeleteFile) else DATA for file in files]
    yield "file_path", [file.path for file in files]
    yield "file_format", ["PUFFIN" if isinstance(f, DeleteFile) and f.is_vector else "PARQUET" for f in files]
    yield "record_count", [file.record_count for file in files]
    yield "file_size_in_bytes", [size_of(file) for file in files]
    yield (
        "content_size_in_bytes",
        [size_of(f) // 2 if isinstance(f, DeleteFile) and f.is_vector else None for f in files],
    )
    yield "equality_ids", [(list(f.ids) or None) if isinstance(f, DeleteFile) else None for f in files]
    yield "referenced_data_file", [f.referenced if isinstance(f, DeleteFile) else None for f in files]


def size_of(file: DataFile | DeleteFile) -> int:
    """Return the size of a file in bytes."""
    return size_at(file.path)


def size_at(path: str) -> int:
    """Return the size in bytes of the file at a path: a hash of the path, of any magnitude."""
    checksum = crc32(path.encode())
    return checksum >> checksum % 33


def partition_column(table: Table, manifest: Manifest, own: PartitionField) -> Column:
    name, values = f"partition.{own.field_id}", [file.partition[own.field_id] for file, _ in manifest.entries]
    of = partition_type(own, table.schemas[manifest.version], table)
    if of is None:
        return typed_field(name, pa.int32(), "int"), pa.array(values, pa.int32())
    return typed_field(name, arrow_type(of), of.text), array(values, of)


def type_of(table: Table, manifest: Manifest, field_id: int) -> Primitive:
    """Return a column's type in the manifest's schema."""
    known = (table.schemas[manifest.version], *reversed(table.schemas))
    return TYPES["string"] if field_id == PATH else next(p for s in known if (p := s.primitive(field_id)) is not None)


def statistics_columns(table: Table, manifest: Manifest, field_id: int) -> Iterator[Column]:
    """Yield one column's statistics in the type of the manifest's schema."""
    of = type_of(table, manifest, field_id)
    recorded = [file.statistics.get(field_id, Recorded()) for file, _ in manifest.entries]
    written = [table.schemas[file.version].primitive(field_id) or of for file, _ in manifest.entries]
    for kind in ("lower", "upper"):
        bounds = [promoted(getattr(one, kind), old, of) for one, old in zip(recorded, written, strict=True)]
        yield typed_field(f"{kind}.{field_id}", arrow_type(of), of.text), array(bounds, of)
    for kind, member in (("null_count", "nulls"), ("nan_count", "nans"), ("value_count", "values")):
        counts = [getattr(one, member) for one in recorded]
        yield pa.field(f"{kind}.{field_id}", pa.int64()), pa.array(counts, pa.int64())
