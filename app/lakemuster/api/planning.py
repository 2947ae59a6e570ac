"""From what a request says to a plan, or to its explanation."""

from __future__ import annotations

from collections.abc import Iterable

from lakemuster.api.filters import Filter, not_applied_out
from lakemuster.api.planned import PlanListing
from lakemuster.api.services import Services
from lakemuster.errors import FilterInvalid, RequestInvalid
from lakemuster.metadata.predicate import Bound, BoundAnd, BoundOr
from lakemuster.metadata.schema import Schema
from lakemuster.planner.lists.snapshot_lists import statistics_of
from lakemuster.planner.scan.explain import FileReason, Level, explain
from lakemuster.planner.scan.incremental import plan_appends
from lakemuster.planner.scan.outline import outline_of
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.view import Selector, View
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.native.explanations import DroppedOut, ExplanationOut, FileReasonOut, LevelOut, ReasonOut
from lakemuster.wire.native.plans import ExplainRequest, NotAppliedOut, PlanRequest

EVERY = "*"
MAX_REASONS = 10_000
"""Comparisons that are explained in one answer: each takes a tenth of a millisecond, and some 300 bytes."""
SHOWN = 100


def selector_of(asked: PlanRequest | ExplainRequest) -> Selector:
    """The snapshot that is asked for.

    Raises:
        RequestInvalid: it is chosen in more than one way, or a time is none.
    """
    chosen = Selector(asked.snapshot_id, asked.ref, None if asked.as_of is None else parse_instant(asked.as_of))
    if isinstance(asked, PlanRequest) and (asked.start_snapshot_id, asked.end_snapshot_id) != (None, None):
        if asked.start_snapshot_id is None:
            raise RequestInvalid("end_snapshot_id goes with start_snapshot_id")
        if chosen != Selector():
            raise RequestInvalid(
                "start_snapshot_id excludes snapshot_id, ref and as_of: end_snapshot_id says up to where"
            )
        return Selector(asked.end_snapshot_id)
    return chosen


def plan_listing(services: Services, view: View, asked: PlanRequest, *, stale: str | None) -> PlanListing:
    """The plan of a snapshot that is asked for.

    Raises:
        FilterInvalid: the filter is off; or not all of it can prune, and that is asked for.
        RequestInvalid: a column that is none, or snapshots that do not follow one another.
    """
    schema = view.schemas[0]
    given = Filter(asked.filter)
    bound = given.bound(schema, case_sensitive=asked.case_sensitive)
    selected = None if asked.select is None else _selected(schema, asked.select, case_sensitive=asked.case_sensitive)
    statistics = selected if asked.stats is not None and EVERY in asked.stats else statistics_of(view, asked.stats)
    if asked.start_snapshot_id is None:
        plan = Plan(outline_of(services.index, view), bound, statistics)
    else:
        end, views = services.appended(view.table.name, asked.start_snapshot_id, view.snapshot_id)
        plan = plan_appends(services.index, views, end, bound, statistics)
    # Paimon's files may hold rows that others replace or delete: none surely match.
    limit = asked.limit if view.table.format == "iceberg" else None
    listing = PlanListing(plan, given, limit, stale)
    if asked.strict and (cannot := listing.applied[1]):
        words = "; ".join(f"{one.filter[:SHOWN]!r}: {one.reason}" for one in cannot[:3])
        raise FilterInvalid(
            f"not all of the filter can prune: {words}",
            not_applied=not_applied_out(cannot),
        )
    return listing


def explanation_out(services: Services, view: View, asked: ExplainRequest, *, stale: str | None) -> ExplanationOut:
    """The explanation of a plan that is asked for.

    Raises:
        FilterInvalid: the filter is off.
        RequestInvalid: too many files for so long a filter.
    """
    bound = Filter(asked.filter).bound(view.schemas[0], case_sensitive=asked.case_sensitive)
    files = asked.files or []
    if len(files) * (comparisons := _comparisons(bound)) > MAX_REASONS:
        most = MAX_REASONS // comparisons
        raise RequestInvalid(
            f"with a filter of {comparisons} comparisons, at most {most} files are explained", most=most
        )
    explained = explain(outline_of(services.index, view), bound, files)
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
    """The ids of selected columns and all that is in them."""
    found: set[int] = set()
    paths = {field_id: path if case_sensitive else path.casefold() for field_id, path in schema.names.items()}
    known = frozenset(paths.values())
    for name in names:
        path = name if case_sensitive else name.casefold()
        if path not in known:
            raise RequestInvalid(f"there is no column {name[:SHOWN]!r}", select=name)
        found.update(field_id for field_id, own in paths.items() if own == path or own.startswith(path + "."))
    return frozenset(found)
