"""The health of the local index's tables, in the form of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakemuster.catalog.fleet_health import evaluate_due, fleet_choice, fleet_order, fleet_rows
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import TableChoice
from lakemuster.cli.sources import Row
from lakemuster.metadata.names import format_name, parse_name


def chosen_health(services: Services, choice: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of ``/health``, after the health of tables that have changed is computed.

    Raises:
        RequestInvalid: as for ``/health``.
    """
    namespace = choice.get("namespace")
    of = TableChoice(namespace and format_name(parse_name(namespace)))
    chosen = fleet_choice(of, choice.get("status"), choice.get("component"))
    order = fleet_order(choice.get("sort"), None)
    evaluate_due(services)
    yield from fleet_rows(services, chosen, order)
