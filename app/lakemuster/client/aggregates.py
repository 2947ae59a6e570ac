"""The client's answers to aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from lakemuster.client.model import Row


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate. Values are as the server wrote them: dates, times and decimals are text.

    Attributes:
        name: as requested.
        exact: whether metadata proves ``value``.
        value: None unless exact; the extremes of no values are None.
        lower, upper: closed bounds of the value, None where there is none; the value itself if exact.
        may_be_null: there may be no value at all.
        reason: why it is not exact.
    """

    name: str
    exact: bool
    value: Any
    lower: Any
    upper: Any
    may_be_null: bool
    reason: str | None

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from one of the response's ``statistics``."""
        exact, value = bool(row["exact"]), row.get("value")
        lower, upper = (value, value) if exact else (row["lower"], row["upper"])
        is_null = exact and value is None
        return cls(row["aggregate"], exact, value, lower, upper, row.get("may_be_null", is_null), row.get("reason"))


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Aggregates of one snapshot's rows, in the order of the request.

    Attributes:
        snapshot_id: None for a table without snapshots.
        stale: why the answer is not of the table's newest state; None if it is.
    """

    snapshot_id: int | None
    answers: tuple[Aggregate, ...]
    stale: str | None
    row: Row

    @classmethod
    def of(cls, row: Row) -> Self:
        """Build from the response of ``/statistics``."""
        number = row["snapshot_id"]
        answers = tuple(map(Aggregate.of, row["statistics"]))
        return cls(None if number is None else int(number), answers, row["stale"], row)

    def __iter__(self) -> Iterator[Aggregate]:
        """Return an iterator over the aggregates, in order."""
        return iter(self.answers)

    def __getitem__(self, name: str) -> Aggregate:
        """Return the aggregate that was requested by this name.

        Raises:
            KeyError: there is none.
        """
        found = next((one for one in self.answers if one.name == name), None)
        if found is None:
            raise KeyError(name)
        return found
