"""Routes that show what an expiry of snapshots would remove."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, PageParameters, TheTable, needs
from lakemuster.api.native.indexing import IndexingParameters, indexing_answer
from lakemuster.api.native.responses import EXPIRY, TIMELINE
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.expiry import ExpiredListing, Policy, expiry_of, time_of
from lakemuster.wire.documents import dumps
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.native.expiry import ExpiredFilesPage, ExpiryOut
from lakemuster.wire.native.timeline import IndexingOut

router = APIRouter(prefix=PREFIX, tags=["history"], dependencies=[needs("read")], route_class=TableRoute)


class _ExpiryFields(IndexingParameters):
    """Parameters of both routes."""

    older_than: str | None = Field(
        None,
        max_length=64,
        description="Only snapshots before this time go: RFC 3339, or milliseconds since 1970-01-01 UTC. Absent: the "
        "age in the table's properties.",
    )
    retain_last: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="Newest snapshots of each branch to retain (Paimon: `retain_min`). Absent: the table's properties.",
    )
    retain_max: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="Paimon: maximum number of snapshots to retain. Absent: the table's properties.",
    )
    max_deletes: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="Paimon: maximum number of snapshots to expire. Absent: the table's properties.",
    )
    cleanup: Literal["reachable", "library"] = Field(
        "reachable",
        description="Iceberg: `reachable` removes files to which no snapshot refers any more, as Spark's procedure "
        "does; `library` does what the Java library does, which keeps some of them until a later expiry.",
    )
    paimon: Literal["1", "2"] = Field(
        "2",
        description="Paimon: the major version that expires. In 1, a snapshot goes if it is old enough itself; in 2, "
        "if the next one is.",
    )
    ref: str | None = Field(
        None, min_length=1, max_length=1024, description="Paimon: the branch that expires. Absent: main."
    )

    def policy(self) -> Policy:
        """Return the policy of the expiry.

        Raises:
            RequestInvalid: the time is invalid.
        """
        at = None if self.older_than is None else parse_instant(self.older_than)
        numbers = (self.retain_last, self.retain_max, self.max_deletes)
        return Policy(at, *numbers, self.cleanup, 1 if self.paimon == "1" else 2)


class ExpiryParameters(_ExpiryFields):
    """Parameters of the summary."""


class ExpiredFilesParameters(PageParameters, _ExpiryFields):
    """Parameters of the list of files."""


@router.get("/tables/{table}/expiry", response_model=ExpiryOut, responses=EXPIRY)
def show_expiry(table: TheTable, query: Annotated[ExpiryParameters, Query()]) -> Response:
    """Show what an expiry of snapshots would remove now: snapshots, refs, files and bytes, by partition.

    It is exact: if it needs a snapshot that is not indexed, the response is 409. Nothing is removed.
    """
    query.require(table)
    found = expiry_of(table.services, table.name, query.policy(), query.ref, index=query.index)
    if isinstance(found, IndexingOut):
        return indexing_answer(found)
    return Response(dumps(found.out().model_dump(mode="json")), media_type="application/json")


@router.get("/tables/{table}/expiry/files", response_model=ExpiredFilesPage, responses=TIMELINE)
def list_expired_files(table: TheTable, query: Annotated[ExpiredFilesParameters, Query()]) -> Response:
    """List the files that an expiry of snapshots would remove. All pages are of the first page's time."""
    query.require(table)
    table_id = table.services.table(table.name).table_id
    request = ListRequest(table.request, table.api, "files", query, table_id)
    place = request.place()
    now_ms = None if place is None else time_of(place.key)
    found = expiry_of(table.services, table.name, query.policy(), query.ref, index=query.index, now_ms=now_ms)
    if isinstance(found, IndexingOut):
        return indexing_answer(found)
    return listing_answer(request, ExpiredListing(found, descending=query.order == "desc"), stale=found.stale)
