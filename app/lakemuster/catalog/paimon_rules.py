"""The catalog's rules for Paimon tables: ancestors, splits, incremental plans, system tables, second branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakemuster.catalog.catalog_rules import CatalogRules, PublishedViews, Statistics
from lakemuster.errors import RequestInvalid
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.paimon.details import table_splitting
from lakemuster.planner.paimon.incremental import commits_between, plan_commits
from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.plan_rules import Splitting
from lakemuster.planner.view import SecondBranch, View
from lakemuster.predicates import Bound
from lakemuster.wire.native.plans import PlanOptions

SECOND_BRANCHES = ("scan.fallback-branch", "scan.primary-branch")


_CHAIN = "chain-table.enabled"
_CHAIN_PROBLEM = "merging it with branch {} is not supported, but each branch can be read by its name"
_CHAIN_BRANCHES = ("scan.fallback-snapshot-branch", "scan.fallback-delta-branch")


def chain_branch(options: Mapping[str, str], branch: str) -> SecondBranch | None:
    """Return the snapshot branch of a chain table, whose partitions a read of ``branch`` merges with delta branches.

    None if the table is not a chain table, or the branch is one of those two, which are read alone.

    Source: Paimon ``FileStoreTableFactory.createChainTable``.
    """
    named = [options.get(option, "").strip() for option in _CHAIN_BRANCHES]
    if options.get(_CHAIN, "").strip().lower() != "true" or not all(named):
        return None
    if branch.lower() in (name.lower() for name in named):
        return None
    return SecondBranch(_CHAIN, named[0], False, problem=_CHAIN_PROBLEM.format(named[1]))


def earlier(by_id: Mapping[int, SnapshotRecord], of: Snapshot) -> Iterator[SnapshotRecord]:
    """Yield the snapshots with smaller ids, newest first: a branch is ordered by id."""
    yield from (by_id[number] for number in sorted(by_id, reverse=True) if number < of.snapshot_id)


def splitting(view: View, asked: PlanOptions) -> Splitting | None:
    """Return how splits are packed, if splits are requested.

    Raises:
        RequestInvalid: an option lacks the option that it requires, or excludes another one.
    """
    if asked.scan_mode is not None and asked.start_snapshot_id is None:
        raise RequestInvalid("scan_mode requires start_snapshot_id")
    if asked.read_optimized and asked.start_snapshot_id is not None:
        raise RequestInvalid("read_optimized and start_snapshot_id are mutually exclusive")
    target, cost = asked.split_target_size, asked.split_open_file_cost
    if not asked.splits:
        if target is not None or cost is not None:
            raise RequestInvalid("split_target_size and split_open_file_cost require splits")
        return None
    return table_splitting(view.schemas[0], target, cost)


def increment(index: Index, views: PublishedViews, asked: PlanOptions, bound: Bound, statistics: Statistics) -> Plan:
    """Plan the files that commits appended, or their changelog files.

    Raises:
        RequestInvalid: the snapshots do not follow one another, or some have expired.
    """
    start, scan = asked.start_snapshot_id, asked.scan_mode or "delta"
    assert start is not None
    end, commits = views(lambda snapshots, last: commits_between(snapshots, start, last, scan))
    return plan_commits(index, commits, end, scan, bound, statistics)


PAIMON_RULES = CatalogRules(
    "a Paimon table",
    ancestors=earlier,
    splitting=splitting,
    increment=increment,
    system_tables=SYSTEM_TABLES,
    second_branch_options=SECOND_BRANCHES,
    combined_branches=chain_branch,
)
