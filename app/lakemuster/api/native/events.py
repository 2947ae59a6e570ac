"""The route of events: a stream of server-sent events, or pages of the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from lakemuster.api import media
from lakemuster.api.connection import CONNECTION
from lakemuster.api.event_feed import EventFeed
from lakemuster.api.identity.authenticator import bearer_token
from lakemuster.api.identity.callers import Caller
from lakemuster.api.native.dependencies import PREFIX, TheApi, TheCaller, needs
from lakemuster.api.native.responses import EVENTS
from lakemuster.api.shared import Api
from lakemuster.api.threads import TableRoute, run_for
from lakemuster.catalog.events import ClientEvent, EventFilter, EventLog, EventPage, event_id, lost_message
from lakemuster.errors import CatalogError
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.events import EventsPage

router = APIRouter(prefix=PREFIX, tags=["events"], route_class=TableRoute)

KEEP_ALIVE_SECONDS = 15.0
RETRY_MS = 1000
"""Time that clients wait before they reconnect."""
LATEST = "latest"
FORMS = (media.EVENTS, media.JSON)


class EventsParameters(BaseModel):
    """Parameters of events."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: str | None = Field(
        None, min_length=1, max_length=1000, description="Dotted namespace: events of its tables and of those below it."
    )
    type: str | None = Field(None, min_length=1, max_length=1000, description="Comma-separated types. Absent: all.")
    table: str | None = Field(None, min_length=1, max_length=1000, description="Dotted name of one table.")
    after: str | None = Field(
        None,
        max_length=20,
        description="Id of an event: those after it; `latest`: from now on. `Last-Event-ID` takes precedence. "
        "Absent: a stream begins now, pages with the oldest event.",
    )
    page_size: int = Field(1000, ge=1, le=10_000, description="Maximum number of events in a page.")


EventsQuery = Annotated[EventsParameters, Query()]
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", description="Id of the last event that the client has got.")
]


@router.get("/events", response_model=EventsPage, responses=EVENTS, dependencies=[needs("read")])
async def list_events(
    caller: TheCaller, api: TheApi, query: EventsQuery, request: Request, last_event_id: LastEventId = None
) -> Response:
    """Follow what happens to the tables that the caller may see, or read the log of it.

    By default, or with `Accept: text/event-stream`, events are sent as they come; rights are asked for each. A client
    that connects again with `Last-Event-ID` gets what it has missed. `events.lost` tells that some of it is gone.
    """
    form = _form(request.headers.get("accept"))
    wanted = EventFilter.of(query.type, query.namespace, query.table)
    given = last_event_id if last_event_id is not None else query.after
    after = None if given is None or given == LATEST else event_id(given)
    feed: EventFeed = request.app.state.events
    if form == media.JSON:
        start = await feed.newest() if given == LATEST else after or 0
        sees = _sight(api, wanted, caller)
        page = await run_for("events", EventLog(api.services.index.database).page, start, query.page_size, sees)
        return Response(dumps(_page_out(page)), media_type=media.JSON, headers={"Vary": "Accept"})
    with ExitStack() as stack:
        # The stream is counted until the response is closed.
        stack.enter_context(feed.listening(request.state.owner, request.scope.get("extensions", {}).get(CONNECTION)))
        position = await feed.newest() if after is None else after
        stream = _Stream(feed, wanted, api, lambda: _caller_again(api, request))
        return _EventResponse(stream.messages(position), stack.pop_all())


def _form(accept: str | None) -> str:
    """Choose the media type: JSON if the client names it but no event stream, whatever else it accepts."""
    named = (accept or "").lower()
    return media.JSON if media.JSON in named and media.EVENTS not in named else media.choose(accept, FORMS)


def _page_out(page: EventPage) -> dict[str, object]:
    return {
        "events": [client_event.document for client_event in page.events],
        "last_event_id": str(page.last_id),
        "more": page.more,
        "lost": page.lost,
    }


def _sight(api: Api, wanted: EventFilter, caller: Caller) -> Callable[[ClientEvent], ClientEvent | None]:
    sees = api.identity.policy.sees
    return lambda client_event: wanted.shown(client_event, lambda table: sees(caller, table))


async def _caller_again(api: Api, request: Request) -> Caller:
    """Return the caller with its current rights.

    Raises:
        NotAuthenticated: its token is no longer valid.
        IdentityUnavailable: the token cannot be verified now.
    """
    authenticator = api.identity.authenticator
    if authenticator is None:
        caller: Caller = request.state.principal
        return caller
    token = bearer_token(request.headers.get("authorization"))
    return authenticator.known(token) or await authenticator.examine(token)


@dataclass(frozen=True, slots=True)
class _Stream:
    feed: EventFeed
    wanted: EventFilter
    api: Api
    caller: Callable[[], Awaitable[Caller]]

    async def messages(self, position: int) -> AsyncGenerator[bytes, None]:
        """Yield the messages after a position, as long as the caller's token is valid."""
        # Send an id without data, so that a client that loses the connection now can resume from it.
        yield b"retry: %d\nid: %d\n\n" % (RETRY_MS, position)
        told_at = time.monotonic()
        while not self.feed.is_stopping:
            pulse = self.feed.pulse()
            try:
                found, restart = await self.feed.after(position)
                sees = _sight(self.api, self.wanted, await self.caller())
            except CatalogError:
                # The client reconnects, and gets the error as a response.
                return
            parts: list[bytes] = []
            if restart is not None:
                parts.append(lost_message(restart, position, round(time.time() * 1000)))
                position = restart
            if found:
                parts += [seen.message for client_event in found if (seen := sees(client_event)) is not None]
                position = found[-1].event.id
            if not parts and time.monotonic() - told_at >= KEEP_ALIVE_SECONDS:
                parts.append(b": keep-alive\nid: %d\n\n" % position)
            if parts:
                told_at = time.monotonic()
                yield b"".join(parts)
            elif not found:
                with suppress(TimeoutError):
                    await asyncio.wait_for(pulse.wait(), KEEP_ALIVE_SECONDS)


class _EventResponse(StreamingResponse):
    """Sends messages until the client disconnects, then releases the resources of the stream."""

    def __init__(self, messages: AsyncGenerator[bytes, None], held: ExitStack) -> None:
        super().__init__(
            messages,
            media_type=media.EVENTS,
            headers={"Cache-Control": "no-store", "Vary": "Accept", "X-Accel-Buffering": "no"},
        )
        self._messages, self._held = messages, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the whole response."""
        with self._held:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._messages.aclose()
