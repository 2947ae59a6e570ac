"""The route that lists the files that tables refer to below a location."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, PageParameters, TheApi, TheCaller, needs
from lakemuster.api.native.indexing import indexing_answer
from lakemuster.api.native.responses import REFERENCES
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.reference_lists import ReferenceListing
from lakemuster.catalog.references import references_below
from lakemuster.wire.native.timeline import IndexingOut

router = APIRouter(prefix=PREFIX, tags=["history"], route_class=TableRoute)


class ReferencesParameters(PageParameters):
    """Parameters of the list."""

    location: str = Field(
        min_length=1,
        max_length=4096,
        description="A folder or prefix, under the server's roots.",
    )
    index: bool = Field(
        False,
        description="Index the snapshots that are not indexed first. If that takes longer than a request waits, the "
        "response has status 202.",
    )


@router.get("/references", response_model=None, responses=REFERENCES, dependencies=[needs("survey")])
def list_references(
    caller: TheCaller, api: TheApi, query: Annotated[ReferencesParameters, Query()], request: Request
) -> Response:
    """List every file that a table refers to which shares a location: of all snapshots, and of metadata itself.

    A search for orphan files lists storage first, and then asks this. A row with a `name` means every file of that name
    below `location`, or anywhere if that is empty. A file may come more than once, and files of these tables elsewhere
    come, too. If a table there cannot be looked at, is not indexed whole, or has a doubtful state, the response is 409
    and names it. The role `admin` is needed for the location and for all of these tables. The list has no pages.
    """
    policy = api.identity.policy
    policy.require_location(caller, "survey", api.services.store.roots.admit(query.location))
    found = references_below(
        api.services, query.location, index=query.index, may=lambda table: policy.may(caller, "survey", table)
    )
    if isinstance(found, IndexingOut):
        return indexing_answer(found)
    of = ListRequest(request, api, "references", query, forms=(media.ARROW, media.NDJSON, media.CSV))
    return listing_answer(of, ReferenceListing(found), stale=None)
