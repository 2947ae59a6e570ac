"""A third table format, implemented only through ports: a folder of Parquet files with a JSON manifest per snapshot.

``<root>/tiny/snapshot-<n>.json`` is a snapshot: its time, the columns as in Iceberg's schemas, the partition columns,
and the name of its manifest in the same folder. The manifest lists every file, with statistics of its columns and the
positions of its deleted rows. Files have no deletes beyond these positions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.catalog import table_formats
from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.formats.protocol import Documents, FileInfo, FormatPort, Known, Objects, Pointer, token_of
from lakemuster.metadata.files import ADDED, column, typed_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, Ref, Snapshot, TableMetadata
from lakemuster.metadata.types import arrow_type
from lakemuster.spark.reading import formats as row_formats
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.formats import RowFormat
from lakemuster.spark.reading.model import Files, Split, TableToRead
from tests.contract.third_format.tiny_planner import DELETED_POSITIONS, TINY_LISTS, TINY_RULES

FOLDER = "tiny"
_SNAPSHOT = re.compile(r"snapshot-(\d+)\.json\Z")


def parse_document(data: bytes) -> dict[str, Any]:
    """Parse a snapshot or a manifest."""
    try:
        document = json.loads(data)
    except ValueError as error:
        raise MetadataCorrupt("not JSON") from error
    if not isinstance(document, dict):
        raise MetadataCorrupt("not a JSON object")
    return document


class TinyFormat(FormatPort):
    """Finds, loads and decodes tables."""

    name = "tiny"
    title = "Tiny"

    def recognizes(self, objects: Objects, folder: str, children: Mapping[str, FileInfo]) -> bool:
        """Return whether the folder contains a folder ``tiny`` with a snapshot."""
        own = children.get(FOLDER)
        return own is not None and own.is_folder and self.find(objects, folder) is not None

    def find(self, objects: Objects, root: str) -> Pointer | None:
        """Return a pointer that contains the listing of snapshots; None if there is none."""
        found = tuple(file for file in objects.list(f"{root}/{FOLDER}") if _SNAPSHOT.match(file.name))
        return Pointer(self.name, root, token_of(found), ((FOLDER, found),)) if found else None

    def load(self, documents: Documents, pointer: Pointer, known: Known) -> TableMetadata:
        """Read all snapshots, and take the schema of the newest one."""
        root, files = pointer.metadata_location, dict(pointer.listings)[FOLDER]
        read = documents.read_listed(files, max_bytes=2**20)
        found = {_number(file): documents.parse(parse_document, data) for file, data in read}
        newest = max(found)
        schema = parse_schema({"schema-id": 0, "fields": found[newest]["fields"]}, "schema")
        ids = {field.name: field.field_id for field in schema.fields}
        keys = tuple(PartitionField(ids[key], key, "identity", (ids[key],)) for key in found[newest]["partition_by"])
        snapshots = tuple(
            Snapshot(
                number,
                one["at_ms"],
                (),
                parent_id=number - 1 if number - 1 in found else None,
                operation="append",
                schema_id=0,
                inline_manifests=(f"{root}/{FOLDER}/{one['manifest']}",),
            )
            for number, one in sorted(found.items())
        )
        return TableMetadata(
            format=self.name,
            format_version=1,
            uuid=None,
            location=root,
            metadata_location=f"{root}/{FOLDER}/snapshot-{newest}.json",
            schemas=(schema,),
            current_schema_id=0,
            specs=(PartitionSpec(0, keys),),
            default_spec_id=0,
            properties={},
            snapshots=snapshots,
            current_snapshot_id=newest,
            refs=(Ref(MAIN, "branch", newest),),
            snapshot_log=tuple((one.committed_at_ms, one.snapshot_id) for one in snapshots),
            last_updated_ms=found[newest]["at_ms"],
        )

    def decode_list(self, data: bytes, metadata: TableMetadata, branch: str) -> list[ManifestHeader]:
        """Raise an error, since snapshots name their manifest directly."""
        raise MetadataCorrupt("tiny tables have no manifest lists")

    def describe_inline(
        self, data: bytes, location: str, snapshot: Snapshot, metadata: TableMetadata
    ) -> list[ManifestHeader]:
        """Return the header of a snapshot's manifest."""
        files = parse_document(data)["files"]
        return [ManifestHeader(location, len(data), added_files_count=len(files), deleted_files_count=0)]

    def decode_manifest(self, data: bytes, header: ManifestHeader, metadata: TableMetadata, branch: str) -> pa.Table:
        """Decode a manifest's files as columns."""
        files: list[dict[str, Any]] = parse_document(data)["files"]
        own = {
            "status": pa.array([ADDED] * len(files), pa.int8()),
            "file_path": pa.array([f"{metadata.location}/{file['path']}" for file in files], pa.string()),
            "record_count": pa.array([file["rows"] for file in files], pa.int64()),
            "file_size_in_bytes": pa.array([file["bytes"] for file in files], pa.int64()),
            DELETED_POSITIONS: pa.array([file["deleted"] or None for file in files], pa.list_(pa.int64())),
        }
        columns = [(pa.field(name, values.type), values) for name, values in own.items()]
        keys = {field.name for spec in metadata.specs for field in spec.fields}
        for field in metadata.schemas[0].fields:
            of = arrow_type(field.type)
            if field.name in keys:
                values = pa.array([file["partition"][field.name] for file in files], of)
                columns.append((typed_field(column("partition", field.field_id), of, field.type.text), values))
            for kind in ("lower", "upper"):
                bounds = pa.array([file[kind].get(field.name) for file in files], of)
                columns.append((typed_field(column(kind, field.field_id), of, field.type.text), bounds))
            for kind in ("null_count", "value_count"):
                counts = [file["nulls"].get(field.name) if kind == "null_count" else file["rows"] for file in files]
                values = pa.array(counts, pa.int64())
                columns.append((pa.field(column(kind, field.field_id), values.type), values))
        return pa.Table.from_arrays(
            [values for _, values in columns], schema=pa.schema([field for field, _ in columns])
        )


def _number(file: FileInfo) -> int:
    match = _SNAPSHOT.match(file.name)
    assert match is not None
    return int(match[1])


class TinyReader(RowFormat):
    """Reads the live rows of files."""

    name = "tiny"

    def schema(self, table: TableToRead) -> Schema:
        """Parse the columns, which have the JSON form of Iceberg's schemas."""
        return parse_schema({"schema-id": 0, "fields": table.schema["fields"]}, "schema")

    def check(self, table: TableToRead) -> None:
        """Accept every table."""

    def read_schema(self, table: TableToRead) -> pa.Schema:
        """Return the schema of the requested columns."""
        types = {field.name: arrow_type(field.type) for field in self.schema(table).fields}
        return pa.schema([pa.field(name, types[name]) for name in table.columns])

    def read(
        self, table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
    ) -> Iterator[pa.RecordBatch]:
        """Read each file without the rows at its deleted positions."""
        for file in split.files:
            deleted = set(file[DELETED_POSITIONS] or ())
            with files.open(file["file_path"], file["file_size_in_bytes"]) as opened:
                rows = pq.read_table(opened, columns=list(table.columns)).cast(self.read_schema(table))
            yield from rows.filter(pa.array([at not in deleted for at in range(rows.num_rows)])).to_batches()


def register() -> None:
    """Register the format in every registry that the product has."""
    table_formats.register(table_formats.TableFormat(TinyFormat(), TINY_RULES, TINY_LISTS))
    row_formats.register(TinyReader())
