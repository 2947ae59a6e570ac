"""Turn a client's plan request into a plan: choose the snapshot and the schema of its names, bind the filter."""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.catalog.attached import is_read_at_catalog
from lakemuster.catalog.iceberg_rest.plan_tokens import Scan
from lakemuster.catalog.services import Services
from lakemuster.errors import ClientMustPlan, FilterInvalid, LocationRefused, LookFailed, SnapshotNotFound
from lakemuster.metadata.schema import Schema
from lakemuster.planner.iceberg.incremental import appends_between, plan_appends
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.planner.view import Selector, View
from lakemuster.predicates import TRUE, Bound, NanMode, bind, either
from lakemuster.wire.iceberg_rest.expressions import parse_expression
from lakemuster.wire.iceberg_rest.plans import PlanTableScanRequest


@dataclass(frozen=True, slots=True)
class PlannedScan:
    """A scan, and its plan for ``view``."""

    scan: Scan
    view: View
    plan: Plan


def plan_request(services: Services, name: str, asked: PlanTableScanRequest, nan: NanMode) -> PlannedScan:
    """Plan a client's request.

    The client has read the table's metadata, and expects a plan of the current snapshot named there. If that snapshot
    cannot be planned, no older one replaces it.

    Raises:
        FilterInvalid: the filter is invalid; the message says where.
        TableNotFound: no table has that name.
        LookFailed, ClientMustPlan: the table belongs to an attached catalog, and its newest metadata cannot be read.
        CompanionNotFound: it is a Paimon table without Iceberg metadata that can be served.
        SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished: see :meth:`Services.view`.
        RequestInvalid: the snapshots of an incremental scan do not follow one another.
    """
    view = _chosen(services, name, asked.snapshot_id if asked.end_snapshot_id is None else asked.end_snapshot_id)
    current = _schema(view, view.metadata.current_schema_id)
    schema = _snapshot_schema(view) if asked.use_snapshot_schema else current
    named = {one.schema_id: one for one in (schema, current)}
    statistics = [_ids(one, asked.stats_fields or [], case_sensitive=asked.case_sensitive) for one in named.values()]
    scan = Scan(
        snapshot_id=view.snapshot_id,
        row_id=None if view.snapshot is None else view.snapshot.row_id,
        after=asked.start_snapshot_id,
        schema_id=schema.schema_id,
        filter=asked.filter,
        case_sensitive=asked.case_sensitive,
        statistics=tuple(sorted(frozenset[int]().union(*statistics))),
        min_rows=asked.min_rows_requested or None,
        nan=nan,
        other_schema_id=current.schema_id if len(named) > 1 else None,
    )
    return _planned(services, view, scan)


def plan_again(services: Services, name: str, scan: Scan) -> PlannedScan:
    """Plan a scan of an earlier request.

    Raises:
        SnapshotNotFound: the snapshot, or its schema, no longer exists.
        SnapshotQuarantined, SnapshotUnpublished: the snapshot cannot be read any more.
    """
    view = services.view(name, Selector(scan.snapshot_id), iceberg=True)
    if (None if view.snapshot is None else view.snapshot.row_id) != scan.row_id:
        raise SnapshotNotFound("the snapshot of this plan no longer exists")
    return _planned(services, view, scan)


def _chosen(services: Services, name: str, snapshot_id: int | None) -> View:
    view = services.view(name, Selector(snapshot_id), iceberg=True)
    current = view.metadata.current_snapshot_id
    if snapshot_id is None and view.snapshot_id != current:
        view = services.view(name, Selector(current), iceberg=True)
    if snapshot_id is None and view.stale is not None and is_read_at_catalog(services.refresher.upstreams, view.table):
        # An earlier state would be wrong, so wait longer for the newest one.
        services.catch_up(view.table)
        view = services.view(name, Selector(None), iceberg=True)
        if view.stale is not None:
            raise _newest_unread(view.stale)
    return view


def _newest_unread(reason: str) -> LookFailed | ClientMustPlan:
    """Return the error for a plan whose client has read newer metadata at the catalog than this server can."""
    if reason.startswith(LocationRefused.code):
        return ClientMustPlan(
            f"this server may not read the table's metadata ({reason}): let the client plan, with "
            "scan-planning-mode=client among the catalog's properties"
        )
    return LookFailed(f"the table's newest metadata cannot be read: {reason}")


def _planned(services: Services, view: View, scan: Scan) -> PlannedScan:
    bound = _bound(scan, view)
    services.recent_plans.record(view, bound)
    statistics = frozenset(scan.statistics)
    if scan.after is None:
        return PlannedScan(scan, view, Plan(scan_index_of(services.index, view), bound, statistics))
    after = scan.after
    end, views = services.followed(
        view.table.name, scan.snapshot_id, lambda known, last: appends_between(known, after, last), iceberg=True
    )
    return PlannedScan(scan, view, plan_appends(services.index, views, end, bound, statistics))


def _bound(scan: Scan, view: View) -> Bound:
    """Bind a scan's filter.

    Iceberg Java asks for the snapshot's schema whenever a scan names a snapshot (apache/iceberg pull request 15609).
    Spark's scans always do, and yet have the table's columns, unless the query itself names the snapshot. So a filter
    of such a request may have the names of either schema.
    """
    if scan.filter is None:
        return TRUE
    own = _schema(view, scan.schema_id)
    if scan.other_schema_id is None:
        return _bound_to(own, scan, view)
    other = _schema(view, scan.other_schema_id)
    try:
        bound = _bound_to(own, scan, view)
    except FilterInvalid as refused:
        try:
            return _bound_to(other, scan, view)
        except FilterInvalid:
            raise refused from None
    try:
        return either(bound, _bound_to(other, scan, view))
    except FilterInvalid:
        return bound


def _bound_to(schema: Schema, scan: Scan, view: View) -> Bound:
    tree = parse_expression(scan.filter, schema.names)
    return bind(
        tree,
        schema,
        case_sensitive=scan.case_sensitive,
        negations_match_null=True,
        nan=scan.nan,
        history=view.written_schemas,
    )


def _snapshot_schema(view: View) -> Schema:
    """Return the schema that the snapshot was written with, even if the view reads it with a newer one."""
    own = None if view.snapshot is None else view.snapshot.snapshot.schema_id
    return next((schema for schema in view.schemas if schema.schema_id == own), view.schemas[0])


def _schema(view: View, schema_id: int) -> Schema:
    for schema in view.schemas:
        if schema.schema_id == schema_id:
            return schema
    raise SnapshotNotFound("the schema of this plan no longer exists")


def _ids(schema: Schema, names: list[str], *, case_sensitive: bool) -> set[int]:
    """Return the ids of named columns; clients also name metadata columns, which have no statistics."""
    wanted = set(names) if case_sensitive else {name.casefold() for name in names}
    return {i for i, name in schema.names.items() if (name if case_sensitive else name.casefold()) in wanted}
