"""The list of the tables that a caller may see, in pages and streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from sqlalchemy.orm import Session

from lakemuster.catalog.listings import DOCUMENTS_AT_ONCE, Page
from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_documents import table_document
from lakemuster.errors import RequestInvalid
from lakemuster.index.table_lists import (
    SORTED_BY,
    TableChoice,
    TableOrder,
    count_tables,
    key_of,
    listed_by_id,
    namespaces,
    table_ids,
    table_page,
)
from lakemuster.index.table_names import names_of_format, namespaces_of_format
from lakemuster.index.table_record import UNKNOWN_FIGURES, ListedTable, TableRecord
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.metadata.snapshot import Format
from lakemuster.wire.documents import TABLES, Document, document_batch, dumps
from lakemuster.wire.rows import Written

__all__ = [
    "SORTS",
    "TableChoice",
    "TableListing",
    "TableOrder",
    "direction",
    "every_table",
    "order_of",
    "table_names",
    "table_namespaces",
    "with_figures",
]

SORTS = {name.removesuffix("_ms"): name for name in SORTED_BY}
"""The column to sort tables by, for each field of a row."""

_ANY_TABLE = "table"


@dataclass(frozen=True, slots=True)
class TableListing:
    """Registered tables, read from the index as they are needed.

    Attributes:
        sees: whether the caller may see a table of this name; None if it may see every table.
    """

    services: Services
    choice: TableChoice
    order: TableOrder
    sees: Callable[[Levels], bool] | None = None

    @property
    def schema(self) -> pa.Schema:
        """The columns of the list of tables."""
        return TABLES

    def page(self, after: Key | None, size: int) -> Page:
        """Return the tables after a key, and the total number."""
        with self.services.index.database.reading() as session:
            choice = self.seen(session)
            found = table_page(session, choice, self.order, after, size + 1)
            total = count_tables(session, choice)
            shown = found[:size]
            documents = self.documents(session, shown)
        items = b",".join(dumps(document) for document in documents)
        return Page(items, key_of(shown[-1], self.order) if len(found) > len(shown) else None, total)

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all tables."""
        for some in self._portions():
            yield len(some), b"".join(dumps(document) + b"\n" for document in some)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all tables."""
        for some in self._portions():
            yield document_batch(some, self.schema)

    def _portions(self) -> Iterator[list[Document]]:
        """Yield the tables that are registered when the list begins; tables removed meanwhile are left out."""
        database = self.services.index.database
        with database.reading() as session:
            choice = self.seen(session)
            ids = table_ids(session, choice, self.order)
        for at in range(0, len(ids), DOCUMENTS_AT_ONCE):
            with database.reading() as session:
                some = self.documents(session, listed_by_id(session, ids[at : at + DOCUMENTS_AT_ONCE]))
            yield some

    def states(self) -> dict[str, int]:
        """Return the numbers of fresh and of stale tables."""
        with self.services.index.database.reading() as session:
            choice = self.seen(session)
            return {
                "fresh": count_tables(session, replace(choice, stale=False)),
                "stale": count_tables(session, replace(choice, stale=True)),
            }

    def seen(self, session: Session) -> TableChoice:
        """Return the choice, limited to what the caller may see."""
        if self.sees is None:
            return self.choice
        # Rights are granted by namespace: what holds for one table of a namespace holds for all.
        known = namespaces(session)
        seen = [name for name in known if self.sees((*(parse_name(name) if name else ()), _ANY_TABLE))]
        return replace(self.choice, visible=seen)

    def documents(self, session: Session, tables: list[ListedTable]) -> list[Document]:
        """Return the rows of some tables."""
        del session
        return [self._document(table) for table in tables]

    def _document(self, table: ListedTable) -> Document:
        record = table.record if self.choice.stale is not None else self.services.with_failure(table.record)
        return table_document(record, table.figures, table.health)


def with_figures(services: Services, table: TableRecord) -> ListedTable:
    """Return a table with its figures and its health."""
    with services.index.database.reading() as session:
        found = listed_by_id(session, [table.table_id])
    return replace(found[0], record=table) if found else ListedTable(table, UNKNOWN_FIGURES)


def table_names(services: Services, format: Format, namespace: str | None = None) -> list[str]:
    """Return the names of a format's tables, companions included, of all or of one namespace, in no order."""
    with services.index.database.reading() as session:
        return names_of_format(session, format, namespace)


def table_namespaces(services: Services, format: Format, without: str | None = None) -> list[str]:
    """Return the namespaces of a format's tables, companions included, in no order.

    Args:
        without: a character; tables whose last level has it do not count.
    """
    with services.index.database.reading() as session:
        return namespaces_of_format(session, format, without)


def every_table(services: Services) -> list[Document]:
    """Return all tables by name, as rows of ``/tables``."""
    with services.index.database.reading() as session:
        found = listed_by_id(session, table_ids(session, TableChoice(), TableOrder()))
    return [table_document(services.with_failure(one.record), one.figures, one.health) for one in found]


def order_of(sort: str | None, order: str | None) -> TableOrder:
    """Return the order of a list of tables.

    Raises:
        RequestInvalid: tables cannot be sorted by that field, or ``sort`` and ``order`` contradict each other.
    """
    column, descending = direction(sort, order)
    if column is None:
        return TableOrder(descending=descending)
    if column not in SORTS:
        raise RequestInvalid(f"tables are sorted by one of {', '.join(SORTS)}", sort=column)
    return TableOrder(SORTS[column], descending)


def direction(sort: str | None, order: str | None, default: bool = False) -> tuple[str | None, bool]:
    """Return the field of ``sort``, None if there is none, and whether the order is descending.

    Raises:
        RequestInvalid: the sign of ``sort`` contradicts ``order``.
    """
    if sort is None:
        return None, default if order is None else order == "desc"
    field = sort.removeprefix("-")
    if field != sort and order == "asc":
        raise RequestInvalid("sort begins with a minus, which means descending, but order is asc", sort=sort)
    return field, field != sort or order == "desc"
