"""List a table's snapshots, refs, schemas and partition specs, of all time or for one chosen snapshot.

Each list comes with the table, and with the reason if its newest state cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.catalog.chosen_snapshots import find_snapshot, named_ref
from lakemuster.catalog.documents import schemas_out, snapshot_out, specs_out
from lakemuster.catalog.listings import DocumentListing, sorted_documents
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import direction
from lakemuster.errors import RequestInvalid
from lakemuster.index.snapshots import SnapshotRecord, get_snapshot
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.reachable import names_by_snapshot
from lakemuster.metadata.snapshot import MAIN, Ref, TableMetadata
from lakemuster.planner.manifest_list import manifest_records
from lakemuster.planner.view import Selector, View
from lakemuster.wire.documents import SNAPSHOTS
from lakemuster.wire.native.schemas import SchemaOut, SpecOut


def snapshots_of(
    services: Services, name: str, selector: Selector
) -> tuple[TableRecord, list[SnapshotRecord], str | None]:
    """Return the snapshots of main in the table's metadata, oldest first.

    A ref that names another Paimon branch selects that branch, whose ids repeat main's. For a chosen snapshot, return
    it and its ancestors.
    """
    branch = MAIN
    view = None
    if selector != Selector():
        _, metadata, _ = services.fresh(name)
        # A branch is listed without a view: its newest snapshot may be unreadable.
        if selector.ref in metadata.branch_schemas and selector == Selector(ref=selector.ref):
            branch = selector.ref or MAIN
        else:
            view = services.view(name, selector)
    table, records, stale = services.snapshots(name)
    own = [record for record in records if record.snapshot.branch == branch]
    return table, sorted(own if view is None else _history(records, view), key=_by_time), stale


def snapshot_of(services: Services, name: str, snapshot_id: int, ref: str | None) -> tuple[TableRecord, SnapshotRecord]:
    """Return one snapshot by its id: from the ref's branch; without a ref, from main or else the only branch with it.

    Raises:
        SnapshotNotFound: the branch has no snapshot with that id, or, without a ref, several other branches do.
        RefNotFound: the branch or tag does not exist.
        LookFailed: the snapshot is unknown, and the table's pointer cannot be read.
    """

    def find(table: TableRecord, metadata: TableMetadata) -> tuple[TableRecord, SnapshotRecord]:
        with services.index.database.reading() as session:
            if ref is None:
                return table, find_snapshot(session, table, snapshot_id)
            return table, get_snapshot(session, table.table_id, snapshot_id, _branch_of(metadata, ref))

    return services.found(name, find)[0]


def _branch_of(metadata: TableMetadata, name: str) -> str:
    """Return the branch of a ref: a branch's own name, or the branch that a tag belongs to."""
    ref = None if name == MAIN else named_ref(metadata, name)
    return name if ref is None else ref.branch


def names_of(services: Services, table: TableRecord) -> dict[tuple[str, int], list[str]]:
    """Return the names of branches and tags as of the last look, by the branch and id of their snapshot."""
    return names_by_snapshot(services.metadata(table).refs)


def refs_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[Ref], str | None]:
    """Return branches and tags, by name; for a chosen snapshot, only refs that name it."""
    view = _chosen(services, name, selector)
    table, metadata, stale = services.fresh(name)
    found = (ref for ref in metadata.refs if view is None or (ref.branch, ref.snapshot_id) == _place(view))
    return table, sorted(found, key=lambda ref: (ref.name, ref.kind)), stale


def schemas_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[SchemaOut], str | None]:
    """Return every schema; for a chosen snapshot, the one that it is read with."""
    view = _chosen(services, name, selector)
    table, metadata, stale = services.fresh(name)
    found = schemas_out(metadata)
    if view is not None:
        at = (_place(view)[0], view.schemas[0].schema_id)
        found = [schema for schema in found if (schema.branch, schema.schema_id) == at]
    return table, found, stale


def specs_of(services: Services, name: str, selector: Selector) -> tuple[TableRecord, list[SpecOut], str | None]:
    """Return every partition spec; for a chosen snapshot, only the specs of its manifests."""
    view = _chosen(services, name, selector)
    used = None if view is None else {m.header.spec_id for m in manifest_records(services.index, view)}
    table, metadata, stale = services.fresh(name)
    return table, [spec for spec in specs_out(metadata) if used is None or spec.spec_id in used], stale


_SORTS: dict[str, Callable[[SnapshotRecord], int | str | None]] = {
    "committed_at": lambda record: record.snapshot.committed_at_ms,
    "snapshot_id": lambda record: record.snapshot.snapshot_id,
    "sequence_number": lambda record: record.snapshot.sequence_number,
    "schema_id": lambda record: record.snapshot.schema_id,
    "operation": lambda record: record.snapshot.operation,
    "state": lambda record: record.state,
}


def _snapshot_order(sort: str | None, order: str | None) -> tuple[Callable[[SnapshotRecord], int | str | None], bool]:
    """Return the value to sort snapshots by, and whether in descending order; by default, newest first.

    Raises:
        RequestInvalid: snapshots cannot be sorted by that field.
    """
    field, descending = direction(sort, order, default=True)
    value = _SORTS.get(field or "committed_at")
    if value is None:
        raise RequestInvalid(f"snapshots are sorted by one of {', '.join(_SORTS)}", sort=field)
    return value, descending


def snapshot_listing(
    services: Services, name: str, selector: Selector, sort: str | None, order: str | None
) -> tuple[TableRecord, DocumentListing[SnapshotRecord], str | None]:
    """Return the table, its snapshots as a sorted list, and the reason if its newest state cannot be read.

    Raises:
        RequestInvalid: snapshots cannot be sorted by that field.
    """
    table, records, stale = snapshots_of(services, name, selector)
    names = names_of(services, table)
    value, descending = _snapshot_order(sort, order)
    listing = sorted_documents(
        SNAPSHOTS,
        records,
        value,
        _by_time,
        lambda record: snapshot_out(table, record, names).model_dump(mode="json"),
        descending=descending,
    )
    return table, listing, stale


def _by_time(record: SnapshotRecord) -> tuple[int, int]:
    """Return the sort key of snapshots."""
    return record.snapshot.committed_at_ms, record.row_id


def _chosen(services: Services, name: str, selector: Selector) -> View | None:
    """Return the view of the chosen snapshot; None if none is chosen."""
    return None if selector == Selector() else services.view(name, selector)


def _place(view: View) -> tuple[str, int | None]:
    """Return the branch and id of a view's snapshot; without a snapshot the id is None, which no ref has."""
    return (view.branch, None) if view.snapshot is None else (view.snapshot.snapshot.branch, view.snapshot_id)


def _history(records: Sequence[SnapshotRecord], view: View) -> list[SnapshotRecord]:
    """Return a snapshot and its ancestors."""
    if view.snapshot is None:
        return []
    chosen = view.snapshot.snapshot
    by_id = {r.snapshot.snapshot_id: r for r in records if r.snapshot.branch == chosen.branch}
    own = by_id.get(chosen.snapshot_id)
    return [*([] if own is None else [own]), *CATALOG_RULES.of(view.table).ancestors(by_id, chosen)]
