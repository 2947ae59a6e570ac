"""The table metadata store: a table's current metadata in SQL, replaced at every refresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sqlalchemy import Select, bindparam, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lakemuster.errors import LimitExceeded, MetadataCorrupt, TableNotFound
from lakemuster.index import leases
from lakemuster.index.encoding import decode, encode
from lakemuster.index.events import record
from lakemuster.index.integer_packing import pack, unpack
from lakemuster.index.leases import Lease
from lakemuster.index.orm import RefRow, SchemaRow, SpecRow, TableRow
from lakemuster.index.orm_base import MAX_INDEXED_BYTES, can_be_indexed
from lakemuster.index.ready_partitions import forget_all
from lakemuster.index.reconcile import Changes, reconcile
from lakemuster.index.statements import insert_all
from lakemuster.index.table_events import Known, events_of
from lakemuster.index.table_figures import current_counts, history_figures, live_figures
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, Ref, TableMetadata


def store_metadata(
    session: Session,
    table_id: int,
    metadata: TableMetadata,
    checked_at_ms: int,
    *,
    pointer: str | None = None,
    lease: Lease | None = None,
) -> Changes:
    """Store a table's metadata in place of the previous one.

    New snapshots are inserted as known, vanished ones are deleted. A snapshot whose id now identifies another one (the
    table was dropped and created again, or rolled back) is deleted and inserted as known; if the table's uuid or format
    has changed, all are.

    Args:
        pointer: the token of the look that found ``metadata``.
        lease: proves that no other process refreshes the table.

    Raises:
        TableNotFound: the table is not registered.
        RefreshBusy: the lease was lost.
        MetadataCorrupt: two snapshots, schemas or specs share an id, or a number exceeds 64 bits.
        LimitExceeded: the name of a branch is too long.
    """
    if lease is not None:
        leases.ensure(session, lease)
    check_branches(metadata)
    row = session.get(TableRow, table_id, with_for_update=True)
    if row is None:
        raise TableNotFound("the table is not registered", table_id=table_id)
    is_another = row.metadata_location is not None and (
        row.format != metadata.format or (None not in (row.uuid, metadata.uuid) and row.uuid != metadata.uuid)
    )
    is_first = row.metadata_location is None
    changes = reconcile(
        session,
        table_id,
        metadata,
        is_another=is_another,
        since_ms=row.created_at_ms if is_first or is_another else None,
    )
    before = {kind: _replace(session, kind, table_id, rows) for kind, rows in documents_of(metadata).items()}
    if row.companion_of is None:
        known = None if is_first else Known.of(row, before)
        record(session, events_of(row.name, known, metadata, changes.reached))
    row.generation += 1 if changes.replaced or is_another else 0
    if is_another:
        forget_all(session, table_id)
    figures = live_figures(current_counts(session, table_id, metadata.current_snapshot_id))
    for name, value in (table_values(metadata, checked_at_ms, pointer) | figures).items():
        setattr(row, name, value)
    session.flush()
    return changes


def check_branches(metadata: TableMetadata) -> None:
    """Check that the names of branches can be stored.

    Raises:
        LimitExceeded: a name is too long.
    """
    for branch in {*metadata.branch_schemas, *(snapshot.branch for snapshot in metadata.snapshots)}:
        if not can_be_indexed(branch):
            raise LimitExceeded(f"a branch name may have at most {MAX_INDEXED_BYTES} bytes")


def table_values(metadata: TableMetadata, checked_at_ms: int, pointer: str | None) -> dict[str, object]:
    """Return the columns of a table's row that a refresh sets; see :func:`store_metadata`."""
    return {
        "format": metadata.format,
        "checked_at_ms": checked_at_ms,
        "stale_reason": None,
        "pointer": pointer,
        "metadata_location": metadata.metadata_location,
        "table_location": metadata.location,
        "uuid": metadata.uuid,
        "format_version": metadata.format_version,
        "current_schema_id": metadata.current_schema_id,
        "default_spec_id": metadata.default_spec_id,
        "current_snapshot_id": metadata.current_snapshot_id,
        "last_updated_ms": metadata.last_updated_ms,
        "properties": encode(metadata.properties),
        "extra": encode(metadata.extra),
        "snapshot_log": _pack_log(metadata.snapshot_log),
        "metadata_bytes": metadata.metadata_bytes,
        **history_figures(metadata),
    }


def documents_of(metadata: TableMetadata) -> dict[type[SchemaRow | SpecRow | RefRow], list[Mapping[str, object]]]:
    """Return the rows of a table's schemas, specs and refs, without the table's id."""
    return {
        SchemaRow: _schema_rows(metadata),
        SpecRow: [{"spec_id": spec.spec_id, "document": encode(spec)} for spec in metadata.specs],
        RefRow: [{"document": encode(ref)} for ref in metadata.refs],
    }


def has_metadata(session: Session, table_id: int) -> bool:
    """Tell whether the table's metadata has been read before."""
    return session.scalar(select(TableRow.metadata_location).where(TableRow.id == table_id)) is not None


