"""What a table was and is, of all its time or of a chosen snapshot: snapshots, refs, schemas, specs.

Each comes with the table, and with why its newest state cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakemuster.catalog.chosen_snapshots import find_snapshot
from lakemuster.catalog.documents import schemas_out, specs_out
from lakemuster.catalog.services import Services
from lakemuster.errors import RefNotFound
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import MAIN, Ref, TableMetadata
from lakemuster.planner.manifest_list import manifest_records
from lakemuster.planner.view import Selector, View
from lakemuster.wire.native.schemas import SchemaOut, SpecOut


def snapshots_of(
    services: Services, name: str, selector: Selector
) -> tuple[TableRecord, list[SnapshotRecord], str | None]:
    """The snapshots of main that the table's metadata knows, oldest first.

    A ref that names another branch of Paimon gives that branch's, whose ids repeat main's. Of a chosen snapshot: it
    and those that led to it.
    """
    branch = MAIN
    view = None
    if selector != Selector():
        _, metadata, _ = services.fresh(name)
        # A branch is listed whole: its newest snapshot may be one that cannot be read.
        if selector.ref in metadata.branch_schemas and selector == Selector(ref=selector.ref):
            branch = selector.ref or MAIN
        else:
            view = services.view(name, selector)
    table, records, stale = services.snapshots(name)
    own = [record for record in records if record.snapshot.branch == branch]
    return table, sorted(own if view is None else _history(records, view), key=by_time), stale


def snapshot_of(services: Services, name: str, snapshot_id: int, ref: str | None) -> tuple[TableRecord, SnapshotRecord]:
    """One snapshot by its id: of a ref's branch; without one, of main, or else of the one branch that has it.

    Raises:
        SnapshotNotFound: that branch has none of that id, or several others do.
        RefNotFound: there is no such branch or tag.
        LookFailed: it is not known, and the table cannot be looked at.
    """

    def find(table: TableRecord, metadata: TableMetadata) -> tuple[TableRecord, SnapshotRecord]:
        with services.index.database.reading() as session:
            if ref is None:
                return table, find_snapshot(session, table, snapshot_id)
            return table, get_snapshot(session, table.table_id, snapshot_id, _branch_of(metadata, ref))

    return services.found(name, find)[0]


def _branch_of(metadata: TableMetadata, ref: str) -> str:
    """The branch that a branch or tag is of."""
    if ref == MAIN or ref in metadata.branch_schemas:
        return ref
    for named in metadata.refs:
        if named.name == ref:
            return named.branch
    raise RefNotFound(f"no branch or tag {ref!r}", ref=ref)


def names_of(services: Services, name: str) -> dict[tuple[str, int], list[str]]:
    """The branches and tags that name a snapshot, by its branch and id."""
    _, metadata, _ = services.fresh(name)
    found: dict[tuple[str, int], list[str]] = {}
    for ref in sorted(metadata.refs, key=lambda ref: ref.name):
        found.setdefault((ref.branch, ref.snapshot_id), []).append(ref.name)
    return found


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
