"""Lists of tables on every database: filters, order, pages, figures, and sums by namespace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from itertools import product

import pytest
from sqlalchemy import text, update

from lakemuster.catalog.table_documents import table_document
from lakemuster.cli.table_choice import chosen_tables
from lakemuster.errors import RequestInvalid
from lakemuster.index import leases, table_lists
from lakemuster.index.database import Database
from lakemuster.index.first_states import FirstSnapshot, FirstState, store_first_states
from lakemuster.index.leases import ensure_many
from lakemuster.index.namespace_lists import list_namespaces
from lakemuster.index.orm import TableRow
from lakemuster.index.snapshots import get_snapshot, quarantine
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
from lakemuster.index.table_record import FIGURES, UNKNOWN_FIGURES, ListedTable, TableFigures
from lakemuster.index.tables import add_table
from lakemuster.metadata.counts import LiveCounts
from lakemuster.metadata.health import STATUSES
from lakemuster.metadata.names import namespace_of
from lakemuster.metadata.snapshot import MAIN
from tests.contract.index import made

NAMES = (
    *("shop.orders", "shop.Orders", "shop.`a.b`", "shop.raw.events", "lake.t", "lake.t_1", "lake.tx", "alone", "Z.a"),
    *("prod.ns.t", "prod.ns.u", "prod_2.ns.t", "é.t", "z.`%`", "z.\U0001f40b", "z.\uffee"),
)
HUGE = 2**63 - 1
RANKS = (None, 0, 3, 1, 2, 3, 0)
"""Ranks of the tables' health."""
VALUES = (None, 0, 5, 5, HUGE, 7, None, 0, 1, 2, 2, 3, None, 5, HUGE, 4)


@pytest.fixture
def tables(database: Database) -> Sequence[ListedTable]:
    """Tables whose figures are often equal or unknown."""
    with database.session() as session:
        for at, name in enumerate(NAMES):
            catalog = name.startswith("prod.")
            added = add_table(
                session,
                name,
                "catalog://prod/ns/t" if catalog else "s3://lake/t",
                "paimon" if at % 3 == 0 else "iceberg",
            )
            figures = {figure: VALUES[(at * (1 + step)) % len(VALUES)] for step, figure in enumerate(FIGURES)}
            if figures["last_committed_at_ms"] == HUGE:
                # Times have years of four digits.
                figures["last_committed_at_ms"] = 10**12
            more = {
                "stale_reason": "storage_unavailable: gone" if at % 4 == 0 else None,
                "health": RANKS[at % len(RANKS)],
            }
            session.execute(update(TableRow).where(TableRow.id == added.table_id).values(**figures, **more))
    with database.reading() as session:
        return listed_by_id(session, table_ids(session, TableChoice(), TableOrder()))


def expected(tables: Sequence[ListedTable], order: TableOrder) -> list[str]:
    def value(table: ListedTable) -> int | None:
        if order.column == "health":
            return table.health
        return None if order.column == "name" else getattr(table.figures, order.column)

    known = [table for table in tables if order.column == "name" or value(table) is not None]
    rest = [table for table in tables if table not in known]
    return [
        table.record.name
        for some in (known, rest)
        for table in sorted(some, key=lambda one: (value(one) or 0, one.record.name), reverse=order.descending)
    ]


def paged(database: Database, choice: TableChoice, order: TableOrder, size: int) -> list[str]:
    found: list[ListedTable] = []
    after = None
    while True:
        with database.reading() as session:
            page = table_page(session, choice, order, after, size)
        found += page
        if len(page) < size:
            return [table.record.name for table in found]
        after = key_of(page[-1], order)


@pytest.mark.parametrize("column", SORTED_BY)
def test_pages_of_every_size_are_the_sorted_list(
    database: Database, tables: Sequence[ListedTable], column: str
) -> None:
    for descending, size in product((False, True), (1, 2, 3, 7, 100)):
        order = TableOrder(column, descending)
        assert paged(database, TableChoice(), order, size) == expected(tables, order)
        with database.reading() as session:
            ids = table_ids(session, TableChoice(), order)
            assert [one.record.name for one in listed_by_id(session, ids)] == expected(tables, order)