# These queries dominate a small table's first plan: loading an entity would take twice as long, and building statements
# takes a tenth of it.
_SCHEMAS = (
    select(SchemaRow.branch, SchemaRow.document)
    .where(SchemaRow.table_id == bindparam("table_id"))
    .order_by(SchemaRow.id)
)
_DOCUMENTS: dict[type[SpecRow | RefRow], Select[Any]] = {
    table: select(table.document).where(table.table_id == bindparam("table_id")).order_by(table.id)
    for table in (SpecRow, RefRow)
}
_OF_TABLE = select(
    TableRow.format,
    TableRow.format_version,
    TableRow.uuid,
    TableRow.table_location,
    TableRow.metadata_location,
    TableRow.current_schema_id,
    TableRow.default_spec_id,
    TableRow.properties,
    TableRow.current_snapshot_id,
    TableRow.snapshot_log,
    TableRow.last_updated_ms,
    TableRow.extra,
    TableRow.metadata_bytes,
).where(TableRow.id == bindparam("table_id"))


def load_metadata(session: Session, table_id: int) -> TableMetadata:
    """Return the table's metadata as of the last refresh, without its snapshots.

    Raises:
        TableNotFound: the table is not registered, or was never refreshed.
    """
    row = session.execute(_OF_TABLE, {"table_id": table_id}).one_or_none()
    if row is None or row.metadata_location is None:
        raise TableNotFound("the table's metadata has not been read yet", table_id=table_id)
    branches = _schemas_by_branch(session, table_id)
    return TableMetadata(
        format=row.format,
        format_version=row.format_version or 0,
        uuid=row.uuid,
        location=row.table_location or "",
        metadata_location=row.metadata_location,
        schemas=branches.pop(MAIN, ()),
        current_schema_id=row.current_schema_id or 0,
        specs=specs(session, table_id),
        default_spec_id=row.default_spec_id or 0,
        properties=decode(row.properties or b"{}"),
        snapshots=(),
        current_snapshot_id=row.current_snapshot_id,
        refs=refs(session, table_id),
        snapshot_log=_unpack_log(row.snapshot_log),
        last_updated_ms=row.last_updated_ms,
        branch_schemas=branches,
        extra=decode(row.extra or b"{}"),
        metadata_bytes=row.metadata_bytes,
    )


def schemas(session: Session, table_id: int, branch: str = MAIN) -> tuple[Schema, ...]:
    """Return the schemas of a branch, in the metadata's order."""
    return _schemas_by_branch(session, table_id).get(branch, ())


def specs(session: Session, table_id: int) -> tuple[PartitionSpec, ...]:
    """Return the partition specs, in the metadata's order."""
    return _documents(session, SpecRow, table_id)


def refs(session: Session, table_id: int) -> tuple[Ref, ...]:
    """Return the branches and tags, in the metadata's order."""
    return _documents(session, RefRow, table_id)


def snapshot_log(session: Session, table_id: int) -> tuple[tuple[int, int], ...]:
    """Return the snapshot log of main as (timestamp_ms, snapshot_id), oldest first."""
    return _unpack_log(session.scalar(select(TableRow.snapshot_log).where(TableRow.id == table_id)))


def _schema_rows(metadata: TableMetadata) -> list[Mapping[str, object]]:
    branches = {MAIN: metadata.schemas, **metadata.branch_schemas}
    return [
        {"branch": branch, "schema_id": schema.schema_id, "document": encode(schema)}
        for branch, versions in branches.items()
        for schema in versions
    ]


_NAMES: dict[type[SchemaRow | SpecRow | RefRow], tuple[str, ...]] = {
    SchemaRow: ("branch", "schema_id", "document"),
    SpecRow: ("spec_id", "document"),
    RefRow: ("document",),
}


def _replace(
    session: Session,
    table: type[SchemaRow | SpecRow | RefRow],
    table_id: int,
    rows: Sequence[Mapping[str, object]],
) -> Sequence[Any] | None:
    """Replace the rows of a table by these, in this order, if they differ; most refreshes change none.

    Returns:
        The previous rows; None if they are unchanged.
    """
    names = _NAMES[table]
    found = session.execute(
        select(*(getattr(table, name) for name in names)).where(table.table_id == table_id).order_by(table.id)
    ).all()
    if [tuple(row) for row in found] == [tuple(row.values()) for row in rows]:
        return None
    session.execute(delete(table).where(table.table_id == table_id))
    try:
        insert_all(session, table, [{"table_id": table_id, **row} for row in rows])
    except IntegrityError as cause:
        raise MetadataCorrupt("two schemas or two partition specs of the metadata share one id") from cause
    return found


def _documents(session: Session, table: type[SpecRow | RefRow], table_id: int) -> tuple[Any, ...]:
    found = session.scalars(_DOCUMENTS[table], {"table_id": table_id})
    return tuple(_kept(document) for document in found)


def _schemas_by_branch(session: Session, table_id: int) -> dict[str, tuple[Schema, ...]]:
    found = session.execute(_SCHEMAS, {"table_id": table_id})
    branches: dict[str, tuple[Schema, ...]] = {}
    for branch, document in found:
        branches[branch] = (*branches.get(branch, ()), _kept(document))
    return branches


@lru_cache(maxsize=128)
def _kept(document: bytes) -> Any:
    """Decode a schema, spec or ref, cached: refreshes change few, and plans compare them by identity."""
    return decode(document)


def _pack_log(log: Sequence[tuple[int, int]]) -> bytes:
    times, ids = [time for time, _ in log], [snapshot_id for _, snapshot_id in log]
    return pack(np.array(times + ids, dtype=np.int64))


def _unpack_log(packed: bytes | None) -> tuple[tuple[int, int], ...]:
    if packed is None:
        return ()
    numbers = unpack(packed).tolist()
    middle = len(numbers) // 2
    return tuple(zip(numbers[:middle], numbers[middle:], strict=True))
