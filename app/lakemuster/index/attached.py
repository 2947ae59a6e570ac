"""Index records of attached catalogs' tables: synchronized with the catalog's listing, and marked after commits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Update, bindparam, case, delete, or_, select, update
from sqlalchemy.orm import Session

from lakemuster.index.change_file import Change
from lakemuster.index.database import Database, NowMs, current_ms
from lakemuster.index.encoding import encode
from lakemuster.index.events import NewEvent, record
from lakemuster.index.orm import LeaseRow, TableRow
from lakemuster.index.orm_base import can_be_indexed
from lakemuster.index.statements import chunks, insert_new, insert_new_returning
from lakemuster.metadata.names import namespace_of
from lakemuster.metadata.snapshot import Format

# If the clock has stepped back, the change must not be recorded before the last look.
_MARK = update(TableRow).values(
    changed_at_ms=case((TableRow.checked_at_ms > NowMs(), TableRow.checked_at_ms), else_=NowMs())
)
# A companion has the name of its table; only the table is marked.
_MARK_TABLE = _MARK.where(TableRow.name == bindparam("table_name"), TableRow.companion_of.is_(None))
_MARK_BELOW = _MARK.where(TableRow.location.like(bindparam("pattern"), escape="/"))


def mark_changed(database: Database, changes: Sequence[Change]) -> None:
    """Record that tables may have changed now, so that their next requests look at the pointers.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    if database.changes is not None:
        database.changes.add(changes)
        return
    marks: list[tuple[Update, dict[str, object]]] = []
    for one in changes:
        if one.name is not None:
            marks.append((_MARK_TABLE, {"table_name": one.name}))
        else:
            marks.append((_MARK_BELOW, {"pattern": re.sub("[/%_]", r"/\g<0>", one.location) + "%"}))
    database.update(marks)


def names_below(session: Session, prefix: str) -> list[str]:
    """Return the names of the tables whose locations have a prefix."""
    return list(ids_below(session, prefix))


def ids_below(session: Session, prefix: str) -> dict[str, int]:
    """Return the ids of the tables whose locations have a prefix, by name."""
    rows = session.execute(select(TableRow.name, TableRow.id).where(_is_below(prefix)))
    return {row.name: row.id for row in rows}


@dataclass(frozen=True, slots=True)
class Known:
    """The record of an attached catalog's table; ``metadata_location`` and ``uuid`` are None until it is read."""

    name: str
    location: str
    metadata_location: str | None
    uuid: str | None


_KNOWN = select(TableRow.name, TableRow.location, TableRow.metadata_location, TableRow.uuid)


def known_below(session: Session, prefix: str) -> list[Known]:
    """Return the tables whose locations have a prefix."""
    return [Known(*row) for row in session.execute(_KNOWN.where(_is_below(prefix)))]


def known_with(session: Session, prefix: str, metadata_location: str, uuid: str | None) -> list[Known]:
    """Return the tables whose locations have a prefix, and which have a metadata file or a uuid."""
    same = TableRow.metadata_location == metadata_location
    either = same if uuid is None else or_(same, TableRow.uuid == uuid)
    return [Known(*row) for row in session.execute(_KNOWN.where(_is_below(prefix), either))]


def rename_table(session: Session, known: Known, name: str, location: str) -> bool:
    """Give a table of an attached catalog its new name and location; its indexed contents stay.

    Returns:
        Whether it was renamed; False if it is gone, or the name is taken or too long for the index.
    """
    own = (TableRow.name == known.name, TableRow.location == known.location, TableRow.companion_of.is_(None))
    row = session.execute(select(TableRow).where(*own).with_for_update()).scalar()
    taken = session.scalar(select(TableRow.id).where(TableRow.name == name, TableRow.companion_of.is_(None)))
    if row is None or taken is not None or not can_be_indexed(name):
        return False
    row.name, row.namespace, row.location, row.stale_reason = name, namespace_of(name), location, None
    session.flush()
    # Its next request looks at the pointer.
    session.execute(_MARK_TABLE, {"table_name": name}, execution_options={"synchronize_session": False})
    record(session, [NewEvent("table.renamed", name, {"previous_name": known.name, "format": row.format})])
    return True


def replace_tables(
    session: Session, prefix: str, locations: Mapping[str, str], format: Format, before: Mapping[str, int]
) -> tuple[int, int]:
    """Register the tables that a catalog lists, and remove those that it no longer lists.

    Args:
        prefix: common prefix of the locations of the catalog's tables.
        locations: the tables' locations, by name.
        format: the format of all tables.
        before: the ids of the tables known before the listing, by name. Other tables stay: the listing may be older
            than they are.

    Returns:
        The number of tables registered, and the number removed.
    """
    known = ids_below(session, prefix)
    created_at_ms = current_ms(session)
    rows = [
        {
            "name": name,
            "namespace": namespace_of(name),
            "location": location,
            "format": format,
            "rewrites": encode(()),
            "allowed_roots": encode(()),
            "created_at_ms": created_at_ms,
            "generation": 0,
        }
        for name, location in locations.items()
        if name not in known and can_be_indexed(name)
    ]
    # A request may have registered some of them meanwhile.
    added = insert_new_returning(session, TableRow.name, rows)
    record(session, [NewEvent("table.registered", name, {"format": format}) for name in added])
    for names in chunks(added):
        ids = session.execute(select(TableRow.id).where(TableRow.name.in_(names), _is_below(prefix))).scalars()
        leases = [{"table_id": table_id, "holder": None, "fence": 0, "expires_at_ms": 0} for table_id in ids]
        insert_new(session, LeaseRow, leases)
    gone = sorted(
        table_id for name, table_id in known.items() if name not in locations and before.get(name) == table_id
    )
    for table_ids in chunks(gone):
        gone_rows = session.execute(delete(TableRow).where(TableRow.id.in_(table_ids)).returning(TableRow.name))
        record(session, [NewEvent("table.removed", name, {"format": format}) for name in sorted(gone_rows.scalars())])
    return len(added), len(gone)


def _is_below(prefix: str) -> ColumnElement[bool]:
    return TableRow.location.startswith(prefix, autoescape=True)
