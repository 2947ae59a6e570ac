"""The commits that led to a ref's state, each with the snapshot before it and the gap between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.catalog.chosen_snapshots import named_ref
from lakemuster.catalog.services import Services
from lakemuster.index.snapshots import SnapshotRecord, list_snapshots
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.reachable import names_by_snapshot
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.planner.history.rules import HISTORY_RULES

FIRST_NUMBER = 1


@dataclass(frozen=True, slots=True)
class Gap:
    """Expired snapshots before a commit; ``snapshots`` is their number, None if unknown."""

    snapshots: int | None


@dataclass(frozen=True, slots=True)
class Commit:
    """A snapshot of a lineage.

    Attributes:
        before: the snapshot before it; None if there was none, or if it has expired.
        gap: what has expired between that snapshot and this one.
    """

    record: SnapshotRecord
    before: SnapshotRecord | None
    gap: Gap | None


@dataclass(frozen=True, slots=True)
class Lineage:
    """The commits of a ref, oldest first, as of one look at the table.

    Attributes:
        refs: names of branches and tags, by the branch and id of their snapshot.
        stale: why this is not the table's newest state; None if it is.
    """

    table: TableRecord
    metadata: TableMetadata
    commits: Sequence[Commit]
    refs: Mapping[tuple[str, int], Sequence[str]]
    stale: str | None


def lineage_of(services: Services, name: str, ref: str | None) -> Lineage:
    """Return the commits that led to a branch's or tag's state; by default main's.

    Raises:
        RefNotFound: the table has no such ref.
        LookFailed: the ref is unknown, and the table's pointer cannot be read.
    """

    def find(table: TableRecord, metadata: TableMetadata) -> tuple[TableRecord, TableMetadata, list[Commit]]:
        with services.index.database.reading() as session:
            records = list_snapshots(session, table.table_id)
        return table, metadata, _commits(table, metadata, records, ref or MAIN)

    (table, metadata, commits), stale = services.found(name, find)
    return Lineage(table, metadata, commits, names_by_snapshot(metadata.refs), stale)


def _commits(table: TableRecord, metadata: TableMetadata, records: Sequence[SnapshotRecord], name: str) -> list[Commit]:
    branch, newest = _head(metadata, name)
    by_id = {record.snapshot.snapshot_id: record for record in records if record.snapshot.branch == branch}
    if newest is None or newest not in by_id:
        return []
    head = by_id[newest]
    newest_first = [head, *CATALOG_RULES.of(table).ancestors(by_id, head.snapshot)]
    are_numbered = HISTORY_RULES.of(table).numbers_snapshots
    commits: list[Commit] = []
    for record, before in zip(newest_first, [*newest_first[1:], None], strict=True):
        gap = _numbered_gap(record, before) if are_numbered else _parent_gap(record, before)
        commits.append(Commit(record, before, gap))
    return commits[::-1]


def _head(metadata: TableMetadata, name: str) -> tuple[str, int | None]:
    """Return the branch and the snapshot id of a ref; the id is None for a branch without snapshots."""
    if name == MAIN:
        return MAIN, metadata.current_snapshot_id
    ref = named_ref(metadata, name)
    return (name, None) if ref is None else (ref.branch, ref.snapshot_id)


def _numbered_gap(record: SnapshotRecord, before: SnapshotRecord | None) -> Gap | None:
    """Return the gap before a numbered snapshot. Branches other than main may begin with any number."""
    snapshot = record.snapshot
    if before is None:
        missing = snapshot.snapshot_id - FIRST_NUMBER if snapshot.branch == MAIN else 0
    else:
        missing = snapshot.snapshot_id - before.snapshot.snapshot_id - 1
    return Gap(missing) if missing > 0 else None


def _parent_gap(record: SnapshotRecord, before: SnapshotRecord | None) -> Gap | None:
    return Gap(None) if before is None and record.snapshot.parent_id is not None else None
