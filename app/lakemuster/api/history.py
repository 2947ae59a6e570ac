"""What a table was and is, of all its time or of a chosen snapshot: snapshots, refs, schemas, specs.

Each comes with the table, and with why its newest state cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakemuster.api.documents import schemas_out, specs_out
from lakemuster.api.services import Services
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import MAIN, Ref
from lakemuster.planner.parts import manifest_records
from lakemuster.planner.view import Selector, View
from lakemuster.wire.native.schemas import SchemaOut, SpecOut


def snapshots_of(
    services: Services, name: str, selector: Selector
) -> tuple[TableRecord, list[SnapshotRecord], str | None]:
    """The snapshots that the table's metadata knows, oldest first; of a chosen one it and those that led to it."""
    view = _chosen(services, name, selector)
    table, records, stale = services.snapshots(name)
    found = records if view is None else _history(records, view)
    return table, sorted(found, key=by_time), stale


def refs_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[Ref], str | None]:
    """Branches and tags, by name; of a chosen snapshot those that name it."""
    view = _chosen(services, name, selector)
    table, metadata, stale = services.fresh(name)
    found = (ref for ref in metadata.refs if view is None or (ref.branch, ref.snapshot_id) == _place(view))
    return table, sorted(found, key=lambda ref: (ref.name, ref.kind)), stale


def schemas_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[SchemaOut], str | None]:
    """Every version of the table's columns; of a chosen snapshot the one that it is read with."""
    view = _chosen(services, name, selector)
    table, metadata, stale = services.fresh(name)
    found = schemas_out(metadata)
    if view is not None:
        at = (_place(view)[0], view.schemas[0].schema_id)
        found = [schema for schema in found if (schema.branch, schema.schema_id) == at]
    return table, found, stale


def specs_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[SpecOut], str | None]:
    """Every version of the table's partitioning; of a chosen snapshot those that its manifests have."""
    view = _chosen(services, name, selector)
    used = None if view is None else {m.header.spec_id for m in manifest_records(services.index, view)}
    table, metadata, stale = services.fresh(name)
    return table, [spec for spec in specs_out(metadata) if used is None or spec.spec_id in used], stale


def by_time(record: SnapshotRecord) -> tuple[int, int]:
    """The order of snapshots."""
    return record.snapshot.committed_at_ms, record.row_id


def _chosen(services: Services, name: str, selector: Selector) -> View | None:
    """The view of the snapshot that is asked for; None when none is."""
    return None if selector == Selector() else services.view(name, selector)


def _place(view: View) -> tuple[str, int | None]:
    """The branch and id of a view's snapshot; no ref or schema is at that of a table without snapshots."""
    return (MAIN, None) if view.snapshot is None else (view.snapshot.snapshot.branch, view.snapshot_id)


def _history(records: Sequence[SnapshotRecord], view: View) -> list[SnapshotRecord]:
    """A snapshot and its ancestors; Paimon's follow one another by id within their branch."""
    branch, at = _place(view)
    by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == branch}
    if view.table.format == "paimon":
        return [record for number, record in by_id.items() if at is not None and number <= at]
    found: list[SnapshotRecord] = []
    while at is not None and (record := by_id.pop(at, None)) is not None:
        found.append(record)
        at = record.snapshot.parent_id
    return found
