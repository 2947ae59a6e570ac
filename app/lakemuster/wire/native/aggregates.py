"""JSON models of aggregates: count, extremes and sizes from metadata alone."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictStr

from lakemuster.wire.model import SingleValue, WireModel
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


class ExactAggregate(WireModel):
    """The answer to an aggregate of which metadata proves the value."""

    aggregate: str = Field(description="As requested.")
    exact: Literal[True]
    value: SingleValue = Field(description="The value; null for the extremes of no values.")


class AggregateInterval(WireModel):
    """The answer to an aggregate of which metadata proves an interval that holds the value."""

    aggregate: str = Field(description="As requested.")
    exact: Literal[False]
    lower: SingleValue = Field(description="The value is not less. Null: unbounded. NaN is above all numbers.")
    upper: SingleValue = Field(description="The value is not greater. Null: unbounded.")
    may_be_null: bool = Field(description="There may be no value at all, and so the aggregate may be null.")
    reason: str | None = Field(description="Why the value is not exact.")


class AggregatesOut(WireModel):
    """Aggregates of one snapshot's rows."""

    snapshot_id: IdText | None = Field(description="Null for a table without snapshots.")
    statistics: list[ExactAggregate | AggregateInterval] = Field(
        description="One for each requested aggregate, in their order."
    )
    stale: str | None = Field(
        description="Why the response is not of the table's newest state; null if it is, or if the request "
        "pins a snapshot."
    )
