"""Turn a plan request into a plan, and an explain request into the explanation of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lakemuster.catalog.catalog_rules import CATALOG_RULES, FollowedSnapshots
from lakemuster.catalog.filters import Filter, not_applied_out
from lakemuster.catalog.plan_response import PlanListing
from lakemuster.catalog.services import Services
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import FilterInvalid, FormatUnsupported, RequestInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.planner.lists.snapshot_lists import statistics_of
from lakemuster.planner.scan.branches import plan_of, scan_indexes_of
from lakemuster.planner.scan.explain import FileReason, Level, combined, explain
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.view import Selector, View
from lakemuster.predicates import Bound, BoundAnd, BoundOr
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.native.explanations import DroppedOut, ExplanationOut, FileReasonOut, LevelOut, ReasonOut
from lakemuster.wire.native.plans import ExplainRequest, NotAppliedOut, PlanOptions, QueryOptions

EVERY = "*"
MAX_REASONS = 10_000
"""Maximum comparisons explained in one response: each takes about 0.1 ms and 300 bytes."""
SHOWN = 100


def selector_of(asked: QueryOptions) -> Selector:
    """Return the selector of the requested snapshot.

    Raises:
        RequestInvalid: the snapshot is chosen in more than one way, or a time is invalid.
    """
    chosen = Selector(asked.snapshot_id, asked.ref, None if asked.as_of is None else parse_instant(asked.as_of))
    if isinstance(asked, PlanOptions) and (asked.start_snapshot_id, asked.end_snapshot_id) != (None, None):
        if asked.start_snapshot_id is None:
            raise RequestInvalid("end_snapshot_id requires start_snapshot_id")
        if chosen != Selector():
            raise RequestInvalid(
                "start_snapshot_id excludes snapshot_id, ref and as_of: end_snapshot_id selects the last snapshot"
            )
        return Selector(asked.end_snapshot_id)
    return chosen


def plan_listing(services: Services, view: View, asked: PlanOptions, *, stale: str | None) -> PlanListing:
    """Return the requested plan of a snapshot.

    Raises:
        FilterInvalid: the filter is invalid; or not all of it can prune, and the request is strict.
        RequestInvalid: a column or the schema does not exist, or snapshots do not follow one another.
    """
    given = Filter(asked.filter)
    if asked.schema_id is not None:
        view = _read_with(view, asked.schema_id)

    def bound(of: View) -> Bound:
        nan = asked.nan or "any"
        return given.bound(of.schemas[0], case_sensitive=asked.case_sensitive, nan=nan, history=of.written_schemas)

    def statistics(of: View) -> frozenset[int] | None:
        named = asked.select
        selected = None if named is None else _selected(of.schemas[0], named, case_sensitive=asked.case_sensitive)
        return selected if asked.stats is not None and EVERY in asked.stats else statistics_of(of, asked.stats)

    splitting = CATALOG_RULES.of(view.table).splitting(view, asked)
    if asked.start_snapshot_id is not None:
        plan = _incremental(services, view, asked, bound(view), statistics(view))
    else:
        plan = plan_of(services.index, view, bound, statistics, read_optimized=asked.read_optimized)
    services.recent_plans.record(view, plan.bound)
    plan = replace(plan, splitting=splitting)
    if plan.second_branch is not None:
        plan = replace(plan, second_branch=replace(plan.second_branch, splitting=splitting))
    limit = asked.limit if plan.can_be_limited else None
    listing = PlanListing(plan, given, view.schemas[0].schema_id, limit, stale)
    if asked.strict and (cannot := listing.applied[1]):
        words = "; ".join(f"{one.filter[:SHOWN]!r}: {one.reason}" for one in cannot[:3])
        raise FilterInvalid(
            f"part of the filter cannot prune: {words}",
            not_applied=not_applied_out(cannot),
        )
    return listing


def _read_with(view: View, schema_id: int) -> View:
    if all(schema.schema_id != schema_id for schema in view.schemas):
        raise RequestInvalid(f"schema {schema_id} not found", schema_id=schema_id)
    return replace(view, schema_id=schema_id)


def _incremental(
    services: Services, view: View, asked: PlanOptions, bound: Bound, statistics: frozenset[int] | None
) -> Plan:
    if view.second_branch is not None:
        raise FormatUnsupported(
            f"incremental plans are not supported for tables with {view.second_branch.option}",
            option=view.second_branch.option,
        )
    CPU.release()  # reading the pointer and indexing snapshots may block on I/O

    def views(follow: FollowedSnapshots) -> tuple[View, tuple[View, ...]]:
        return services.followed(view.table.name, view.snapshot_id, follow)

    return CATALOG_RULES.of(view.table).increment(services.index, views, asked, bound, statistics)


def explanation_out(services: Services, view: View, asked: ExplainRequest, *, stale: str | None) -> ExplanationOut:
    """Return the requested explanation of a plan.

    Raises:
        FilterInvalid: the filter is invalid.
        RequestInvalid: too many files for the number of comparisons in the filter.
    """

    def bound_to(of: View) -> Bound:
        nan, case = asked.nan or "any", asked.case_sensitive
        return Filter(asked.filter).bound(of.schemas[0], case_sensitive=case, nan=nan, history=of.written_schemas)

    bound, files = bound_to(view), asked.files or []
    if len(files) * (comparisons := _comparisons(bound)) > MAX_REASONS:
        most = MAX_REASONS // comparisons
        raise RequestInvalid(
            f"with a filter of {comparisons} comparisons, at most {most} files are explained", most=most
        )
    own, other = scan_indexes_of(services.index, view)
    explained = explain(own, bound, files)
    if other is not None:
        explained = combined(explained, explain(other, bound_to(other.view), files))
    return ExplanationOut(
        snapshot_id=None if view.snapshot_id is None else str(view.snapshot_id),
        funnel=[_level_out(level) for level in explained.levels],
        applied=list(explained.applied),
        not_applied=[NotAppliedOut.model_validate(one) for one in not_applied_out(explained.not_applied)],
        files=[_file_out(file) for file in explained.files],
        stale=stale,
    )


def _comparisons(bound: Bound) -> int:
    if isinstance(bound, BoundAnd | BoundOr):
        return sum(map(_comparisons, bound.children))
    return 1


def _level_out(level: Level) -> LevelOut:
    dropped_by = [DroppedOut(filter=text, dropped=count) for text, count in level.dropped_by.items()]
    return LevelOut(level=level.name, seen=level.seen, kept=level.kept, dropped=level.dropped, dropped_by=dropped_by)


def _file_out(file: FileReason) -> FileReasonOut:
    return FileReasonOut(
        file_path=file.file_path,
        state=file.state,
        level=file.level,
        dropped_by=file.dropped_by,
        reasons=[
            ReasonOut(filter=r.filter, column=r.column, verdict=r.verdict, bound=dict(r.bound), reason=r.reason)
            for r in file.reasons
        ],
    )


def _selected(schema: Schema, names: Iterable[str], *, case_sensitive: bool) -> frozenset[int]:
    """Return the ids of the selected columns and of all fields nested in them."""
    found: set[int] = set()
    paths = {field_id: path if case_sensitive else path.casefold() for field_id, path in schema.names.items()}
    known = frozenset(paths.values())
    for name in names:
        path = name if case_sensitive else name.casefold()
        if path not in known:
            raise RequestInvalid(f"column {name[:SHOWN]!r} not found", select=name)
        found.update(field_id for field_id, own in paths.items() if own == path or own.startswith(path + "."))
    return frozenset(found)
