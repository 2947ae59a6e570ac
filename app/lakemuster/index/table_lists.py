"""Lists of registered tables, filtered and sorted by the database, so that a page is one range of a database index."""

from __future__ import annotations

import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Select, any_, func, literal, null, select, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session
from sqlalchemy.types import BigInteger, Text

from lakemuster.index.orm import REGISTERED, HealthRow, TableRow
from lakemuster.index.orm_base import AnyText
from lakemuster.index.statements import chunks
from lakemuster.index.stored_text import escape, unescape
from lakemuster.index.table_record import COLUMNS, FIGURES, HEALTH, ListedTable, TableFigures, read_record

NAME = "name"
SORTED_BY = (NAME, *FIGURES, HEALTH)
"""The columns that lists of tables can be sorted by."""

Key = tuple[int | str, ...]
"""The position of a table in a list: its name, preceded by the value of the sort column, if it is known."""

_ROW = tuple(getattr(TableRow, name) for name in (*COLUMNS, *FIGURES, HEALTH))
_FEW = 10_000
"""Number of tables up to which sorting them is faster than finding them in a sorted index of all tables."""

_NAMESPACES = """
WITH RECURSIVE found(namespace) AS (
    SELECT min(namespace) FROM catalog_table WHERE {registered}
    UNION ALL
    SELECT (SELECT min(namespace) FROM catalog_table WHERE {registered} AND namespace > found.namespace)
    FROM found WHERE found.namespace IS NOT NULL
) SELECT namespace FROM found WHERE namespace IS NOT NULL"""
"""An index skip scan from one namespace to the next: DISTINCT would read the whole index."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class TableChoice:
    """The filters of a list of tables; a filter that is None matches any table.

    Attributes:
        namespace: the tables' namespace, in canonical spelling.
        search: a part of their names; ASCII letters match in either case.
        catalog: the attached catalog that they belong to.
        stale: whether their newest state could not be read.
        health: the ranks that their health may have.
        component: the component whose health ``health`` filters; None for the health of the whole table.
        visible: the namespaces whose tables the caller may list.
    """

    namespace: str | None = None
    search: str | None = None
    format: str | None = None
    catalog: str | None = None
    stale: bool | None = None
    health: tuple[int, ...] | None = None
    component: str | None = None
    visible: Collection[str] | None = None

    @property
    def is_of_few_namespaces(self) -> bool:
        """Whether the list is restricted to some namespaces."""
        return self.namespace is not None or self.visible is not None


@dataclass(frozen=True, slots=True)
class TableOrder:
    """The order of a list of tables: by one of ``SORTED_BY``, then by name in the same direction; unknown values last.

    If the choice names a component, ``health`` sorts by the health of this component.
    """

    column: str = NAME
    descending: bool = False


def table_page(
    session: Session, choice: TableChoice, order: TableOrder, after: Key | None, limit: int
) -> list[ListedTable]:
    """Return the next tables of a list.

    Args:
        after: the key of the last table of the previous page; None for the first page.
    """
    found: list[ListedTable] = []
    for query in _ranges(session, choice, order, after, (*_ROW, _component_rank(choice))):
        if len(found) < limit:
            rows = session.execute(query.limit(limit - len(found)))
            found += [replace(_listed(tuple(row[:-1])), component=row[-1]) for row in rows]
    return found


def table_ids(session: Session, choice: TableChoice, order: TableOrder) -> list[int]:
    """Return the row ids of all tables of a list, in order."""
    queries = _ranges(session, choice, order, None, (TableRow.id,))
    return [row.id for query in queries for row in session.execute(query)]


def listed_by_id(session: Session, ids: Sequence[int]) -> list[ListedTable]:
    """Return the tables with these row ids, in this order, without those that were removed."""
    found = {
        row.id: _listed(tuple(row))
        for chunk in chunks(ids)
        for row in session.execute(select(*_ROW).where(TableRow.id.in_(chunk)))
    }
    return [found[table_id] for table_id in ids if table_id in found]


def count_tables(session: Session, choice: TableChoice) -> int:
    """Return the number of tables in a list."""
    query = select(func.count()).select_from(TableRow).where(*conditions(session, choice))
    # This condition always holds; it makes the query read the names from their index.
    return session.scalar(query if choice.search is None else query.where(TableRow.name >= "")) or 0


def key_of(table: ListedTable, order: TableOrder) -> Key:
    """Return the position of a table in a list."""
    if order.column == NAME:
        return (table.record.name,)
    value: int | None
    if order.column == HEALTH:
        value = table.health if table.component is None else table.component
    else:
        value = getattr(table.figures, order.column)
    return (table.record.name,) if value is None else (value, table.record.name)


def namespaces(session: Session) -> list[str]:
    """Return the namespaces of all tables, sorted."""
    found = session.execute(text(_NAMESPACES.format(registered=_registered(session)))).scalars()
    return [unescape(namespace) for namespace in found]


def _ranges(
    session: Session, choice: TableChoice, order: TableOrder, after: Key | None, columns: tuple[Any, ...]
) -> list[Select[Any]]:
    """Return the queries whose results, in sequence, are the rest of a list: known values, then unknown ones."""
    query = select(*columns).where(*_in_order(session, choice, order))
    is_of_component = order.column == HEALTH and choice.component is not None
    column: Any = _component_rank(choice) if is_of_component else getattr(TableRow, order.column)
    name: Any = TableRow.name
    if choice.is_of_few_namespaces and count_tables(session, choice) <= _FEW:
        # No index has these expressions, so the index of namespaces is used to find the tables, which are then sorted.
        column, name = column + ("" if order.column == NAME else 0), name + ""
    if order.column == NAME:
        return [_from(query.order_by(*_directed((name,), order)), (name,), order, after)]
    keys = (column, name)
    query = query.order_by(*_directed(keys, order))
    unknown = query.where(column.is_(None))
    if after is not None and len(after) == 1:
        return [_from(unknown, (name,), order, after)]
    return [_from(query.where(column.is_not(None)), keys, order, after), unknown]


def _in_order(session: Session, choice: TableChoice, order: TableOrder) -> list[ColumnElement[bool]]:
    """Return the conditions of a choice, in a form for which the database uses the index of the order.

    Otherwise SQLite would read and sort all tables of the chosen health for each page: match their ids instead.
    """
    by_figure = choice.health is not None and choice.component is None and order.column in FIGURES
    if not by_figure or _is_postgres(session) or count_tables(session, choice) <= _FEW:
        return conditions(session, choice)
    of = select(TableRow.id).where(*conditions(session, TableChoice(health=choice.health))).correlate(None)
    return [*conditions(session, replace(choice, health=None)), (TableRow.id + 0).in_(of)]


def _component_rank(choice: TableChoice) -> Any:
    """Return the expression of the chosen component's rank; null if none is chosen, or the table does not have it."""
    if choice.component is None:
        return null()
    of = select(HealthRow.status).where(HealthRow.table_id == TableRow.id, HealthRow.component == choice.component)
    return of.correlate(TableRow).scalar_subquery()


