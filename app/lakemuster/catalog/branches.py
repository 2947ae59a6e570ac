"""Choose the second branch of a table that is read together with the requested one, and its snapshot.

Source: Paimon ``FileStoreTableFactory``, ``FallbackReadFileStoreTable.rewriteOtherOptions``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.errors import SnapshotQuarantined, SnapshotUnpublished
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.planner.view import SecondBranch, Selector, View

FIRST_SNAPSHOT = 1


def branch_of(view: View, selector: Selector) -> str:
    """Return the branch of a view."""
    if view.snapshot is not None:
        return view.snapshot.snapshot.branch
    return selector.ref or MAIN


def second_branch(metadata: TableMetadata, branch: str) -> SecondBranch | None:
    """Return the second branch that the newest schema of ``branch`` names; None if it names none, or a missing one."""
    rules = CATALOG_RULES.of(metadata)
    naming = rules.second_branch_options
    newest = _newest(metadata, branch)
    options = {} if newest is None else dict(newest.options)
    if (combined := rules.combined_branches(options, branch)) is not None:
        return combined
    for option in naming:
        name = options.get(option, "").strip()
        if name:
            is_there = name != branch and _newest(metadata, name) is not None
            return SecondBranch(option, name, option != naming[0]) if is_there else None
    return None


def with_second(
    view: View,
    selector: Selector,
    snapshots: Callable[[str], Sequence[SnapshotRecord]],
    published: Callable[[SnapshotRecord], SnapshotRecord],
) -> View:
    """Return a view together with the view of its second branch, if it has one.

    Args:
        snapshots: lists the snapshots of a branch.
        published: makes a snapshot readable.
    """
    other = second_branch(view.metadata, branch_of(view, selector))
    if other is None:
        return view
    if other.problem is not None:
        return replace(view, second_branch=other)
    # Like Paimon: expired snapshots are not found, even if a tag keeps them.
    unexpired = (record for record in snapshots(other.branch) if record.snapshot.source == "snapshot")
    known = sorted(unexpired, key=lambda record: record.snapshot.snapshot_id)
    own = branch_of(view, selector)
    newest_id = next((ref.snapshot_id for ref in view.metadata.refs if ref.kind == "branch" and ref.name == own), None)
    # Clients that pin a table's newest snapshot by its id expect the current table, including its second branch.
    by_id = selector.snapshot_id is not None and selector.snapshot_id != newest_id
    if selector.ref is not None and any(ref.name == selector.ref and ref.kind == "tag" for ref in view.metadata.refs):
        return replace(view, second_branch=replace(other, problem="tags of the table do not cover it"))
    at_ms = selector.as_of_ms
    if by_id and view.snapshot is not None:
        at_ms = view.snapshot.snapshot.committed_at_ms
    found = [record for record in known if at_ms is None or record.snapshot.committed_at_ms <= at_ms]
    chosen = found[-1] if found else None
    if chosen is None and by_id and known:
        # Like Paimon: for an id that is older than the branch, the branch's first snapshot is read.
        chosen = known[0] if known[0].snapshot.snapshot_id == FIRST_SNAPSHOT else None
        if chosen is None:
            return replace(view, second_branch=replace(other, problem="its snapshots of that time have expired"))
    if chosen is None:
        return replace(view, second_branch=other)
    # Read past snapshots with the newest schema, too: the table may have had columns before the branch had them.
    newest = _newest(view.metadata, other.branch)
    schema_id = None if newest is None else newest.schema_id
    try:
        beside = View(view.table, view.metadata, published(chosen), view.stale, schema_id)
    except (SnapshotQuarantined, SnapshotUnpublished) as error:
        return replace(view, second_branch=replace(other, problem=str(error)))
    return replace(view, second_branch=replace(other, view=beside))


def _newest(metadata: TableMetadata, branch: str) -> Schema | None:
    schemas = metadata.schemas if branch == MAIN else metadata.branch_schemas.get(branch, ())
    return max(schemas, key=lambda schema: schema.schema_id, default=None)
