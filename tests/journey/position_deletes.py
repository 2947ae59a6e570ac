"""Position deletes, which PyIceberg reads but cannot write: a snapshot adds some to a table of version 2."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate

PATH = pa.field("file_path", pa.string(), nullable=False, metadata={b"PARQUET:field_id": b"2147483546"})
POSITION = pa.field("pos", pa.int64(), nullable=False, metadata={b"PARQUET:field_id": b"2147483545"})


class DeleteManifestWriter(ManifestWriterV2):
    """A writer of a manifest of delete files."""

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def delete_positions(table: Table, positions: Mapping[str, Sequence[int]]) -> None:
    """Commit a snapshot that deletes rows of data files, given by location and position."""
    current = table.current_snapshot()
    assert current is not None
    snapshot_id, folder = table.metadata.new_snapshot_id(), f"{table.location()}/metadata"
    manifests = current.manifests(table.io)
    entries = [
        entry
        for manifest in manifests
        for entry in manifest.fetch_manifest_entry(table.io)
        if entry.data_file.file_path in positions
    ]
    added = [
        _manifest(
            table, snapshot_id, spec_id, [e.data_file for e in entries if e.data_file.spec_id == spec_id], positions
        )
        for spec_id in sorted({entry.data_file.spec_id for entry in entries})
    ]
    location, number = f"{folder}/snap-{snapshot_id}.avro", table.last_sequence_number + 1
    with write_manifest_list(
        2, table.io.new_output(location), snapshot_id, current.snapshot_id, number, "null"
    ) as manifest_list:
        manifest_list.add_manifests([*added, *manifests])
    snapshot = Snapshot(
        snapshot_id=snapshot_id,
        parent_snapshot_id=current.snapshot_id,
        sequence_number=number,
        timestamp_ms=max(table.metadata.last_updated_ms, current.timestamp_ms) + 1,
        manifest_list=location,
        summary=Summary(Operation.DELETE),
        schema_id=current.schema_id,
    )
    main = SetSnapshotRefUpdate(
        ref_name="main",
        type=SnapshotRefType.BRANCH,
        snapshot_id=snapshot_id,
        max_ref_age_ms=None,
        max_snapshot_age_ms=None,
        min_snapshots_to_keep=None,
    )
    table.catalog.commit_table(table, (), (AddSnapshotUpdate(snapshot=snapshot), main))
    table.refresh()


def _manifest(
    table: Table, snapshot_id: int, spec_id: int, files: list[DataFile], positions: Mapping[str, Sequence[int]]
) -> ManifestFile:
    output = table.io.new_output(f"{table.location()}/metadata/{uuid.uuid4()}.avro")
    with DeleteManifestWriter(table.specs()[spec_id], table.schema(), output, snapshot_id, "null") as writer:
        for file in files:
            entry = ManifestEntry.from_args(
                status=ManifestEntryStatus.ADDED,
                snapshot_id=snapshot_id,
                data_file=_delete_file(table, file, positions[file.file_path]),
            )
            writer.add_entry(entry)
        return writer.to_manifest_file()


def _delete_file(table: Table, file: DataFile, positions: Sequence[int]) -> DataFile:
    location = f"{table.location()}/data/{uuid.uuid4()}-deletes.parquet"
    rows = pa.table(
        [pa.array([file.file_path] * len(positions)), pa.array(sorted(positions), pa.int64())],
        schema=pa.schema([PATH, POSITION]),
    )
    output = table.io.new_output(location)
    with output.create() as stream:
        pq.write_table(rows, stream)
    return DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=location,
        file_format=FileFormat.PARQUET,
        partition=file.partition,
        record_count=len(positions),
        file_size_in_bytes=len(output.to_input_file()),
    )
