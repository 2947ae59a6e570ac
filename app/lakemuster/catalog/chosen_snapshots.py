"""Resolve a selector to a snapshot, from the index alone."""

from __future__ import annotations

from sqlalchemy.orm import Session

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.errors import RefNotFound, SnapshotNotFound
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.history import snapshot_at
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot, list_snapshots
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import MAIN, Ref, TableMetadata
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.planner.view import Selector


def resolve(
    session: Session, table: TableRecord, metadata: TableMetadata, selector: Selector
) -> tuple[SnapshotRecord | None, bool]:
    """Return the snapshot that a selector chooses, and whether that choice is permanent.

    None if the table or branch has no snapshot.

    Raises:
        SnapshotNotFound, RefNotFound: no such snapshot, branch or tag is known.
    """
    if selector.snapshot_id is not None:
        return find_snapshot(session, table, selector.snapshot_id), True
    if selector.as_of_ms is not None:
        has_log = format_of(table.format).has_snapshot_log
        are_numbered = HISTORY_RULES.of(table).numbers_snapshots
        at_ms = selector.as_of_ms
        record = snapshot_at(session, table.table_id, at_ms, has_snapshot_log=has_log, are_numbered=are_numbered)
        return record, True
    if selector.ref is None or selector.ref == MAIN:
        if metadata.current_snapshot_id is None:
            return None, False
        return get_snapshot(session, table.table_id, metadata.current_snapshot_id, MAIN), False
    ref = named_ref(metadata, selector.ref)
    if ref is None:
        return None, False
    return get_snapshot(session, table.table_id, ref.snapshot_id, ref.branch), ref.kind == "tag"


def find_snapshot(session: Session, table: TableRecord, snapshot_id: int) -> SnapshotRecord:
    """Return a snapshot by its id: from main, or else from the only branch that has it."""
    try:
        return get_snapshot(session, table.table_id, snapshot_id)
    except SnapshotNotFound:
        records = list_snapshots(session, table.table_id)
        found = [record for record in records if record.snapshot.snapshot_id == snapshot_id]
        if len(found) != 1:
            raise
        return found[0]


def named_ref(metadata: TableMetadata, name: str) -> Ref | None:
    """Return the branch or tag of a name, a branch first; None for a branch without snapshots.

    Raises:
        RefNotFound: there is neither.
    """
    for ref in metadata.refs:
        if ref.name == name and (ref.kind == "branch" or name not in metadata.branch_schemas):
            return ref
    if name in metadata.branch_schemas:
        return None
    raise RefNotFound(f"the table has no branch or tag {name!r}", ref=name)


def last_published(index: Index, table: TableRecord, record: SnapshotRecord) -> SnapshotRecord | None:
    """Return a snapshot's newest published ancestor that has not expired; None if there is none."""
    with index.database.reading() as session:
        records = list_snapshots(session, table.table_id)
    by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == record.snapshot.branch}
    ancestors = CATALOG_RULES.of(table).ancestors(by_id, record.snapshot)
    readable = (one for one in ancestors if one.state == "published" and not one.snapshot.is_expired)
    return next(readable, None)


def newest_schema_id(metadata: TableMetadata, branch: str) -> int:
    """Return the id of a branch's current schema; Iceberg's branches use the table's."""
    own = metadata.branch_schemas.get(branch)
    return max(schema.schema_id for schema in own) if own else metadata.current_schema_id
