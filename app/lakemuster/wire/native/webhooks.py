"""JSON models of webhooks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.event_types import EventType
from lakemuster.wire.model import InstantText, Long, WireModel
from lakemuster.wire.native.events import EventOut, LostEvent


class WebhookOut(WireModel):
    """A receiver of events, and how far it has got. Times are RFC 3339, by the database's clock."""

    name: str
    url: str = Field(description="Scheme, host and port; the rest of the URL is not shown.")
    types: list[EventType] = Field(description="Types of events that it gets; empty: all.")
    namespaces: list[str] = Field(description="Patterns of the namespaces that it is told of; empty: all tables.")
    state: Literal["new", "ok", "failing"] = Field(
        description="`new`: nothing has delivered to it yet. `failing`: the last try has failed."
    )
    last_event_id: str | None = Field(description="The last event that was handled: delivered, or not wanted.")
    lag_events: Long = Field(
        description="Events of the log that were not handled yet, whether or not the receiver wants them."
    )
    lag_seconds: float = Field(ge=0, description="Age of the oldest of them; 0 without any.")
    delivered: Long = Field(description="Messages that the receiver has taken since the webhook was first started.")
    tries: int = Field(description="Failed tries of the message that is on its way.")
    failures_in_a_row: int = Field(description="Failed tries since the last success.")
    last_status: int | None = Field(description="HTTP status of the last try; null if there was no answer.")
    last_error: str | None = Field(description="Why the last try failed; null if it did not.")
    last_try_at: InstantText | None
    last_success_at: InstantText | None
    next_try_at: InstantText | None = Field(
        description="Not before this time is the next try; null: as soon as there is one."
    )
    dead_letters: Long = Field(description="Messages that the receiver has not taken.")


class DeadLetterOut(WireModel):
    """A message that a receiver has not taken. Only for documentation: its event is shown as it was written."""

    id: str = Field(description="The letter's number; later ones have larger numbers.")
    message_id: str = Field(description="The header `webhook-id` of all of its tries.")
    event_id: str
    type: EventType | Literal["events.lost"]
    subject: str | None = Field(description="The table's dotted name; null for `events.lost`.")
    tries: int
    died_at: InstantText = Field(description="When it became a dead letter, RFC 3339.")
    last_status: int | None
    last_error: str | None
    state: Literal["dead", "requested"] = Field(description="`requested`: it is about to be sent again.")
    event: EventOut | LostEvent = Field(description="The CloudEvent.")


class DeadLettersPage(WireModel):
    """Dead letters of a webhook, oldest first."""

    dead_letters: list[DeadLetterOut]
    last_id: str = Field(description="Where this page ends: the `after` of the next request.")
    more: bool


class RedeliverRequest(WireModel):
    """Which dead letters are sent again."""

    dead_letters: list[str] | None = Field(None, max_length=10_000, description="Their ids. Absent: all.")


class RedeliverOut(WireModel):
    """What is sent again, in the background."""

    requested: int = Field(description="Number of dead letters.")
