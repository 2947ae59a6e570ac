"""A table format's port in the catalog: snapshots' ancestors, incremental plans, system tables, second branches.

By default, a snapshot's ancestors are its parents, and the format supports none of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from lakemuster.errors import FormatUnsupported, RequestInvalid
from lakemuster.index import Index
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.paimon.system.tables import SystemTable
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.plan_rules import Splitting
from lakemuster.planner.view import SecondBranch, View
from lakemuster.predicates import Bound
from lakemuster.wire.native.plans import PlanOptions

MERGE_OPTIONS = ("scan_mode", "read_optimized", "splits", "split_target_size", "split_open_file_cost")
"""The plan options that only formats with merged files support."""

FollowedSnapshots = Callable[[Mapping[int, Snapshot], int], Sequence[Snapshot]]
"""Returns the snapshots that an increment reads, given a branch's snapshots by id and the last one's id."""

PublishedViews = Callable[[FollowedSnapshots], tuple[View, tuple[View, ...]]]
"""Returns the view of the last snapshot of an increment, and the views of the snapshots that it reads, published."""

Statistics = frozenset[int] | None


def parents(by_id: Mapping[int, SnapshotRecord], of: Snapshot) -> Iterator[SnapshotRecord]:
    """Yield a snapshot's parent, the parent's parent and so on, up to one that is not known."""
    seen = {of.snapshot_id}
    at = of.parent_id
    while at is not None and at not in seen and (record := by_id.get(at)) is not None:
        seen.add(at)
        yield record
        at = record.snapshot.parent_id


def refuse_merge_options(_view: View, asked: PlanOptions) -> None:
    """Refuse the plan options that only formats with merged files support.

    Raises:
        RequestInvalid: one of them is given.
    """
    given = [name for name in MERGE_OPTIONS if getattr(asked, name) not in (None, False)]
    if given:
        raise RequestInvalid(f"{', '.join(given)}: only for Paimon tables")


def no_increments(*_: object) -> NoReturn:
    """Refuse an incremental plan.

    Raises:
        FormatUnsupported: always.
    """
    raise FormatUnsupported("this table format does not support incremental plans")


def no_combined_branches(_options: Mapping[str, str], _branch: str) -> None:
    """Return None: no branch is read together with another one."""


@dataclass(frozen=True, slots=True)
class CatalogRules:
    """The rules of one format.

    Attributes:
        noun: names a table in messages, such as "an Iceberg table".
        is_iceberg: whether the Iceberg protocol serves the table's own metadata, and not that of a companion.
        ancestors: yields the ancestors of a snapshot among those of its branch, newest first.
        splitting: checks a plan's options for splits, and returns how splits are packed; None if none are requested.
        increment: plans what snapshots after ``start_snapshot_id`` added.
        system_tables: the system tables, by name.
        second_branch_options: the table options that name a second branch to read from; the first one takes precedence.
        combined_branches: returns a branch that is read together with one of these options in a way that is not
            supported, with the problem; None if there is none.
    """

    noun: str
    is_iceberg: bool = False
    ancestors: Callable[[Mapping[int, SnapshotRecord], Snapshot], Iterator[SnapshotRecord]] = parents
    splitting: Callable[[View, PlanOptions], Splitting | None] = refuse_merge_options
    increment: Callable[[Index, PublishedViews, PlanOptions, Bound, Statistics], Plan] = no_increments
    system_tables: Mapping[str, SystemTable] = field(default_factory=dict)
    second_branch_options: tuple[str, ...] = ()
    combined_branches: Callable[[Mapping[str, str], str], SecondBranch | None] = no_combined_branches


CATALOG_RULES: FormatRegistry[CatalogRules] = FormatRegistry()
