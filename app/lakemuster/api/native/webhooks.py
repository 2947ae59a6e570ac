"""Routes of webhooks: their state and lag, their dead letters, and the redelivery of dead letters."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from lakemuster.api.native.answers import ListRequest, listing_answer
from lakemuster.api.native.dependencies import PREFIX, PagedQuery, TheApi, TheCaller, needs
from lakemuster.api.native.responses import LIST_OF_TABLES, WEBHOOK
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.listings import DocumentListing, in_order
from lakemuster.catalog.webhook_documents import MAX_PAGE, dead_letters_page, redeliver, webhooks_out
from lakemuster.wire.documents import WEBHOOKS, dumps
from lakemuster.wire.native.pages import WebhooksPage
from lakemuster.wire.native.webhooks import DeadLettersPage, RedeliverOut, RedeliverRequest

router = APIRouter(prefix=PREFIX, tags=["webhooks"], route_class=TableRoute)

WebhookName = Annotated[str, Path(description="Name of a webhook of the settings.")]


class DeadLetterParameters(BaseModel):
    """Parameters of a webhook's dead letters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: str = Field("0", max_length=20, description="Id of a dead letter: those after it.")
    page_size: int = Field(100, ge=1, le=MAX_PAGE, description="Maximum number of dead letters in a page.")


@router.get("/webhooks", response_model=WebhooksPage, responses=LIST_OF_TABLES, dependencies=[needs("operate")])
def list_webhooks(caller: TheCaller, api: TheApi, query: PagedQuery, request: Request) -> Response:
    """List the webhooks of the settings: state, lag, last try, dead letters. For admins of all tables."""
    api.identity.policy.require_everything(caller, "operate")
    hooks = sorted(webhooks_out(api.services), key=lambda one: one.name)
    listing = DocumentListing(WEBHOOKS, hooks, lambda one: (one.name,), lambda one: one.model_dump(mode="json"))
    return listing_answer(ListRequest(request, api, "webhooks", query), in_order(listing, query.order), stale=None)


@router.get(
    "/webhooks/{webhook}/dead_letters",
    response_model=DeadLettersPage,
    responses=WEBHOOK,
    dependencies=[needs("operate")],
)
def list_dead_letters(
    caller: TheCaller, api: TheApi, webhook: WebhookName, query: Annotated[DeadLetterParameters, Query()]
) -> Response:
    """List the messages that a webhook's receiver has not taken, oldest first. For admins of all tables."""
    api.identity.policy.require_everything(caller, "operate")
    page = dead_letters_page(api.services, webhook, query.after, query.page_size)
    return Response(dumps(asdict(page)), media_type="application/json")


@router.post(
    "/webhooks/{webhook}/redeliver",
    response_model=RedeliverOut,
    responses=WEBHOOK,
    dependencies=[needs("operate", parameters=False)],
)
def redeliver_dead_letters(
    caller: TheCaller, api: TheApi, webhook: WebhookName, body: RedeliverRequest | None = None
) -> Response:
    """Send dead letters again, in the background: those that are named, or all. For admins of all tables."""
    api.identity.policy.require_everything(caller, "operate")
    requested = redeliver(api.services, webhook, None if body is None else body.dead_letters)
    return _json(RedeliverOut(requested=requested))


def _json(found: BaseModel) -> Response:
    return Response(dumps(found.model_dump(mode="json")), media_type="application/json")
