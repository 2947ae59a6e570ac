"""Plan tables that read partitions of a second branch, as Paimon's ``scan.fallback-branch`` specifies.

The first of the two branches is read whole; from the other, a scan reads only the partitions in which it reads no file
of the first. Filters do not change which partitions those are.

Source: Paimon ``FallbackReadFileStoreTable``, ``FileStoreTableFactory``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakemuster.caching import cached
from lakemuster.errors import FormatUnsupported
from lakemuster.index import Index
from lakemuster.metadata.schema import Schema
from lakemuster.planner.scan.partitions import Partitions
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex, scan_index_of
from lakemuster.planner.view import SecondBranch, View
from lakemuster.predicates import TRUE, Bound

StatisticsChoice = Callable[[View], frozenset[int] | None]
PredicateBinding = Callable[[View], Bound]


def plan_of(
    index: Index,
    view: View,
    bound: PredicateBinding,
    statistics: StatisticsChoice,
    *,
    read_optimized: bool = False,
    details: bool = True,
) -> Plan:
    """Plan a whole snapshot.

    Args:
        bound: binds the predicate to the columns of a branch.
        statistics: returns the columns of a branch whose statistics are wanted.

    Raises:
        FormatUnsupported: unknown options, or a second branch that cannot be read with this one.
    """
    own, second = scan_indexes_of(index, view, read_optimized=read_optimized)
    plan = Plan(own, bound(view), statistics(view), details=details)
    if second is None:
        return plan
    at = second.view
    other = Plan(second, bound(at), statistics(at), details=details, shows_branch=True)
    return replace(plan, second_branch=other, shows_branch=True)


def scan_indexes_of(index: Index, view: View, *, read_optimized: bool = False) -> tuple[ScanIndex, ScanIndex | None]:
    """Return the scan indexes of a view's branch and of the second branch, if it reads one.

    Raises:
        FormatUnsupported: as for :func:`plan_of`.
    """
    other = view.second_branch
    if other is None:
        return scan_index_of(index, view, read_optimized=read_optimized), None
    if other.problem is not None:
        raise FormatUnsupported(f"{other.option} reads branch {other.branch}: {other.problem}", option=other.option)
    if other.view is None or view.snapshot is None:
        # A branch without snapshots has no partitions: the other one is read whole.
        beside = None if other.view is None else scan_index_of(index, other.view, read_optimized=read_optimized)
        return scan_index_of(index, view, read_optimized=read_optimized), beside
    _require_columns(other, view.schemas[0], other.view.schemas[0])
    first = scan_index_of(index, other.view if other.is_first else view, read_optimized=read_optimized)
    rest = scan_index_of(
        index, view if other.is_first else other.view, read_optimized=read_optimized, without=partitions_of(first)
    )
    return (rest, first) if other.is_first else (first, rest)


@cached("partitions", lambda found: 2000 + 300 * len(found.values), lambda scan: scan.cache_key)
def partitions_of(scan: ScanIndex) -> Partitions:
    """Return the partitions of the files that a scan reads."""
    spec = scan.view.metadata.specs[0]
    plan = Plan(scan, TRUE, details=False)
    tables = (batch.entries.recorded for batch in plan.batches())
    return Partitions.of(tuple(field.field_id for field in spec.fields), tables)


def _require_columns(other: SecondBranch, own: Schema, second: Schema) -> None:
    """Refuse a second branch that lacks a column or has it with another type. Unlike Paimon, allow more columns."""
    types = {field.name: field.type for field in second.fields}
    unlike = [field.name for field in own.fields if types.get(field.name) != field.type]
    if unlike:
        raise FormatUnsupported(
            f"{other.option} reads branch {other.branch}, which lacks column {unlike[0]} or has it with another type",
            option=other.option,
        )
