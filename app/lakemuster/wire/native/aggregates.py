"""JSON models of aggregates: count, extremes and sizes from metadata alone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr, WithJsonSchema

from lakemuster.wire.model import WireModel
from lakemuster.wire.native.plans import QueryOptions
from lakemuster.wire.native.rows import IdText

MAX_AGGREGATES = 200

AggregateText = Annotated[StrictStr, Field(min_length=1, max_length=1024)]


class AggregatesRequest(QueryOptions):
    """A request for aggregates of the rows that match a filter."""

    aggregates: Annotated[list[AggregateText], Field(min_length=1, max_length=MAX_AGGREGATES, fail_fast=True)] = Field(
        description="What to compute, answered in this order: `count`, `min(column)`, `max(column)`, "
        "`null_count(column)`; `files` and `bytes` are of the data files that a query with the filter must read.",
        examples=[["count", "max(ts)"]],
    )


Value = Annotated[
    object,
    WithJsonSchema(
        {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}, {"type": "boolean"}, {"type": "null"}]}
    ),
]
"""A single value in the JSON form of the Iceberg specification; integers beyond 2**53 are text."""


class AggregateOut(WireModel):
    """The answer to one aggregate: a value if it is exact, else an interval that holds it."""

    aggregate: str = Field(description="As requested.")
    exact: bool = Field(description="Whether metadata proves the value.")
    value: Value = Field(None, description="The value, if exact; null for the extremes of no values.")
    lower: Value = Field(
        None, description="If not exact: the value is not less. Null: unbounded. NaN is above all numbers."
    )
    upper: Value = Field(None, description="If not exact: the value is not greater. Null: unbounded.")
    may_be_null: bool = Field(
        False, description="If not exact: there may be no value at all, and so the aggregate may be null."
    )
    reason: str | None = Field(None, description="Why the value is not exact; null if it is.")


class AggregatesOut(WireModel):
    """Aggregates of one snapshot's rows."""

    snapshot_id: IdText | None = Field(description="Null for a table without snapshots.")
    statistics: list[AggregateOut] = Field(description="One for each requested aggregate, in their order.")
    stale: str | None = Field(
        description="Why the response is not of the table's newest state; null if it is, or if the request "
        "pins a snapshot."
    )
