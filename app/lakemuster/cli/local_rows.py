"""Snapshots, refs, schemas and specs of the local index as rows of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator

from lakemuster.api.documents import schemas_out, snapshot_out, specs_out
from lakemuster.api.services import Services
from lakemuster.cli.sources import Notice, Row, not_newest
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.wire.native.schemas import RefOut


def history_rows(services: Services, kind: str, name: str, notice: Notice) -> Iterator[Row]:
    """Rows of ``/snapshots``, ``/refs``, ``/schemas`` or ``/specs``."""
    if kind == "snapshots":
        table, records, stale = services.snapshots(name)
        rows = _snapshots(table, records)
    else:
        _, metadata, stale = services.fresh(name)
        rows = {"refs": _refs, "schemas": _schemas, "specs": _specs}[kind](metadata)
    if stale is not None:
        notice(not_newest(stale))
    yield from rows


def _snapshots(table: TableRecord, records: list[SnapshotRecord]) -> Iterator[Row]:
    for record in sorted(records, key=lambda record: (record.snapshot.committed_at_ms, record.row_id)):
        yield snapshot_out(table, record).model_dump(mode="json")


def _refs(metadata: TableMetadata) -> Iterator[Row]:
    for ref in sorted(metadata.refs, key=lambda ref: (ref.name, ref.kind)):
        yield RefOut.of(ref).model_dump(mode="json")


def _schemas(metadata: TableMetadata) -> Iterator[Row]:
    return (schema.model_dump(mode="json") for schema in schemas_out(metadata))


def _specs(metadata: TableMetadata) -> Iterator[Row]:
    return (spec.model_dump(mode="json") for spec in specs_out(metadata))