def _directed(keys: tuple[Any, ...], order: TableOrder) -> list[ColumnElement[Any]]:
    return [key.desc() if order.descending else key.asc() for key in keys]


def _from(query: Select[Any], keys: tuple[Any, ...], order: TableOrder, after: Key | None) -> Select[Any]:
    if after is None:
        return query
    place = tuple_(*(literal(value, BigInteger() if isinstance(value, int) else AnyText()) for value in after))
    return query.where(tuple_(*keys) < place if order.descending else tuple_(*keys) > place)


def _listed(row: tuple[Any, ...]) -> ListedTable:
    return ListedTable(read_record(row[: len(COLUMNS)]), TableFigures(*row[len(COLUMNS) : -1]), row[-1])


def conditions(session: Session, choice: TableChoice) -> list[ColumnElement[bool]]:
    """Return the conditions that a row is a table of a choice."""
    found: list[ColumnElement[bool]] = [text(_registered(session))]  # type: ignore[list-item]
    if choice.namespace is not None:
        found.append(TableRow.namespace == choice.namespace)
    if choice.search is not None:
        at = func.strpos if _is_postgres(session) else func.instr
        found.append(at(func.lower(TableRow.name), literal(choice.search.translate(_LOWER), AnyText())) > 0)
    if choice.format is not None:
        found.append(TableRow.format == choice.format)
    if choice.catalog is not None:
        found += [TableRow.name >= f"{choice.catalog}.", TableRow.name < f"{choice.catalog}/"]
    if choice.stale is not None:
        found.append(TableRow.stale_reason.is_not(None) if choice.stale else TableRow.stale_reason.is_(None))
    if choice.component is not None:
        of = select(HealthRow.table_id).where(HealthRow.component == choice.component)
        if choice.health is not None:
            of = of.where(HealthRow.status.in_(choice.health))
        found.append(TableRow.id.in_(of))
    elif choice.health is not None:
        found.append(TableRow.health.in_(choice.health))
    if choice.visible is not None:
        found.append(_is_in(session, choice.visible))
    return found


def _is_in(session: Session, namespaces: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a table is in one of some namespaces, with one parameter for any number of them."""
    texts = [escape(namespace) for namespace in namespaces]
    if _is_postgres(session):
        return TableRow.namespace == any_(literal(texts, ARRAY(Text())))
    values = func.json_each(orjson.dumps(texts).decode()).table_valued("value")
    return TableRow.namespace.in_(select(values.c.value))


def _registered(session: Session) -> str:
    return REGISTERED[session.get_bind().dialect.name]


def _is_postgres(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"
