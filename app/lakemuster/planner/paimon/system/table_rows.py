"""Rows of the system tables of a table or branch: from its metadata, independent of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from lakemuster.formats.paimon.schema_json import fields_json, spelled_type
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES

Row = Mapping[str, object]


def table_rows(name: str, metadata: TableMetadata, branch: str, records: Sequence[SnapshotRecord]) -> pa.Table:
    """Return the rows of a branch's system table, in the order of its key; rows of columns in the schema's order.

    Args:
        name: a system table whose ``of`` is ``table``.
        branch: a branch that has a schema.
        records: the branch's snapshots, oldest first.
    """
    return SYSTEM_TABLES[name].of_rows(_ROWS[name](metadata, branch, records))


def _schemas(metadata: TableMetadata, branch: str) -> tuple[Schema, ...]:
    found = metadata.schemas if branch == MAIN else metadata.branch_schemas[branch]
    return tuple(sorted(found, key=lambda schema: schema.schema_id))


def _snapshot_rows(_metadata: TableMetadata, _branch: str, records: Sequence[SnapshotRecord]) -> list[Row]:
    """Return the snapshots that have not expired; not those that only a tag or a changelog retains."""
    kept = sorted(
        (record.snapshot for record in records if record.snapshot.source == "snapshot"),
        key=lambda snapshot: snapshot.snapshot_id,
    )
    return [
        {
            **snapshot.extra,
            "snapshot_id": snapshot.snapshot_id,
            "schema_id": snapshot.schema_id,
            "commit_time": _utc(snapshot.committed_at_ms),
        }
        for snapshot in kept
    ]


def _schema_rows(metadata: TableMetadata, branch: str, _records: Sequence[SnapshotRecord]) -> list[Row]:
    return [
        {
            "schema_id": schema.schema_id,
            "fields": _flat_json(fields_json(schema.fields)),
            "partition_keys": _flat_json(schema.partition_keys),
            "primary_keys": _flat_json(schema.primary_keys),
            "options": _flat_json(dict(schema.options)),
            "comment": schema.comment,
            "update_time": _utc(schema.created_at_ms),
        }
        for schema in _schemas(metadata, branch)
    ]


def _option_rows(metadata: TableMetadata, branch: str, _records: Sequence[SnapshotRecord]) -> list[Row]:
    return [{"key": key, "value": value} for key, value in sorted(_schemas(metadata, branch)[-1].options)]


def _tag_rows(metadata: TableMetadata, branch: str, records: Sequence[SnapshotRecord]) -> list[Row]:
    snapshots = {record.snapshot.snapshot_id: record.snapshot for record in records}
    rows: list[Row] = []
    for ref in sorted(metadata.refs, key=lambda ref: ref.name):
        if ref.kind == "tag" and ref.branch == branch:
            snapshot = snapshots.get(ref.snapshot_id)
            rows.append(
                {
                    "tag_name": ref.name,
                    "snapshot_id": ref.snapshot_id,
                    "schema_id": None if snapshot is None else snapshot.schema_id,
                    "commit_time": None if snapshot is None else _utc(snapshot.committed_at_ms),
                    "record_count": None if snapshot is None else snapshot.extra.get("total_record_count"),
                    "create_time": _local(ref.extra.get("tag_create_time")),
                    "time_retained": _duration(ref.extra.get("tag_time_retained")),
                }
            )
    return rows


def _branch_rows(metadata: TableMetadata, _branch: str, _records: Sequence[SnapshotRecord]) -> list[Row]:
    """Return the table's branches; every branch has the same rows."""
    times = metadata.extra.get("branches_created_ms")
    known = times if isinstance(times, Mapping) else {}
    return [{"branch_name": name, "create_time": _utc(known.get(name))} for name in sorted(metadata.branch_schemas)]


def _consumer_rows(metadata: TableMetadata, branch: str, _records: Sequence[SnapshotRecord]) -> list[Row]:
    consumers = metadata.extra.get("consumers")
    if branch != MAIN:
        of_branches = metadata.extra.get("branch_consumers")
        consumers = of_branches.get(branch) if isinstance(of_branches, Mapping) else None
    found = consumers if isinstance(consumers, Mapping) else {}
    return [{"consumer_id": name, "next_snapshot_id": found[name]} for name in sorted(found)]


def _aggregation_rows(metadata: TableMetadata, branch: str, _records: Sequence[SnapshotRecord]) -> list[Row]:
    """Return every column with its ``fields.<name>.…`` options."""
    schema = _schemas(metadata, branch)[-1]
    functions: dict[str, list[tuple[str, str]]] = {}
    for key, value in sorted(schema.options):
        words = key.split(".")
        if len(words) > 2 and words[0] == "fields":
            functions.setdefault(words[1], []).append((key, value))
    return [
        {
            "field_name": field.name,
            "field_type": spelled_type(field),
            "function": f"[{', '.join(value for _, value in functions.get(field.name, ()))}]",
            "function_options": f"[{', '.join(key for key, _ in functions.get(field.name, ()))}]",
            "comment": field.doc,
        }
        for field in schema.fields
    ]


_ROWS: dict[str, Callable[[TableMetadata, str, Sequence[SnapshotRecord]], list[Row]]] = {
    "snapshots": _snapshot_rows,
    "schemas": _schema_rows,
    "options": _option_rows,
    "tags": _tag_rows,
    "branches": _branch_rows,
    "consumers": _consumer_rows,
    "aggregation_fields": _aggregation_rows,
}


def _flat_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _utc(at_ms: object) -> int | None:
    """Return milliseconds, which Arrow converts to a timestamp; None for other types."""
    return at_ms if isinstance(at_ms, int) else None


def _local(text: object) -> int | None:
    """Parse a local date-time in ISO form to milliseconds, truncated."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text[:23]).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)


def _duration(seconds: object) -> str | None:
    """Write seconds like Java's ``Duration.toString()``: ``PT72H``, ``PT1M30.5S``."""
    if isinstance(seconds, str) or seconds is None:
        return seconds
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    exact = Decimal(str(seconds))
    if not exact.is_finite():
        return None
    sign = -1 if exact < 0 else 1
    whole, rest = divmod(abs(exact), 60)
    hours, minutes = divmod(int(whole), 60)
    text = f"{sign * hours}H" if hours else ""
    text += f"{sign * minutes}M" if minutes else ""
    if rest or not text:
        digits = f"{rest:f}".rstrip("0").rstrip(".") if "." in f"{rest:f}" else f"{rest:f}"
        text += f"{'-' if sign < 0 and rest else ''}{digits}S"
    return f"PT{text}"
