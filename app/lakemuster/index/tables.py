"""Registered tables: add, find, list and remove them, and record when their pointers were read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lakemuster.errors import RequestInvalid, TableExists, TableNotFound
from lakemuster.index.database import Database, NowMs, current_ms
from lakemuster.index.encoding import encode
from lakemuster.index.events import NewEvent, record
from lakemuster.index.orm import LeaseRow, SnapshotRow, TableRow
from lakemuster.index.orm_base import MAX_INDEXED_BYTES, can_be_indexed
from lakemuster.index.statements import chunks
from lakemuster.index.table_metadata_store import (
    has_metadata,
    load_metadata,
    refs,
    schemas,
    snapshot_log,
    specs,
    store_metadata,
)
from lakemuster.index.table_record import COLUMNS, TableRecord, read_record, record_of
from lakemuster.metadata.names import Levels, format_name, namespace_of
from lakemuster.metadata.snapshot import MAIN, Format

__all__ = [
    "TableRecord",
    "add_table",
    "find_table",
    "find_table_nowait",
    "get_table",
    "has_metadata",
    "list_tables",
    "load_metadata",
    "names_by_id",
    "record_look",
    "record_recent_look",
    "record_unchanged",
    "records_where",
    "refs",
    "remove_table",
    "replace_stale_reason",
    "schemas",
    "similar_names",
    "snapshot_log",
    "specs",
    "store_metadata",
    "tables_by_id",
    "unfinished",
]

_COLUMNS = tuple(getattr(TableRow, name) for name in COLUMNS)
# Executed on every request: building the statement each time would take longer than executing it.
_BY_NAME = select(*_COLUMNS).where(TableRow.name == bindparam("name"), TableRow.companion_of.is_(None))


_NOT_STALE = (
    select(TableRow.id, TableRow.pointer, SnapshotRow.error)
    .outerjoin(
        SnapshotRow,
        and_(
            SnapshotRow.table_id == TableRow.id,
            SnapshotRow.branch == MAIN,
            SnapshotRow.snapshot_id == TableRow.current_snapshot_id,
            SnapshotRow.state == "quarantined",
        ),
    )
    .where(TableRow.id.in_(bindparam("ids", expanding=True)), TableRow.stale_reason.is_(None))
    # Rows are locked in one order, so that processes that record looks at the same tables cannot deadlock.
    .order_by(TableRow.id)
    .with_for_update(of=TableRow)
)
"""Selects and locks tables that are not stale, with the reason why the newest snapshot is quarantined, if it is."""


def add_table(
    session: Session,
    name: str,
    location: str,
    format: Format,
    rewrites: Sequence[tuple[str, str]] = (),
    allowed_roots: Sequence[str] = (),
    confined_to: Sequence[str] | None = None,
) -> TableRecord:
    """Register a table.

    Raises:
        TableExists: the name is taken.
        RequestInvalid: the name is too long.
    """
    if not can_be_indexed(name):
        raise RequestInvalid(f"a table name may have at most {MAX_INDEXED_BYTES} bytes")
    row = TableRow(
        name=name,
        namespace=namespace_of(name),
        location=location,
        format=format,
        rewrites=encode(tuple((old, new) for old, new in rewrites)),
        allowed_roots=encode(tuple(allowed_roots)),
        confined_to=None if confined_to is None else encode(tuple(confined_to)),
        created_at_ms=current_ms(session),
        generation=0,
    )
    session.add(row)
    try:
        session.flush()
    except IntegrityError as cause:
        raise TableExists(f"table {name} is already registered", table=name) from cause
    session.add(LeaseRow(table_id=row.id, holder=None, fence=0, expires_at_ms=0))
    session.flush()
    record(session, [NewEvent("table.registered", name, {"format": format})])
    return get_table(session, name)


def get_table(session: Session, name: str) -> TableRecord:
    """Return the table with a name.

    Raises:
        TableNotFound: no table has that name.
    """
    return _only(name, session.execute(_BY_NAME, {"name": name}).all())


def find_table(database: Database, name: str) -> TableRecord:
    """Return the current record of the table with a name, without a transaction, since every request calls this.

    Raises:
        TableNotFound: no table has that name.
    """
    return find_table_nowait(database, name) or _only(name, database.rows(_BY_NAME, {"name": name}))


def find_table_nowait(database: Database, name: str) -> TableRecord | None:
    """Return the table with a name as :func:`find_table` does; None if the database cannot answer without waiting.

    Raises:
        TableNotFound: no table has that name.
    """
    rows = database.rows_nowait(_BY_NAME, {"name": name})
    return None if rows is None else _only(name, rows)


def _only(name: str, rows: Sequence[Sequence[Any]]) -> TableRecord:
    if not rows:
        raise TableNotFound(f"table {name} is not registered", table=name)
    return record_of(tuple(rows[0]))


def list_tables(session: Session, namespace: str | None = None) -> list[TableRecord]:
    """Return all tables, or those directly in a namespace, by name, without companions."""
    of = [] if namespace is None else [TableRow.namespace == namespace]
    return records_where(session, TableRow.companion_of.is_(None), *of)


def names_by_id(session: Session) -> dict[int, str]:
    """Return the names of all tables by id, without companions."""
    rows = session.execute(select(TableRow.id, TableRow.name).where(TableRow.companion_of.is_(None)))
    return {row.id: row.name for row in rows}


def tables_by_id(session: Session, table_ids: Sequence[int]) -> list[TableRecord]:
    """Return the tables with these ids that are still registered, in no order."""
    return [
        read_record(tuple(row))
        for chunk in chunks(sorted(table_ids))
        for row in session.execute(select(*_COLUMNS).where(TableRow.id.in_(chunk)))
    ]


def records_where(session: Session, *conditions: ColumnElement[bool]) -> list[TableRecord]:
    """Return the tables and companions that meet all conditions, by name."""
    records = [record_of(tuple(row)) for row in session.execute(select(*_COLUMNS).where(*conditions))]
    return sorted(records, key=lambda record: record.name)


def similar_names(session: Session, name: Levels, format: Format | None, limit: int) -> list[str]:
    """Return the names of tables in the namespace of ``name`` or with its last level, those of similar length first.

    Args:
        format: format of the tables or companions; None for any.
        limit: maximum number of names.
    """
    text, inside = format_name(name).lower(), format_name(name[:-1]).lower()
    lower = func.lower(TableRow.name)
    is_near = or_(
        lower.startswith(f"{inside}." if inside else "", autoescape=True),
        lower == format_name(name[-1:]).lower(),
        lower.endswith(f".{format_name(name[-1:]).lower()}", autoescape=True),
    )
    distance = func.abs(func.length(TableRow.name) - len(text)).label("distance")
    chosen = select(TableRow.name, distance).distinct().where(is_near).order_by(distance, TableRow.name).limit(limit)
    rows = session.execute(chosen if format is None else chosen.where(TableRow.format == format))
    return [found for found, _ in rows]


def remove_table(session: Session, name: str) -> None:
    """Delete a table, its companion, and all their rows; ``sweep`` removes the segments.

    Raises:
        TableNotFound: no table has that name.
    """
    chosen = delete(TableRow).where(TableRow.name == name, TableRow.companion_of.is_(None))
    removed = session.execute(chosen.returning(TableRow.format)).first()
    if removed is None:
        raise TableNotFound(f"table {name} is not registered", table=name)
    record(session, [NewEvent("table.removed", name, {"format": removed.format})])


def record_look(session: Session, table_id: int, checked_at_ms: int, stale_reason: str | None = None) -> None:
    """Record that the table's pointer was read, or why reading it failed."""
    values: dict[str, object] = {"stale_reason": stale_reason}
    if stale_reason is None:
        values["checked_at_ms"] = checked_at_ms
    session.execute(update(TableRow).where(TableRow.id == table_id).values(values))


