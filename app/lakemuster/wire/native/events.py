"""JSON models of events, only for documentation: the log holds them as they were written."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from lakemuster.wire.model import InstantText, Long, WireModel
from lakemuster.wire.native.rows import IdText, Values
from lakemuster.wire.native.thresholds import HealthStatus


class _Event(WireModel):
    """What happened to a table: a CloudEvent (specification 1.0, JSON format)."""

    specversion: Literal["1.0"]
    id: str = Field(description="The event's number in the log; later events have larger ones.")
    source: str = Field(description="Path of the log.")
    subject: str = Field(description="The table's dotted name.")
    time: InstantText = Field(description="When the log got it, by the database's clock.")
    datacontenttype: Literal["application/json"]


class _About(WireModel):
    table: str = Field(description="The table's dotted name.")
    namespace: str


class CommitData(_About):
    """A snapshot that a branch or tag reaches for the first time."""

    snapshot_id: IdText
    parent_id: IdText | None
    sequence_number: Long | None
    branch: str
    ref: str = Field(description="The branch or tag.")
    operation: str | None
    schema_id: Long | None
    committed_at: InstantText


class RefChangeData(_About):
    """A branch or tag that was created, dropped, or moved otherwise than by new commits."""

    ref: str
    ref_type: Literal["branch", "tag"]
    branch: str
    previous_snapshot_id: IdText | None = Field(description="Null if it was created.")
    snapshot_id: IdText | None = Field(description="Null if it was dropped.")


@with_config(ConfigDict(extra="forbid"))
class AlterationData(TypedDict):
    """What was altered, and how it is now. What was not is absent."""

    table: Annotated[str, Field(description="The table's dotted name.")]
    namespace: str
    replaced: NotRequired[Annotated[Literal[True], Field(description="Another table has taken the place.")]]
    schema_id: NotRequired[Annotated[int, Field(description="The current columns have changed.")]]
    spec_id: NotRequired[Annotated[int, Field(description="The default partition spec has changed.")]]
    properties: NotRequired[
        Annotated[list[str], Field(description="Names of properties that have changed, at most a hundred.")]
    ]
    property_count: NotRequired[Annotated[int, Field(description="Number of properties that have changed.")]]


class RegistrationData(_About):
    """A table that was registered or removed."""

    format: str


class RecoveryData(_About):
    """A snapshot that can be read again."""

    snapshot_id: IdText
    branch: str


class QuarantineData(RecoveryData):
    """A snapshot that cannot be read."""

    reason: str


class RenameData(_About):
    """A table that has another name in its attached catalog."""

    previous_name: str = Field(description="The dotted name that it had.")
    format: str


class HealthChangeOut(WireModel):
    """A component of a table's health whose status has changed."""

    component: str
    previous: HealthStatus | None = Field(description="Null if the table did not have the component.")
    status: HealthStatus | None = Field(description="Null if the table does not have the component any more.")
    value: float | None = Field(description="The component's number; null if it is not known.")


class HealthData(_About):
    """Statuses of a table's health that have changed."""

    health: HealthStatus
    previous: HealthStatus | None = Field(description="Null if it was not computed before.")
    changes: list[HealthChangeOut]


class ReadyData(_About):
    """A partition that is complete by a rule of its table's settings."""

    rule: str = Field(description="The rule's name.")
    partition: Values
    record_count: Long = Field(description="Records of the partition in that snapshot.")
    file_count: Long
    time_end: InstantText | None = Field(description="End of the partition's time; null if its values name none.")
    snapshot_id: IdText | None = Field(description="The snapshot in which it is ready.")


class CommittedEvent(_Event):
    """A branch or tag reaches a snapshot for the first time."""

    type: Literal["table.committed"]
    data: CommitData


class RefChangedEvent(_Event):
    """A branch or tag was created, dropped, or moved otherwise than by new commits."""

    type: Literal["table.ref_changed"]
    data: RefChangeData


class AlteredEvent(_Event):
    """A table's current columns, partitioning or properties have changed."""

    type: Literal["table.altered"]
    data: AlterationData


class RegistrationEvent(_Event):
    """A table was registered or removed."""

    type: Literal["table.registered", "table.removed"]
    data: RegistrationData


class QuarantinedEvent(_Event):
    """A snapshot cannot be read."""

    type: Literal["table.quarantined"]
    data: QuarantineData


class RecoveredEvent(_Event):
    """A snapshot can be read again."""

    type: Literal["table.recovered"]
    data: RecoveryData


class RenamedEvent(_Event):
    """A table has another name in its attached catalog."""

    type: Literal["table.renamed"]
    data: RenameData


class HealthChangedEvent(_Event):
    """The status of a component of a table's health has changed."""

    type: Literal["health.changed"]
    data: HealthData


class PartitionReadyEvent(_Event):
    """A partition is complete by a rule of its table's settings."""

    type: Literal["partition.ready"]
    data: ReadyData


EventOut = (
    CommittedEvent
    | RefChangedEvent
    | AlteredEvent
    | RegistrationEvent
    | RenamedEvent
    | QuarantinedEvent
    | RecoveredEvent
    | HealthChangedEvent
    | PartitionReadyEvent
)


class LostData(WireModel):
    """Between which events of the log others are gone."""

    after: str = Field(description="The last event that the receiver has got.")
    resumed_after: str = Field(description="The log goes on after this event.")


class LostEvent(WireModel):
    """Tells a receiver that events are gone that it has not got."""

    specversion: Literal["1.0"]
    id: str
    source: str = Field(description="Path of the log.")
    subject: str | None = Field(description="Null: it is about no table.")
    time: InstantText
    datacontenttype: Literal["application/json"]
    type: Literal["events.lost"]
    data: LostData


class EventsPage(WireModel):
    """A page of the event log, oldest first."""

    events: list[EventOut]
    last_event_id: str = Field(description="Where this page ends: the `after` of the next request, now or later.")
    more: bool = Field(description="Whether the log goes on behind this page; false: ask again later.")
    lost: bool = Field(description="Whether events after `after` are gone: they were too old, or too many came since.")
