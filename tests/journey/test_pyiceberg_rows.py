"""Rows that executors read by a server's plans equal those that PyIceberg reads by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.types import ListType, LongType, MapType, NestedField, StringType, StructType

from lakemuster.client.catalog import Client
from lakemuster.spark.options import Options
from lakemuster.spark.reading.files import files_here
from lakemuster.spark.reading.iceberg import read, read_schema
from lakemuster.spark.reading.model import NotReadable, Split, TableToRead
from lakemuster.spark.snapshot_pin import pin
from lakemuster.spark.splits import splits_of
from tests.journey.position_deletes import delete_positions
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_pyiceberg_answers import SPECS, write

PLACE = StructType(NestedField(6, "lat", LongType()), NestedField(7, "town", StringType()))
NESTED = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "places", ListType(5, PLACE, element_required=False)),
    NestedField(3, "counts", MapType(8, StringType(), 9, StructType(NestedField(10, "n", LongType())), False)),
    NestedField(4, "place", StructType(NestedField(11, "a", LongType()), NestedField(12, "b", StringType()))),
)


def nested(catalog: SqlCatalog) -> Table:
    """Write a table whose nested columns change."""
    table = catalog.create_table("db.nested", NESTED)
    values = [
        {
            "id": at,
            "places": None if at % 5 == 0 else [{"lat": at, "town": f"t{at}"}, None] * (at % 3),
            "counts": None if at % 4 == 0 else [(f"k{at}", {"n": at}), ("null", None)],
            "place": None if at % 3 == 0 else {"a": at, "b": None},
        }
        for at in range(20)
    ]
    table.append(pa.Table.from_pylist(values, schema=NESTED.as_arrow()))
    with table.update_schema() as update:
        update.add_column(("places", "element", "new"), LongType())
        update.rename_column(("places", "element", "town"), "lat_town")
        update.delete_column(("place", "a"))
        update.add_column(("place", "a"), StringType())
        update.rename_column("counts", "numbers")
    with table.update_schema() as update:
        update.move_first(("place", "a"))
    return table.refresh()


def migrated(catalog: SqlCatalog, folder: Path) -> Table:
    """Add files without field ids; the table's name mapping identifies their columns."""
    table = catalog.create_table("db.migrated", NESTED)
    rows = pa.Table.from_pylist(
        [{"place": {"b": "x", "a": 1}, "id": at, "places": [{"town": "y", "lat": 2}]} for at in range(10)]
    )
    fields = [pa.field("id", pa.int64(), nullable=False) if field.name == "id" else field for field in rows.schema]
    pq.write_table(rows.cast(pa.schema(fields)), folder / "plain.parquet")
    table.add_files([f"file://{folder}/plain.parquet"])
    with table.update_schema() as update:
        update.rename_column("places", "spots")
    return table.refresh()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, Table]]]:
    folder: Path = tmp_path_factory.mktemp("rows")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    written = {name: write(catalog, name, spec, 2) for name, spec in SPECS.items()}
    written["nested"] = nested(catalog)
    written["migrated"] = migrated(catalog, folder)
    marked = written["marked"] = write(catalog, "marked", SPECS["by_many"], 2)
    for step in (2, 3):
        delete_positions(
            marked,
            {
                task.file.file_path: range(0, task.file.record_count, step)
                for task in list(marked.scan().plan_files())[::step]
            },
        )
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running, written


def planned(running: Running, name: str) -> tuple[TableToRead, list[Split]]:
    with Client(running.uri) as client:
        table = client.table(name)
        pinned = pin(table, Options(running.uri, name))
        plan = table.plan(snapshot_id=pinned.snapshot_id)
        # PyIceberg's tables have a time column, a type that Spark lacks.
        columns = tuple(column for column in pinned.table.columns if column != "clock")
        return replace(pinned.table, columns=columns), splits_of(plan.to_arrow(), plan.deletes_to_arrow())


def sorted_rows(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(map(repr, rows))


@pytest.mark.parametrize("name", [*SPECS, "nested", "migrated", "marked"])
def test_rows_are_those_of_pyiceberg(tables, name):
    running, written = tables
    full = ".".join(written[name].name())
    to_read, splits = planned(running, full)
    batches = [batch for split in splits for batch in read(to_read, split, files_here())]
    assert {batch.schema for batch in batches} == {read_schema(to_read)}
    theirs = written[name].scan(selected_fields=to_read.columns).to_arrow().select(list(to_read.columns))
    ours = [row for batch in batches for row in batch.to_pylist()]
    assert sorted_rows(ours) == sorted_rows(theirs.to_pylist())
    assert ours


def test_without_its_deletes_the_table_has_more_rows(tables):
    running, written = tables
    to_read, splits = planned(running, ".".join(written["marked"].name()))
    bare = [Split(tuple({**file, "deletes": []} for file in split.files)) for split in splits]
    left, all_ = (
        sum(batch.num_rows for split in some for batch in read(to_read, split, files_here())) for some in (splits, bare)
    )
    assert 0 < left < all_


def test_the_time_column_is_refused(tables):
    running, written = tables
    to_read, _ = planned(running, ".".join(written["plain"].name()))
    with pytest.raises(NotReadable, match="column clock is time"):
        read_schema(replace(to_read, columns=(*to_read.columns, "clock")))
