"""Registered tables: add, find, list and remove them, and record when their pointers were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from lakemuster.errors import RequestInvalid, TableExists, TableNotFound
from lakemuster.index.database import Database, NowMs, current_ms
from lakemuster.index.encoding import decode, encode
from lakemuster.index.orm import MAX_INDEXED_BYTES, LeaseRow, TableRow, can_be_indexed
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
from lakemuster.metadata.names import Levels, format_name
from lakemuster.metadata.snapshot import Format

__all__ = [
    "TableRecord",
    "add_table",
    "find_table",
    "get_table",
    "has_metadata",
    "list_tables",
    "load_metadata",
    "names_by_id",
    "note_look",
    "note_unchanged",
    "peek_table",
    "records_where",
    "refs",
    "remove_table",
    "restate",
    "schemas",
    "similar_names",
    "snapshot_log",
    "specs",
    "store_metadata",
    "tables_by_id",
    "touch",
]


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A registered table.

    Attributes:
        location: as registered: the table's root or its metadata file, before rewrites.
        rewrites: (old, new) prefixes of locations in its metadata.
        allowed_roots: roots that the operator allowed for this table in addition to the server's.
        confined_to: its namespace's locations when it was registered, outside of which it may not live; None: all
            roots.
        generation: grows when a snapshot id comes to mean another snapshot.
        checked_at_ms: when its pointer was last read, by the database's clock; None before the first time.
        stale_reason: why the pointer, or its metadata, could not be read at the last attempt.
        pointer: the token of the look that led to the current metadata (see ``ingest.pointers``).
        metadata_location … last_updated_ms: of the current metadata; None before the first refresh.
        table_location: the table's root according to its metadata.
        companion_of: for a companion (see ``companions``), the id of its Paimon table.
    """

    table_id: int
    name: str
    format: Format
    location: str
    rewrites: tuple[tuple[str, str], ...]
    allowed_roots: tuple[str, ...]
    created_at_ms: int
    generation: int
    checked_at_ms: int | None
    stale_reason: str | None
    pointer: str | None
    metadata_location: str | None
    table_location: str | None
    uuid: str | None
    format_version: int | None
    current_schema_id: int | None
    default_spec_id: int | None
    current_snapshot_id: int | None
    last_updated_ms: int | None
    companion_of: int | None = None
    confined_to: tuple[str, ...] | None = None

    @property
    def state(self) -> TableRecord:
        """The record without the time of the last look: equal if nothing else has changed."""
        return self if self.checked_at_ms is None else _unlooked(self)


@lru_cache(maxsize=1024)
def _unlooked(record: TableRecord) -> TableRecord:
    return replace(record, checked_at_ms=None)


