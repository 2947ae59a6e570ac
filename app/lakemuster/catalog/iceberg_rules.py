"""The catalog's rules for Iceberg tables: incremental plans."""

from __future__ import annotations

from lakemuster.catalog.catalog_rules import CatalogRules, PublishedViews, Statistics
from lakemuster.index import Index
from lakemuster.planner.iceberg.incremental import appends_between, plan_appends
from lakemuster.planner.scan.plan import Plan
from lakemuster.predicates import Bound
from lakemuster.wire.native.plans import PlanOptions


def increment(index: Index, views: PublishedViews, asked: PlanOptions, bound: Bound, statistics: Statistics) -> Plan:
    """Plan the files that append snapshots added.

    Raises:
        RequestInvalid: the first snapshot is not an ancestor of the last one.
    """
    start = asked.start_snapshot_id
    assert start is not None
    end, appends = views(lambda snapshots, last: appends_between(snapshots, start, last))
    return plan_appends(index, appends, end, bound, statistics)


ICEBERG_RULES = CatalogRules("an Iceberg table", is_iceberg=True, increment=increment)
