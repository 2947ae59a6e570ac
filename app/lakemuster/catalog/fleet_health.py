"""The health of all tables that a caller may see: counts by component and status, and the tables, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from sqlalchemy.orm import Session

from lakemuster.catalog.health import evaluate
from lakemuster.catalog.health_documents import table_health_document
from lakemuster.catalog.lists import words
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import TableChoice, TableListing, TableOrder, order_of
from lakemuster.errors import CatalogError, RequestInvalid
from lakemuster.index.health import count_components, count_statuses, due_tables, load_summaries
from lakemuster.index.table_lists import listed_by_id, table_ids
from lakemuster.index.table_record import ListedTable
from lakemuster.metadata.health import RANKS, STATUSES, Status
from lakemuster.table_settings import THRESHOLDS
from lakemuster.wire.documents import Document
from lakemuster.wire.native.health import HEALTH

WORST_FIRST = "-health"
DUE_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class FleetCounts:
    """Numbers of tables.

    Attributes:
        tables: counts by health; ``pending`` counts tables whose health is not computed yet.
        components: counts by component and status.
    """

    tables: dict[str, int]
    components: dict[str, dict[Status, int]]

    def out(self) -> dict[str, object]:
        """Return the counts as members of a page of ``/health``."""
        components = [{"component": name, **numbers} for name, numbers in self.components.items()]
        return {"tables": self.tables, "components": components}


@dataclass(frozen=True, slots=True)
class FleetListing(TableListing):
    """Registered tables with their health."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the list."""
        return HEALTH

    def documents(self, session: Session, tables: list[ListedTable]) -> list[Document]:
        """Return the rows of some tables."""
        found = load_summaries(session, [one.record.table_id for one in tables])
        return [table_health_document(one, found.get(one.record.table_id)) for one in tables]

    def counts(self) -> FleetCounts:
        """Return the numbers of tables by health, and by component and status."""
        with self.services.index.database.reading() as session:
            choice = replace(self.seen(session), health=None, component=None)
            tables, of = count_statuses(session, choice), count_components(session, choice)
        pending = tables.pop(None, 0)
        numbers: dict[str, int] = {status: tables.get(status, 0) for status in STATUSES}
        return FleetCounts({**numbers, "pending": pending}, of)


def fleet_choice(choice: TableChoice, status: str | None, component: str | None) -> TableChoice:
    """Return a choice limited to tables whose health, or whose given component, has one of the statuses.

    Raises:
        RequestInvalid: there is no such status or component.
    """
    if component is not None and component not in THRESHOLDS:
        raise RequestInvalid(f"components are {', '.join(THRESHOLDS)}", component=component[:100])
    return replace(choice, health=statuses(status), component=component)


def statuses(text: str | None) -> tuple[int, ...] | None:
    """Return the ranks of comma-separated statuses; None for any.

    Raises:
        RequestInvalid: there is no such status, or the text names none.
    """
    named = words(text)
    if named is None:
        return None
    ranks = tuple(rank for status, rank in RANKS.items() if status in named)
    if not ranks or not RANKS.keys() >= set(named):
        raise RequestInvalid(f"statuses are {', '.join(STATUSES)}", health=str(text)[:100])
    return ranks


def fleet_order(sort: str | None, order: str | None) -> TableOrder:
    """Return the order of the list; by default, the worst first.

    Raises:
        RequestInvalid: tables cannot be sorted by that field, or ``sort`` and ``order`` contradict each other.
    """
    return order_of(sort or (WORST_FIRST if order != "asc" else "health"), order)


def evaluate_due(services: Services) -> None:
    """Compute the health of all tables for which it is due. A table that fails keeps its stored health.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    left_due: set[int] = set()
    while True:
        with services.index.database.reading() as session:
            due = due_tables(session, services.refresher.now_ms(), DUE_AT_ONCE + len(left_due))
        chosen = [one for one in due if one not in left_due]
        if not chosen:
            return
        for table_id in chosen:
            try:
                is_stored = evaluate(services, table_id)
            except CatalogError:
                # If it is the database that does not answer, this raises; other failures concern one table.
                services.index.database.clock_ms()
                is_stored = False
            if not is_stored:
                left_due.add(table_id)


def fleet_rows(services: Services, choice: TableChoice, order: TableOrder) -> Iterator[Document]:
    """Yield all chosen tables, as rows of ``/health``."""
    listing = FleetListing(services, choice, order)
    with services.index.database.reading() as session:
        yield from listing.documents(session, listed_by_id(session, table_ids(session, choice, order)))
