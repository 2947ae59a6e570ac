"""Routes of figures that are computed from metadata alone: of a snapshot's files, and of its columns."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import (
    PINNED_SECONDS,
    SNAPSHOT_HEADER,
    is_known,
    snapshot_answer,
    stale_header,
    views_of,
)
from lakemuster.api.native.dependencies import (
    PREFIX,
    FilterParameters,
    SnapshotChoice,
    SnapshotParameters,
    SortedParameters,
    Target,
    TheTable,
    needs,
)
from lakemuster.api.native.responses import FIGURES, LIST_OF_SNAPSHOT
from lakemuster.api.response_cache import cache_until_changed
from lakemuster.api.threads import TableRoute
from lakemuster.catalog import View
from lakemuster.catalog.arranged_rows import Arrangement, arranged
from lakemuster.catalog.column_statistics import columns_of
from lakemuster.catalog.file_bounds import bounds_out, overlap_of
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.lists import words
from lakemuster.catalog.statistics import stats_out
from lakemuster.cpu_semaphore import CPU
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.statistics import BoundsOut, ColumnsPage, OverlapPage, StatsOut

router = APIRouter(prefix=PREFIX, tags=["statistics"], dependencies=[needs("read")], route_class=TableRoute)

MOST_GROUPS = 1000


class StatsParameters(FilterParameters, SnapshotChoice):
    """Parameters of figures."""


class ColumnsParameters(SnapshotParameters):
    """Parameters of the list of columns."""

    columns: str | None = Field(
        None,
        min_length=1,
        max_length=65_536,
        description="Comma-separated full names of the columns to list. Absent: all.",
    )


class OverlapParameters(SortedParameters):
    """Parameters of the overlap of partitions."""

    column: str = Field(min_length=1, max_length=1000, description="Full name of the column.")


class BoundsParameters(FilterParameters, SnapshotChoice):
    """Parameters of the map of bounds."""

    column: str = Field(min_length=1, max_length=1000, description="Full name of the column.")
    groups: int = Field(120, ge=1, le=MOST_GROUPS, description="At most so many groups.")


OverlapQuery = Annotated[OverlapParameters, Query()]
BoundsQuery = Annotated[BoundsParameters, Query()]
StatsQuery = Annotated[StatsParameters, Query()]
ColumnsQuery = Annotated[ColumnsParameters, Query()]


@router.get("/tables/{table}/stats", response_model=StatsOut, responses=FIGURES)
def get_stats(table: TheTable, query: StatsQuery) -> Response:
    """Show the figures of a snapshot: totals, sizes of files and partitions, deletes, Paimon's levels.

    All are exact, computed from metadata alone; the number of deleted rows may be an interval, which says so.
    """
    given = None if query.filter is None else Filter.of_text(query.filter)
    nan = query.nan or table.services.settings.nan_of(table.name)
    view = table.services.view(table.name, query.selector())
    pinned = query.snapshot is not None
    stale = None if pinned else view.stale
    with CPU.permit():
        body = dumps(stats_out(table.services, view, given, nan, stale).model_dump(mode="json"))
    return _answer(table, view, body, stale, pinned=pinned)


@router.get("/tables/{table}/columns", response_model=ColumnsPage, responses=LIST_OF_SNAPSHOT)
def list_columns(table: TheTable, query: ColumnsQuery) -> Response:
    """List the columns of a snapshot with what its live data files record of them, nested columns by full name.

    Overlap tells how well a sort order or clustering separates files by a column: at a value, it is the number of live
    data files whose bounds contain it, those without bounds included. It is counted at the lower bound of each file.
    The first request for a snapshot computes the rows of its page; later ones find them.
    """
    selector = query.selector()
    request, (view,), place = views_of(table, "columns", query, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or query.snapshot is not None
    names, descending = words(query.columns), query.order == "desc"
    return snapshot_answer(
        request,
        (view,),
        lambda: columns_of(table.services, view, names, descending=descending),
        pinned=pinned,
        place=place,
    )


@router.get("/tables/{table}/overlap", response_model=OverlapPage, responses=LIST_OF_SNAPSHOT)
def list_overlap(table: TheTable, query: OverlapQuery) -> Response:
    """List the partitions of a snapshot with how far their data files overlap on a column.

    At a value, it is the number of live data files of the partition whose bounds contain it, as in `columns`: exact,
    counted at the lower bound of each file. The first request for a snapshot computes it; later ones find it.
    """
    selector = query.selector()
    request, (view,), place = views_of(table, "overlap", query, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or query.snapshot is not None
    arrangement = Arrangement(query.sort, query.order, query.top)
    return snapshot_answer(
        request,
        (view,),
        lambda: arranged(overlap_of(table.services, view, query.column), arrangement),
        pinned=pinned,
        place=place,
    )


@router.get("/tables/{table}/bounds", response_model=BoundsOut, responses=FIGURES)
def get_bounds(table: TheTable, query: BoundsQuery) -> Response:
    """Show the data files of a snapshot as intervals of a column, and how many of them a filter keeps.

    Files are in the order of their lower bounds, and put together to groups of equally many. Every file is counted:
    nothing is a sample.
    """
    given = None if query.filter is None else Filter.of_text(query.filter)
    nan = query.nan or table.services.settings.nan_of(table.name)
    view = table.services.view(table.name, query.selector())
    pinned = query.snapshot is not None
    stale = None if pinned else view.stale
    with CPU.permit():
        found = bounds_out(table.services, view, query.column, query.groups, given, nan, stale)
        body = dumps(found.model_dump(mode="json"))
    return _answer(table, view, body, stale, pinned=pinned)


def _answer(table: Target, view: View, body: bytes, stale: str | None, *, pinned: bool) -> Response:
    if view.stale is None:
        cache_until_changed(table.request, view.table)
    is_private = table.api.identity.authenticator is not None
    headers = {
        "ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        "Vary": "Accept, Authorization" if is_private else "Accept",
        "Cache-Control": f"private, max-age={PINNED_SECONDS}, immutable"
        if pinned and view.second_branch is None
        else "no-cache",
        **stale_header(stale),
    }
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    if is_known(headers["ETag"], table.request.headers.getlist("if-none-match")):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media.JSON, headers=headers)
