"""Companions: tables of another format, described by additional metadata that some tables write.

Some Paimon tables have an Iceberg table as their companion. A companion has the name of its table and is found only
through it. Otherwise it is treated like a registered table: its metadata is stored, its snapshots are published, and
refreshes are serialized by a lease of its own.
"""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from lakemuster.errors import TableNotFound
from lakemuster.index.database import current_ms
from lakemuster.index.encoding import encode
from lakemuster.index.orm import LeaseRow, TableRow
from lakemuster.index.tables import TableRecord, records_where
from lakemuster.metadata.names import namespace_of
from lakemuster.metadata.snapshot import Format


def find_companion(session: Session, table_id: int) -> TableRecord | None:
    """Return the companion of a table; None if it has none."""
    return next(iter(records_where(session, TableRow.companion_of == table_id)), None)


def owner_of(session: Session, companion: TableRecord) -> TableRecord:
    """Return the table that a companion belongs to.

    Raises:
        TableNotFound: the table was removed, and the companion with it.
    """
    for owner in records_where(session, TableRow.id == companion.companion_of):
        return owner
    raise TableNotFound(f"table {companion.name} is not registered", table=companion.name)


def set_companion(session: Session, table: TableRecord, location: str, format: Format) -> TableRecord:
    """Give a table a companion of a format at a location, replacing one at another location.

    Raises:
        TableNotFound: the table was removed.
    """
    # The row lock serializes concurrent calls.
    session.execute(select(TableRow.id).where(TableRow.id == table.table_id).with_for_update()).one_or_none()
    known = find_companion(session, table.table_id)
    if known is not None and known.location == location:
        return known
    remove_companion(session, table.table_id)
    owner = next(iter(records_where(session, TableRow.id == table.table_id)), None)
    if owner is None:
        raise TableNotFound(f"table {table.name} is not registered", table=table.name)
    row = TableRow(
        name=owner.name,
        namespace=namespace_of(owner.name),
        companion_of=owner.table_id,
        location=location,
        format=format,
        rewrites=encode(owner.rewrites),
        allowed_roots=encode(owner.allowed_roots),
        confined_to=None if owner.confined_to is None else encode(owner.confined_to),
        created_at_ms=current_ms(session),
        generation=0,
    )
    session.add(row)
    session.flush()
    session.add(LeaseRow(table_id=row.id, holder=None, fence=0, expires_at_ms=0))
    session.flush()
    (made,) = records_where(session, TableRow.id == row.id)
    return made


def remove_companion(session: Session, table_id: int) -> bool:
    """Delete the companion of a table; return whether it had one."""
    removed = session.execute(delete(TableRow).where(TableRow.companion_of == table_id).returning(TableRow.id)).first()
    return removed is not None


def withdraw_companion(session: Session, companion: TableRecord, reason: str) -> None:
    """Record why a companion cannot be read; it stays hidden until it is read again."""
    session.execute(
        update(TableRow)
        .where(TableRow.id == companion.table_id)
        .values(metadata_location=None, pointer=None, checked_at_ms=None, stale_reason=reason)
    )