_COLUMNS = (
    TableRow.id,
    TableRow.name,
    TableRow.format,
    TableRow.location,
    TableRow.rewrites,
    TableRow.allowed_roots,
    TableRow.created_at_ms,
    TableRow.generation,
    TableRow.checked_at_ms,
    TableRow.stale_reason,
    TableRow.pointer,
    TableRow.metadata_location,
    TableRow.table_location,
    TableRow.uuid,
    TableRow.format_version,
    TableRow.current_schema_id,
    TableRow.default_spec_id,
    TableRow.current_snapshot_id,
    TableRow.last_updated_ms,
    TableRow.companion_of,
    TableRow.confined_to,
)
# Executed on every request: building the statement each time would take longer than executing it.
_BY_NAME = select(*_COLUMNS).where(TableRow.name == bindparam("name"), TableRow.companion_of.is_(None))


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
        raise RequestInvalid(f"a table's name has at most {MAX_INDEXED_BYTES} bytes")
    row = TableRow(
        name=name,
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
        raise TableExists(f"a table of the name {name} is registered already", table=name) from cause
    session.add(LeaseRow(table_id=row.id, holder=None, fence=0, expires_at_ms=0))
    session.flush()
    return get_table(session, name)


def get_table(session: Session, name: str) -> TableRecord:
    """The table with a name.

    Raises:
        TableNotFound: no table has that name.
    """
    return _only(name, session.execute(_BY_NAME, {"name": name}).all())


def find_table(database: Database, name: str) -> TableRecord:
    """The table with a name, as it is now; without a transaction, since every request calls it.

    Raises:
        TableNotFound: no table has that name.
    """
    return peek_table(database, name) or _only(name, database.rows(_BY_NAME, {"name": name}))


def peek_table(database: Database, name: str) -> TableRecord | None:
    """Like :func:`find_table`, but None when the database cannot answer without waiting.

    Raises:
        TableNotFound: no table has that name.
    """
    rows = database.peek(_BY_NAME, {"name": name})
    return None if rows is None else _only(name, rows)


def _only(name: str, rows: Sequence[Sequence[Any]]) -> TableRecord:
    if not rows:
        raise TableNotFound(f"no table {name}", table=name)
    return _record(tuple(rows[0]))


def list_tables(session: Session) -> list[TableRecord]:
    """All tables by name, without companions."""
    return records_where(session, TableRow.companion_of.is_(None))


def names_by_id(session: Session) -> dict[int, str]:
    """The names of all tables, by id, without companions."""
    rows = session.execute(select(TableRow.id, TableRow.name).where(TableRow.companion_of.is_(None)))
    return {row.id: row.name for row in rows}


def tables_by_id(session: Session, table_ids: Sequence[int]) -> list[TableRecord]:
    """The tables with these ids that are still registered, in no order."""
    return [
        _read(tuple(row))
        for chunk in chunks(sorted(table_ids))
        for row in session.execute(select(*_COLUMNS).where(TableRow.id.in_(chunk)))
    ]


def records_where(session: Session, *conditions: ColumnElement[bool]) -> list[TableRecord]:
    """The tables and companions that meet all conditions, by name."""
    records = [_record(tuple(row)) for row in session.execute(select(*_COLUMNS).where(*conditions))]
    return sorted(records, key=lambda record: record.name)


def similar_names(session: Session, name: Levels, format: Format | None, limit: int) -> list[str]:
    """The names of tables in the namespace of ``name`` or with its last level, those of like length first.

    Args:
        format: of the tables, companions included; None: any.
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
    removed = session.execute(chosen.returning(TableRow.id)).first()
    if removed is None:
        raise TableNotFound(f"no table {name}", table=name)


def touch(session: Session, table_id: int, checked_at_ms: int, stale_reason: str | None = None) -> None:
    """Record that the table's pointer was read, or why reading it failed."""
    values: dict[str, object] = {"stale_reason": stale_reason}
    if stale_reason is None:
        values["checked_at_ms"] = checked_at_ms
    session.execute(update(TableRow).where(TableRow.id == table_id).values(values))


def note_look(session: Session, table_id: int, seconds_ago: float, stale_reason: str | None = None) -> int | None:
    """Record that the table's pointer was read ``seconds_ago``; None when the table is gone.

    Returns:
        The time of that by the database's clock, milliseconds.
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


def note_unchanged(session: Session, table_ids: Sequence[int], seconds_ago: float) -> dict[int, int]:
    """Record that the pointers of tables were read ``seconds_ago`` and had not changed.

    A table that became stale meanwhile stays as it is.

    Returns:
        The times of that by the database's clock, in milliseconds, by table.
    """
    noted: dict[int, int] = {}
    looked = NowMs() - round(seconds_ago * 1000)
    for chunk in chunks(sorted(table_ids)):
        rows = session.execute(
            update(TableRow)
            .where(TableRow.id.in_(chunk), TableRow.stale_reason.is_(None))
            .values(checked_at_ms=looked)
            .returning(TableRow.id, TableRow.checked_at_ms)
            .execution_options(synchronize_session=False)
        )
        noted.update((row.id, row.checked_at_ms) for row in rows)
    return noted


def restate(session: Session, table_id: int, before: str | None, stale_reason: str | None) -> None:
    """Change the reason why a table is stale, unless it is no longer ``before``."""
    session.execute(
        update(TableRow)
        .where(TableRow.id == table_id, TableRow.stale_reason == before)
        .values(stale_reason=stale_reason)
        .execution_options(synchronize_session=False)
    )


@lru_cache(maxsize=1024)
def _record(row: tuple[Any, ...]) -> TableRecord:
    return _read(row)


def _read(row: tuple[Any, ...]) -> TableRecord:
    values = dict(zip(_NAMES, row, strict=True))
    confined_to = values["confined_to"]
    values |= {name: decode(values[name]) for name in ("rewrites", "allowed_roots")}
    return TableRecord(**values | {"confined_to": None if confined_to is None else decode(confined_to)})


_NAMES = ("table_id", *(column.key for column in _COLUMNS[1:]))
