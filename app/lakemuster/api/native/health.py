"""Routes of health: of one table, and of all tables that a caller may see."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import ListRequest, listing_answer, stale_header
from lakemuster.api.native.dependencies import PREFIX, PageParameters, TheApi, TheCaller, TheTable, needs
from lakemuster.api.native.responses import HEALTH, LIST_OF_TABLES
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.fleet_health import FleetListing, fleet_choice, fleet_order
from lakemuster.catalog.health import HISTORY_DAYS, health_document
from lakemuster.catalog.table_lists import TableChoice
from lakemuster.cpu_semaphore import CPU
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.health import HealthOut, HealthPage, TableHealthOut

router = APIRouter(prefix=PREFIX, tags=["health"], dependencies=[needs("read")], route_class=TableRoute)


class TableHealthParameters(BaseModel):
    """Parameters of one table's health."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    history: int | None = Field(
        None, ge=1, le=HISTORY_DAYS, description="Show the health of so many days too, today included. Absent: none."
    )


class FleetParameters(PageParameters):
    """Parameters of the health of all tables."""

    namespace: str | None = Field(None, max_length=1000, description="Only the tables of this namespace.")
    search: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Only tables whose dotted name contains this text. ASCII letters match in either case.",
    )
    status: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Only tables whose health, or component, is one of these, separated by commas: `ok`, `unknown`, "
        "`warning`, `critical`.",
    )
    component: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Only tables that have this component; `status` is then about it.",
    )
    sort: str | None = Field(
        None,
        max_length=100,
        description="Sort as the list of tables. Absent: `-health`, the worst first. With `component`, by its status.",
    )

    def choice(self) -> TableChoice:
        """Return the choice of tables to list.

        Raises:
            RequestInvalid: the namespace is not a dotted name, or there is no such status or component.
        """
        namespace = self.namespace and format_name(parse_name(self.namespace))
        return fleet_choice(TableChoice(namespace, self.search), self.status, self.component)


@router.get("/tables/{table}/health", response_model=HealthOut, responses=HEALTH)
def get_health(table: TheTable, query: Annotated[TableHealthParameters, Query()]) -> Response:
    """Show the health of a table: its components, each with its number, status, remedy and what that would gain.

    It is of the table's newest state; of a large table, what takes all of its files follows in the background, and
    `computed_at` tells of when it is.
    """
    with CPU.permit():
        found = health_document(table.services, table.name, query.history)
    return Response(dumps(found.model_dump(mode="json")), media_type=media.JSON, headers=stale_header(found.stale))


@router.get("/health", response_model=HealthPage, responses=LIST_OF_TABLES)
def list_health(
    caller: TheCaller, api: TheApi, query: Annotated[FleetParameters, Query()], request: Request
) -> Response:
    """List the tables that the caller may see with their health, the worst first, and count them by component.

    The counts are of all tables of the namespace and search, whatever their status.
    """
    policy = api.identity.policy
    sees = None if policy.sees_all(caller) else partial(policy.sees, caller)
    listing = FleetListing(api.services, query.choice(), fleet_order(query.sort, query.order), sees)
    request_of = ListRequest(request, api, "health", query)
    about = listing.counts().out() if request_of.form == media.JSON else {}
    return listing_answer(request_of, listing, stale=None, others=TableHealthOut.model_fields, about=about)
