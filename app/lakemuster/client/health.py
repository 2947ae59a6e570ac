"""The client's methods about the health of all tables."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack

from lakemuster.client.choices import query_parameters
from lakemuster.client.model import Row
from lakemuster.client.rows import Rows, as_is
from lakemuster.client.transport import Transport


class FleetChoice(TypedDict, total=False):
    """The tables to list with their health, and their order: see the query parameters of ``GET /health``.

    ``status`` is ``ok``, ``unknown``, ``warning``, ``critical``, or several separated by commas; with ``component``, it
    is about this component.
    """

    namespace: str | None
    search: str | None
    status: str | None
    component: str | None
    sort: str | None
    order: Literal["asc", "desc"] | None
    page_size: int | None


class FleetHealth:
    """The part of ``Client`` about the health of all tables."""

    _transport: Transport

    def health(self, **choice: Unpack[FleetChoice]) -> Rows[Row]:
        """Return the tables that the token may see with their health, the worst first unless ``sort`` is given."""
        params = query_parameters(choice)
        return Rows(self._transport, "/health", params, as_is, page_size=choice.get("page_size"))
