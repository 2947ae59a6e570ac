"""Result types of the client for rows of a fixed shape. ``row`` is always the server's JSON object.

If a list is requested with ``fields``, the attributes of all other fields are None, and a summary is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

Row = Mapping[str, Any]
"""One row as the server wrote it: 64-bit ids, decimals and times are text."""


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A registered table.

    Attributes:
        name: dotted, levels with a dot in backticks.
        format: ``iceberg`` or ``paimon``.
        location: its root, or the metadata file that it was registered with.
        current_snapshot_id: the main branch's snapshot; None for a table without snapshots.
        total_records, data_files, total_bytes, delete_files: sums over its live files; None if not known yet.
        snapshots: the number of snapshots of main.
        last_committed_at: the commit time of the current snapshot; an aware datetime in UTC.
        health: ``ok``, ``unknown``, ``warning`` or ``critical``; None if not computed yet.
    """

    name: str
    format: str
    location: str
    current_snapshot_id: int | None
    row: Row
    total_records: int | None = None
    data_files: int | None = None
    total_bytes: int | None = None
    delete_files: int | None = None
    snapshots: int | None = None
    last_committed_at: datetime | None = None
    health: str | None = None

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from a row of ``/tables``."""
        figures = ("total_records", "data_files", "total_bytes", "delete_files", "snapshots")
        return cls(
            name=row["name"],
            format=row["format"],
            location=row["location"],
            current_snapshot_id=_integer(row.get("current_snapshot_id")),
            row=row,
            **{name: _integer(row.get(name)) for name in figures},
            last_committed_at=None if row.get("last_committed_at") is None else _moment(row["last_committed_at"]),
            health=row.get("health"),
        )


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One committed version of a table.

    Attributes:
        committed_at: an aware datetime in UTC; None if the year is outside of Python's range.
        state: ``known`` (not indexed yet), ``published`` or ``quarantined``, with the reason in ``error``.
        summary: Iceberg's summary; empty for Paimon, whose own fields are in ``row``.
    """

    snapshot_id: int
    parent_id: int | None
    sequence_number: int | None
    committed_at: datetime | None
    operation: str | None
    schema_id: int | None
    summary: Mapping[str, str]
    state: str
    error: str | None
    row: Row

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from a row of ``/snapshots``."""
        return cls(
            snapshot_id=_given_integer(row, "snapshot_id"),
            parent_id=_integer(row.get("parent_id")),
            sequence_number=_integer(row.get("sequence_number")),
            committed_at=None if row.get("committed_at") is None else _moment(row["committed_at"]),
            operation=row.get("operation"),
            schema_id=_integer(row.get("schema_id")),
            summary=row.get("summary") or {},
            state=_given(row, "state"),
            error=row.get("error"),
            row=row,
        )


@dataclass(frozen=True, slots=True)
class RefInfo:
    """A named reference to a snapshot; ``type`` is ``branch`` or ``tag``.

    ``branch`` is the Paimon branch to whose numbering ``snapshot_id`` belongs; ``main`` for Iceberg.
    """

    name: str
    type: str
    snapshot_id: int
    branch: str
    row: Row

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from a row of ``/refs``."""
        return cls(
            name=_given(row, "name"),
            type=_given(row, "type"),
            snapshot_id=_given_integer(row, "snapshot_id"),
            branch=_given(row, "branch"),
            row=row,
        )


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The result of a refresh.

    Attributes:
        published: ids of the snapshots that became readable.
        quarantined: ``(snapshot id, reason)`` of snapshots that cannot be read.
        seconds: wall-clock time.
    """

    published: tuple[int, ...]
    quarantined: tuple[tuple[int, str], ...]
    manifests_fetched: int
    entries_decoded: int
    seconds: float
    row: Row

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from the response of ``/refresh``."""
        return cls(
            published=tuple(int(snapshot_id) for snapshot_id in row["published"]),
            quarantined=tuple((int(item["snapshot_id"]), item["reason"]) for item in row["quarantined"]),
            manifests_fetched=row["manifests_fetched"],
            entries_decoded=row["entries_decoded"],
            seconds=row["seconds"],
            row=row,
        )


def _given(row: Row, name: str) -> Any:
    """Return a field that every row has, unless ``fields`` leaves it out."""
    return row.get(name)


def _given_integer(row: Row, name: str) -> Any:
    return _integer(row.get(name))


def _integer(value: str | int | None) -> int | None:
    return None if value is None else int(value)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