CHOICES: list[tuple[TableChoice, Callable[[ListedTable], bool]]] = [
    (TableChoice(namespace="shop"), lambda table: namespace_of(table.record.name) == "shop"),
    (TableChoice(namespace=""), lambda table: table.record.name == "alone"),
    (TableChoice(search="ORDER"), lambda table: "order" in table.record.name.lower()),
    (TableChoice(search="É"), lambda table: False),
    (TableChoice(search="_"), lambda table: "_" in table.record.name),
    (TableChoice(search="%"), lambda table: "%" in table.record.name),
    (TableChoice(format="paimon"), lambda table: table.record.format == "paimon"),
    (TableChoice(catalog="prod"), lambda table: table.record.name.startswith("prod.")),
    (TableChoice(stale=True), lambda table: table.record.stale_reason is not None),
    (TableChoice(stale=False), lambda table: table.record.stale_reason is None),
    (TableChoice(health=(3, 1)), lambda table: table.health in (1, 3)),
    (TableChoice(visible=["shop", "z", ""]), lambda table: namespace_of(table.record.name) in ("shop", "z", "")),
    (TableChoice(visible=[]), lambda table: False),
    (
        TableChoice(search="t", format="iceberg", visible=["lake"]),
        lambda table: table.record.name.startswith("lake.t") and table.record.format == "iceberg",
    ),
]


@pytest.mark.parametrize(("choice", "matches"), CHOICES, ids=range(len(CHOICES)))
def test_a_choice_holds_its_tables_and_counts_them(
    database: Database,
    tables: Sequence[ListedTable],
    choice: TableChoice,
    matches: Callable[[ListedTable], bool],
) -> None:
    wanted = [table for table in tables if matches(table)]
    for column in ("name", "total_bytes"):
        order = TableOrder(column, descending=True)
        assert paged(database, choice, order, 2) == expected(wanted, order)
    with database.reading() as session:
        assert count_tables(session, choice) == len(wanted)


COMMON_HEALTH = (
    TableChoice(health=(3, 1)),
    TableChoice(health=(0,), stale=False),
    TableChoice(health=(0, 3), search="t"),
)


@pytest.mark.parametrize("column", FIGURES)
def test_tables_of_a_common_health_are_found_in_the_index_of_the_order(
    database: Database, tables: Sequence[ListedTable], column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [matching(tables, choice) for choice in COMMON_HEALTH]
    assert all(map(len, wanted))
    monkeypatch.setattr(table_lists, "_FEW", 0)
    for (choice, some), descending in product(zip(COMMON_HEALTH, wanted, strict=True), (False, True)):
        order = TableOrder(column, descending)
        assert paged(database, choice, order, 2) == expected(some, order)
        assert not database.is_embedded or not sorts(database, choice, order)


def matching(tables: Sequence[ListedTable], choice: TableChoice) -> list[ListedTable]:
    assert choice.health is not None
    found = [table for table in tables if table.health in choice.health]
    found = [table for table in found if choice.search is None or choice.search in table.record.name]
    return [table for table in found if choice.stale is None or (table.record.stale_reason is not None) == choice.stale]


def sorts(database: Database, choice: TableChoice, order: TableOrder) -> bool:
    """Return whether SQLite's plan sorts the tables whose figure is known, instead of using an index."""
    with database.reading() as session:
        query = table_lists._ranges(session, choice, order, None, (TableRow.id, TableRow.properties))[0]
        words = query.compile(session.get_bind(), compile_kwargs={"literal_binds": True})
        return "TEMP B-TREE" in str(session.execute(text(f"EXPLAIN QUERY PLAN {words}")).all())


def test_few_tables_of_a_health_are_sorted(database: Database, tables: Sequence[ListedTable]) -> None:
    order = TableOrder("total_bytes")
    assert paged(database, COMMON_HEALTH[0], order, 2) == expected(matching(tables, COMMON_HEALTH[0]), order)
    assert not database.is_embedded or sorts(database, COMMON_HEALTH[0], order)


@pytest.mark.parametrize("choice", [choice for choice, _ in CHOICES if choice.visible is None], ids=str)
def test_the_command_line_chooses_and_sorts_the_same_tables(
    database: Database, tables: Sequence[ListedTable], choice: TableChoice
) -> None:
    rows = [table_document(table.record, table.figures, table.health) for table in tables]
    for column, descending in product(SORTED_BY, (False, True)):
        sort = ("-" if descending else "") + column.removesuffix("_ms")
        asked = {name: getattr(choice, name) for name in ("namespace", "search", "format", "catalog", "stale")}
        health = None if choice.health is None else ", ".join(STATUSES[rank] for rank in choice.health)
        found = [row["name"] for row in chosen_tables(rows, {**asked, "health": health, "sort": sort})]
        assert found == paged(database, choice, TableOrder(column, descending), 5)


def test_the_command_line_refuses_a_format_that_there_is_not() -> None:
    with pytest.raises(RequestInvalid, match="formats are iceberg, paimon"):
        chosen_tables([], {"format": "parquet"})


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"health": "ok,bad"}, "statuses are ok"),
        ({"health": ","}, "statuses are ok"),
        ({"namespace": "a..b"}, "not a dotted name"),
    ],
    ids=["health", "no health", "namespace"],
)
def test_the_command_line_refuses_a_choice_even_if_no_table_is_left_to_compare(
    choice: dict[str, str], message: str
) -> None:
    with pytest.raises(RequestInvalid, match=message):
        chosen_tables([], choice)


