"""The record of a registered table, its figures, and their conversion from database rows."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from lakemuster.index.encoding import decode
from lakemuster.metadata.snapshot import Format


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A registered table.

    Attributes:
        location: as registered: the table's root or its metadata file, before rewrites.
        rewrites: (old, new) prefixes of locations in its metadata.
        allowed_roots: roots that the operator allowed for this table in addition to the server's.
        confined_to: its namespace's locations when it was registered, to which it is confined; None for all roots.
        generation: grows when a snapshot id is reused for another snapshot.
        checked_at_ms: when its pointer was last read, by the database's clock; None before the first time.
        stale_reason: why the pointer, or its metadata, could not be read at the last attempt.
        pointer: the token of the look that found the current metadata (see ``ingest.pointers``).
        metadata_location … last_updated_ms: of the current metadata; None before the first refresh.
        table_location: the table's root according to its metadata.
        companion_of: for a companion (see ``companions``), the id of its Paimon table.
        changed_at_ms: time of the last observed commit, by the database's clock, which invalidates earlier looks.
        incarnation: of the database; part of the key of whatever is cached under ids of rows (see ``incarnation``).
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
    changed_at_ms: int | None = None
    incarnation: str | None = None

    @property
    def state(self) -> TableRecord:
        """The record without the times of the last look and commit, for comparison of everything else."""
        return self if self.checked_at_ms is None and self.changed_at_ms is None else _unlooked(self)


@lru_cache(maxsize=1024)
def _unlooked(record: TableRecord) -> TableRecord:
    return replace(record, checked_at_ms=None, changed_at_ms=None)


@dataclass(frozen=True, slots=True)
class TableFigures:
    """Figures of a table: sums over its current snapshot, and of its history. None if not known yet.

    Attributes:
        total_records: rows of its data files as their writers counted them, including deleted rows.
        data_files, delete_files: numbers of live files.
        total_bytes: size of all live files.
        snapshots: number of snapshots of main in its metadata.
        last_committed_at_ms: when its current snapshot was committed.
    """

    total_records: int | None
    data_files: int | None
    total_bytes: int | None
    delete_files: int | None
    snapshots: int | None
    last_committed_at_ms: int | None


FIGURES = tuple(field.name for field in fields(TableFigures))
"""The columns of a table's row that hold its figures."""

HEALTH = "health"
"""The column of a table's row that holds the rank of its health."""

UNKNOWN_FIGURES = TableFigures(*(None for _ in FIGURES))


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table and its figures.

    Attributes:
        health: the rank of its health, see ``metadata.health``; None if it was not computed yet.
        component: the rank of the component that the list is filtered by; None without such a filter.
    """

    record: TableRecord
    figures: TableFigures
    health: int | None = None
    component: int | None = None


_NAMES = tuple(field.name for field in fields(TableRecord))

COLUMNS = ("id", *_NAMES[1:])
"""The columns of a table's row, in the order of the record's attributes."""


@lru_cache(maxsize=1024)
def record_of(row: tuple[Any, ...]) -> TableRecord:
    """Convert a row of :data:`COLUMNS` to a record; recently used records are cached."""
    return read_record(row)


def read_record(row: tuple[Any, ...]) -> TableRecord:
    """Convert a row of :data:`COLUMNS` to a record."""
    values = dict(zip(_NAMES, row, strict=True))
    confined_to = values["confined_to"]
    values |= {name: _decoded(values[name]) for name in ("rewrites", "allowed_roots")}
    return TableRecord(**values | {"confined_to": None if confined_to is None else _decoded(confined_to)})


@lru_cache(maxsize=256)
def _decoded(document: bytes) -> Any:
    """Decode rewrites or roots, cached because most tables have equal ones."""
    return decode(document)
