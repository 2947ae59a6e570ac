"""JSON models of events."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lakemuster.wire.model import WireModel


class EventOut(WireModel):
    """What happened to a table: a CloudEvent (specification 1.0, JSON format)."""

    specversion: Literal["1.0"]
    id: str = Field(description="The event's number in the log; later events have larger ones.")
    source: str = Field(description="Path of the log.")
    type: str = Field(description="What happened: `table.committed`, `table.registered` …")
    subject: str | None = Field(description="The table's dotted name; null for `events.lost`.")
    time: str = Field(description="When the log got it, by the database's clock.")
    datacontenttype: Literal["application/json"]
    data: dict[str, Any] = Field(description="What the event tells, by its type.")


class EventsPage(WireModel):
    """A page of the event log, oldest first."""

    events: list[EventOut]
    last_event_id: str = Field(description="Where this page ends: the `after` of the next request, now or later.")
    more: bool = Field(description="Whether the log goes on behind this page; false: ask again later.")
    lost: bool = Field(description="Whether events after `after` are gone: they were too old, or too many came since.")