def test_namespaces_sum_up_the_figures_that_are_known(database: Database, tables: Sequence[ListedTable]) -> None:
    with database.reading() as session:
        found = list_namespaces(session)
        assert namespaces(session) == [one.name for one in found] == sorted({namespace_of(name) for name in NAMES})
    for one in found:
        own = [table.figures for table in tables if namespace_of(table.record.name) == one.name]
        assert (one.tables, one.unknown_tables) == (len(own), sum(figures.total_bytes is None for figures in own))
        for figure, value in zip(FIGURES, astuple(one.figures), strict=True):
            known = [getattr(figures, figure) for figures in own if getattr(figures, figure) is not None]
            total = max if figure == "last_committed_at_ms" else sum
            assert value == (total(known) if known else None)


def shown(database: Database, table_id: int) -> TableFigures | None:
    with database.reading() as session:
        found = listed_by_id(session, [table_id])
    return found[0].figures if found else None


def test_figures_are_those_of_the_published_current_snapshot(database: Database) -> None:
    one, two = made.snapshot(1), made.snapshot(2, branch=MAIN)
    table_id = made.table(database)
    assert shown(database, table_id) == UNKNOWN_FIGURES
    made.store(database, table_id, made.metadata([]))
    assert shown(database, table_id) == TableFigures(0, 0, 0, 0, 0, None)
    made.store(database, table_id, made.metadata([one, two, made.snapshot(1, branch="b1")], current_snapshot_id=2))
    unknown = TableFigures(None, None, None, None, 2, 2000)
    assert shown(database, table_id) == unknown
    made.show(database, table_id, 1, made.published([1]))
    assert shown(database, table_id) == unknown
    made.show(database, table_id, 2, made.published([1, 2]))
    of_two = TableFigures(2**62, 2, 2**63 - 1, 1, 2, 2000)
    assert shown(database, table_id) == of_two
    # A rollback to a published snapshot.
    made.store(database, table_id, made.metadata([one, two], current_snapshot_id=1))
    assert shown(database, table_id) == replace(of_two, data_files=1, last_committed_at_ms=1000)
    # A commit that is not indexed yet, and is quarantined later.
    made.store(database, table_id, made.metadata([one, two, made.snapshot(3)]))
    assert shown(database, table_id) == TableFigures(None, None, None, None, 3, 3000)
    with leases.hold(database, table_id, wait_seconds=5) as lease, database.session() as session:
        quarantine(session, lease, get_snapshot(session, table_id, 3).row_id, "metadata_corrupt: no")
    assert shown(database, table_id) == TableFigures(None, None, None, None, 3, 3000)


def test_first_states_have_the_figures_of_their_current_snapshots(database: Database) -> None:
    ids = [made.table(database, name) for name in ("a.empty", "a.counted", "a.uncounted")]
    states = [
        FirstState(ids[0], made.metadata([]), "p", 1, ()),
        FirstState(
            ids[1],
            made.metadata([made.snapshot(1), made.snapshot(2)]),
            "p",
            1,
            [FirstSnapshot(made.snapshot(2), (), live=LiveCounts(1, 2, 3, 4)), FirstSnapshot(made.snapshot(1), ())],
        ),
        FirstState(ids[2], made.metadata([made.snapshot(1)]), "p", 1, [FirstSnapshot(made.snapshot(1), ())]),
    ]
    with leases.hold_free(database, ids) as held, database.session() as session:
        store_first_states(session, states, (), ensure_many(session, held))
    assert [shown(database, table_id) for table_id in ids] == [
        TableFigures(0, 0, 0, 0, 0, None),
        TableFigures(3, 1, 4, 2, 2, 2000),
        TableFigures(None, None, None, None, 1, 1000),
    ]
