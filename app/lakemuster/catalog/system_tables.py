"""Paimon's system tables, for routes and for the command line on a local index."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import pyarrow as pa

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.catalog.listings import Page
from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.services import Services
from lakemuster.errors import RefNotFound, RequestInvalid, SystemTableNotFound
from lakemuster.index.snapshots import list_snapshots
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.planner.paimon.system.snapshot_rows import statistics_name
from lakemuster.planner.paimon.system.sources import snapshot_source
from lakemuster.planner.paimon.system.table_rows import table_rows
from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES, SystemTable
from lakemuster.planner.rows import RowSource
from lakemuster.planner.view import Selector, View
from lakemuster.wire.native.system import SystemColumn, SystemTableName, SystemTableOut
from lakemuster.wire.rows import Written, json_items, json_lines

BATCH_ROWS = 1000
NAMES = tuple(sorted(SYSTEM_TABLES))


def system_table_out(name: str) -> SystemTableOut:
    """Describe a system table: its name, whether it describes a snapshot or a table, its columns."""
    table = SYSTEM_TABLES[name]
    columns = [SystemColumn(name=column, type=text) for column, text in table.columns]
    return SystemTableOut(name=cast("SystemTableName", table.name), of=table.of, columns=columns)


def system_table(name: str) -> SystemTable:
    """Return a system table by its name.

    Raises:
        SystemTableNotFound: no system table has that name.
    """
    found = SYSTEM_TABLES.get(name)
    if found is None:
        raise SystemTableNotFound(f"unknown system table {name!r}; known: {', '.join(NAMES)}", name=name)
    return found


def snapshot_rows(services: Services, view: View, table: SystemTable) -> RowSource:
    """Return the rows of a system table that describes a snapshot.

    Raises:
        RequestInvalid: the table is not a Paimon table.
    """
    _require(view.table, table)
    if table.name == "statistics" and (name := statistics_name(view)) is not None:
        services.refresher.ensure_statistics(view.table, name)
    return snapshot_source(table.name, services.index, view)


def branch_rows(
    services: Services, name: str, table: SystemTable, selector: Selector
) -> tuple[TableRecord, pa.Table, str | None]:
    """Return a table, a system table's rows about it or a branch, and the reason if they are not the newest.

    Raises:
        RequestInvalid: the table is not a Paimon table, or the selector chooses a snapshot.
        RefNotFound: the branch does not exist.
    """

    def find(record: TableRecord, metadata: TableMetadata) -> tuple[TableRecord, TableMetadata, str]:
        _require(record, table)
        return record, metadata, _branch(metadata, table, selector)

    (record, metadata, branch), stale = services.found(name, find)
    with services.index.database.reading() as session:
        needs = table.name in ("snapshots", "tags")
        records = list_snapshots(session, record.table_id, branch) if needs else []
    return record, table_rows(table.name, metadata, branch, records), stale


def names_of(record: TableRecord) -> tuple[str, ...]:
    """Return the names of a table's system tables, in order."""
    return tuple(sorted(CATALOG_RULES.of(record).system_tables))


def _require(record: TableRecord, table: SystemTable) -> None:
    rules = CATALOG_RULES.of(record)
    if table.name not in rules.system_tables:
        raise RequestInvalid(f"{record.name} is {rules.noun}: only Paimon tables have system tables", table=record.name)


def _branch(metadata: TableMetadata, table: SystemTable, selector: Selector) -> str:
    words = f"{table.name} describes the table, not a snapshot"
    if selector.snapshot_id is not None or selector.as_of_ms is not None:
        raise RequestInvalid(f"{words}: omit snapshot and as_of; ref may name a branch")
    if selector.ref is None or selector.ref == MAIN or selector.ref in metadata.branch_schemas:
        return selector.ref or MAIN
    if any(ref.name == selector.ref for ref in metadata.refs):
        raise RequestInvalid(f"{words}: ref may name a branch, and {selector.ref!r} is a tag")
    raise RefNotFound(f"the table has no branch {selector.ref!r}", ref=selector.ref)


@dataclass(frozen=True)
class KeyedListing:
    """Rows that belong to no snapshot and may change between pages: a page begins after a key.

    Attributes:
        table: rows in the order of the key; rows of ``aggregation_fields`` in the order of the columns.
        descending: list them from the last to the first.
    """

    of: SystemTable
    table: pa.Table
    descending: bool = False

    @property
    def schema(self) -> pa.Schema:
        """The system table's schema."""
        return self.of.schema

    @cached_property
    def _keys(self) -> list[Key]:
        if self.of.name == "aggregation_fields":
            return [(row,) for row in range(self.table.num_rows)]
        return list(zip(*(self.table.column(name).to_pylist() for name in self.of.key), strict=True))

    def page(self, after: Key | None, size: int) -> Page:
        """Return the rows after the last one shown."""
        rows = self.table.num_rows
        if self.descending:
            passed = 0 if after is None else rows - bisect_left(self._keys, after)
        else:
            passed = 0 if after is None else bisect_right(self._keys, after)
        shown = self._ordered.slice(passed, size)
        items = b",".join(json_items(batch) for batch in shown.to_batches() if batch.num_rows)
        end = passed + shown.num_rows
        last = None if not shown.num_rows or end == rows else self._keys[rows - end if self.descending else end - 1]
        return Page(items, last, rows)

    @cached_property
    def _ordered(self) -> pa.Table:
        return self.table.take(list(range(self.table.num_rows))[::-1]) if self.descending else self.table

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all rows."""
        for batch in self.batches():
            yield batch.num_rows, json_lines(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows."""
        yield from self._ordered.to_batches(max_chunksize=BATCH_ROWS)
