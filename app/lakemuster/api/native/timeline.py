"""The route of a table's timeline."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, PageParameters, TheTable, needs
from lakemuster.api.native.indexing import IndexingParameters, indexing_answer
from lakemuster.api.native.responses import TIMELINE as RESPONSES
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.listings import DocumentListing, Listing
from lakemuster.catalog.periods import Period
from lakemuster.catalog.timeline import Order, Span, Timeline, commit_key, timeline_of
from lakemuster.errors import RequestInvalid
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.native.timeline import PERIODS, TIMELINE, IndexingOut, TimelinePage

router = APIRouter(prefix=PREFIX, tags=["history"], dependencies=[needs("read")], route_class=TableRoute)


class TimelineParameters(PageParameters, IndexingParameters):
    """Parameters of a timeline."""

    start: str | None = Field(
        None,
        alias="from",
        max_length=64,
        description="Earliest commit time: RFC 3339, or milliseconds since 1970-01-01 UTC. With `bucket`, the whole "
        "period with it.",
    )
    end: str | None = Field(
        None, alias="to", max_length=64, description="End before this commit time. With `bucket`, after that period."
    )
    bucket: Period | None = Field(
        None,
        description="Sum the commits of each period in UTC; a week begins on Monday. Absent: one row for each commit.",
    )
    order: Order = Field("desc", description="Order by time: `desc`, the newest first, or `asc`.")
    ref: str | None = Field(
        None, min_length=1, max_length=1024, description="Branch or tag whose commits to show. Absent: main."
    )

    def span(self) -> Span:
        """Return the requested part of the timeline.

        Raises:
            RequestInvalid: a time is invalid, or `to` is not after `from`.
        """
        start = None if self.start is None else parse_instant(self.start)
        end = None if self.end is None else parse_instant(self.end)
        if start is not None and end is not None and end <= start:
            raise RequestInvalid("to must be later than from")
        return Span(start, end, self.bucket, self.order)


TimelineQuery = Annotated[TimelineParameters, Query()]


@router.get("/tables/{table}/timeline", response_model=TimelinePage, responses=RESPONSES)
def list_timeline(table: TheTable, query: TimelineQuery) -> Response:
    """List what each commit of a branch added and removed, and the totals that it left.

    Figures are exact, or null with the reason: those of snapshots that are not indexed, and changes since a snapshot
    that has expired.
    """
    span = query.span()
    query.require(table)
    found = timeline_of(table.services, table.name, query.ref, span, index=query.index)
    if isinstance(found, IndexingOut):
        return indexing_answer(found)
    request = ListRequest(table.request, table.api, "timeline", query, found.lineage.table.table_id)
    return listing_answer(request, _listing(found), stale=found.lineage.stale)


def _listing(timeline: Timeline) -> Listing:
    sign, period = (1 if timeline.span.order == "asc" else -1), timeline.span.period
    if period is None:
        return DocumentListing(
            TIMELINE,
            timeline.commits(),
            lambda commit: tuple(sign * part for part in commit_key(commit)),
            lambda commit: timeline.commit_out(commit).model_dump(mode="json"),
        )
    return DocumentListing(
        PERIODS,
        timeline.periods(period),
        lambda item: (sign * item[0],),
        lambda item: timeline.period_out(period, *item).model_dump(mode="json"),
    )