def record_recent_look(
    session: Session, table_id: int, seconds_ago: float, stale_reason: str | None = None
) -> int | None:
    """Record that the table's pointer was read ``seconds_ago``.

    Returns:
        The recorded time by the database's clock, in milliseconds; None if the table no longer exists.
    """
    looked = NowMs() - round(seconds_ago * 1000)
    noted = session.execute(
        update(TableRow)
        .where(TableRow.id == table_id)
        .values(checked_at_ms=looked, stale_reason=stale_reason)
        .returning(TableRow.checked_at_ms)
        .execution_options(synchronize_session=False)
    ).scalar()
    return None if noted is None else int(noted)


def record_unchanged(
    session: Session, pointers: Mapping[int, str | None], seconds_ago: Callable[[], float]
) -> dict[int, int]:
    """Record that the pointers of tables were read and were unchanged.

    A table that became stale meanwhile is not updated, and neither is one with another pointer, since a database that
    was restored, or failed over, may lack its newest state. A table whose newest snapshot is quarantined becomes stale
    for this reason, and its look is not recorded.

    Args:
        pointers: the tokens that were read, by table id.
        seconds_ago: returns how long ago they were read; called once the rows are locked, which may take a while.

    Returns:
        The recorded times by the database's clock, in milliseconds, by table id.
    """
    noted: dict[int, int] = {}
    for chunk in chunks(sorted(pointers)):
        found = session.execute(_NOT_STALE, {"ids": chunk})
        reasons = {row.id: row.error for row in found if row.pointer == pointers[row.id]}
        for table_id in [table_id for table_id, reason in reasons.items() if reason is not None]:
            record_look(session, table_id, 0, reasons.pop(table_id))
        rows = session.execute(
            update(TableRow)
            .where(TableRow.id.in_(list(reasons)))
            .values(checked_at_ms=NowMs() - round(seconds_ago() * 1000))
            .returning(TableRow.id, TableRow.checked_at_ms)
            .execution_options(synchronize_session=False)
        )
        noted.update((row.id, row.checked_at_ms) for row in rows)
    return noted


def unfinished(session: Session, table_ids: Sequence[int]) -> set[int]:
    """Return the tables whose current snapshot is not indexed, and which no process is refreshing.

    A first refresh that ended early leaves such a table, since its metadata becomes visible before its snapshots.
    """
    known = (
        select(TableRow.id)
        .join(
            SnapshotRow,
            and_(
                SnapshotRow.table_id == TableRow.id,
                SnapshotRow.branch == MAIN,
                SnapshotRow.snapshot_id == TableRow.current_snapshot_id,
                SnapshotRow.state == "known",
            ),
        )
        .join(LeaseRow, LeaseRow.table_id == TableRow.id)
        .where(or_(LeaseRow.holder.is_(None), LeaseRow.expires_at_ms <= NowMs()))
    )
    found: set[int] = set()
    for chunk in chunks(sorted(table_ids)):
        found.update(session.scalars(known.where(TableRow.id.in_(chunk))))
    return found


def replace_stale_reason(session: Session, table_id: int, before: str | None, stale_reason: str | None) -> None:
    """Change the reason why a table is stale, if it still is ``before``."""
    session.execute(
        update(TableRow)
        .where(TableRow.id == table_id, TableRow.stale_reason == before)
        .values(stale_reason=stale_reason)
        .execution_options(synchronize_session=False)
    )
