"""Derive events from new metadata: commits, moved refs, and altered columns, partitioning and properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from lakemuster.index.encoding import decode
from lakemuster.index.events import NewEvent
from lakemuster.index.orm import RefRow, SchemaRow, SpecRow, TableRow
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.reachable import Reached, RefChange, RefKey, SnapshotKey, moved_refs, refs_by_key
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata

MAX_KEYS = 100
"""Maximum number of names of changed properties in an event; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Known:
    """A table's previous state in the index. ``refs``, ``schemas`` and ``specs`` are None if unchanged.

    Attributes:
        schemas: the schemas of main, by id.
        specs: the partition specs, by id.
    """

    refs: Mapping[RefKey, SnapshotKey] | None
    schemas: Mapping[int, Schema] | None
    specs: Mapping[int, PartitionSpec] | None
    current_schema_id: int | None
    default_spec_id: int | None
    properties: Mapping[str, str]
    uuid: str | None

    @classmethod
    def of(cls, row: TableRow, replaced: Mapping[type[RefRow | SchemaRow | SpecRow], Sequence[Any] | None]) -> Self:
        """Create it from a table's row.

        Args:
            replaced: the previous rows of refs, schemas and specs; None for those that are unchanged.
        """
        refs, schemas, specs = replaced[RefRow], replaced[SchemaRow], replaced[SpecRow]
        return cls(
            None if refs is None else refs_by_key(decode(one.document) for one in refs),
            None if schemas is None else {s.schema_id: decode(s.document) for s in schemas if s.branch == MAIN},
            None if specs is None else {one.spec_id: decode(one.document) for one in specs},
            row.current_schema_id,
            row.default_spec_id,
            decode(row.properties or b"{}"),
            row.uuid,
        )


def events_of(name: str, before: Known | None, metadata: TableMetadata, reached: Sequence[Reached]) -> list[NewEvent]:
    """Return the events of new metadata: commits, parents first, then moved refs, then alterations.

    Args:
        name: the table's name.
        before: the previous state; None for the first metadata, which moves and alters nothing.
        reached: the snapshots that refs reach for the first time.
    """
    events = [NewEvent("table.committed", name, _commit(one)) for one in reached]
    if before is None:
        return events
    new = {(one.snapshot.branch, one.snapshot.snapshot_id): one.snapshot for one in reached}
    refs = refs_by_key(metadata.refs) if before.refs is None else before.refs
    events += [NewEvent("table.ref_changed", name, _moved(change)) for change in moved_refs(refs, metadata, new)]
    altered = _altered(before, metadata)
    return [*events, NewEvent("table.altered", name, altered)] if altered else events


def _commit(reached: Reached) -> dict[str, object]:
    snapshot = reached.snapshot
    return {
        "snapshot_id": str(snapshot.snapshot_id),
        "parent_id": None if snapshot.parent_id is None else str(snapshot.parent_id),
        "sequence_number": snapshot.sequence_number,
        "branch": snapshot.branch,
        "ref": reached.ref,
        "operation": snapshot.operation,
        "schema_id": snapshot.schema_id,
        "committed_at_ms": snapshot.committed_at_ms,
    }


def _moved(change: RefChange) -> dict[str, object]:
    return {
        "ref": change.name,
        "ref_type": change.kind,
        "branch": change.branch,
        "previous_snapshot_id": None if change.before is None else str(change.before),
        "snapshot_id": None if change.after is None else str(change.after),
    }


def _altered(before: Known, metadata: TableMetadata) -> dict[str, object]:
    """Return the alterations with the new values; empty if there are none."""
    found: dict[str, object] = {}
    if None not in (before.uuid, metadata.uuid) and before.uuid != metadata.uuid:
        found["replaced"] = True
    now = {schema.schema_id: schema for schema in metadata.schemas}
    earlier = (now if before.schemas is None else before.schemas).get(before.current_schema_id or 0)
    current = now.get(metadata.current_schema_id)
    if _columns(earlier) != _columns(current):
        found["schema_id"] = metadata.current_schema_id
    specs = {spec.spec_id: spec for spec in metadata.specs}
    spec = (specs if before.specs is None else before.specs).get(before.default_spec_id or 0)
    if spec != specs.get(metadata.default_spec_id):
        found["spec_id"] = metadata.default_spec_id
    keys = sorted({*before.properties, *metadata.properties})
    changed = [key for key in keys if before.properties.get(key) != metadata.properties.get(key)]
    if changed:
        found["properties"] = changed[:MAX_KEYS]
        found["property_count"] = len(changed)
    return found


def _columns(schema: Schema | None) -> object:
    return None if schema is None else (schema.fields, schema.identifier_field_ids)
