"""Splits of large files, skipped row groups and metadata columns, compared with Iceberg's own reader."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lakemuster.client.catalog import Client
from lakemuster.spark.options import Options
from lakemuster.spark.planning import task_inputs, task_rows
from lakemuster.spark.snapshot_pin import pin
from tests.journey.servers import Running
from tests.journey.spark.tables import MARKED, Columns, create, discover, insert, values
from tests.spark import Spark, SparkFailed

pytestmark = pytest.mark.timeout(900)

ROWS = 20_000
LARGE: Columns = {
    "id": ("int", "CAST(id AS int)"),
    "name": ("string", "if(id % 7 = 0, NULL, 'n' || lpad(id, 6, '0'))"),
    "price": ("decimal(9, 2)", "CAST(id / 4 - 1000 AS decimal(9, 2))"),
    "at": ("timestamp", "timestamp_seconds(id - 5000)"),
    "ratio": ("double", "if(id % 1000 = 0, double('NaN'), id / 3D)"),
}
SMALL_GROUPS = {
    "write.parquet.row-group-size-bytes": "8000",
    "write.parquet.row-group-check-min-record-count": "100",
    "write.parquet.row-group-check-max-record-count": "100",
}
PIECES = {"split_target_size": "30000", "split_open_file_cost": "1"}
WHERE = [
    "id BETWEEN 7000 AND 7100",
    "name LIKE 'n01999%' OR price < -999.50",
    "NOT (id > 30) AND name IS NOT NULL",
    "at < TIMESTAMP '1970-01-01 00:00:00' AND at >= TIMESTAMP '1969-12-31 23:59:00'",
    "ratio > 6660 OR id = 5",
    "id = 777777",
]
PLACES = "id, substring_index(_file, '/', -1), _pos, _spec_id"


@pytest.fixture(scope="module")
def running(spark: Spark, server: Running) -> Running:
    """A server with tables of both kinds of deletes, each with one file of many row groups; their types evolve."""
    for version in (2, 3):
        table = f"plain.groups.v{version}"
        spark.sql(create(table, LARGE, version=version, more={**MARKED, **SMALL_GROUPS}))
        spark.sql(insert(table, values(LARGE), 0, ROWS))
        spark.sql(f"DELETE FROM {table} WHERE id % 101 = 3")
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN id TYPE bigint")
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN price TYPE decimal(12, 2)")
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(3, name)")
        spark.sql(f"INSERT INTO {table} VALUES (-1, 'last', 1.5, NULL, NULL)")
    folder = spark.folder / "lake" / "groups"
    assert max(pq.read_metadata(path).num_row_groups for path in folder.glob("v2/data/*.parquet")) > 20
    discover(spark, "groups")
    return server


def tasks(spark: Spark, view: str) -> int:
    """Return the number of tasks that read the rows of a view."""
    return len({row[0] for row in spark.sql(f"SELECT spark_partition_id() FROM {view}")})


@pytest.mark.parametrize("version", [2, 3])
def test_pieces_hold_the_rows_of_icebergs_reader(spark: Spark, running: Running, version: int) -> None:
    spark.view("pieces", f"groups.v{version}", uri=running.uri, **PIECES)
    plain = spark.sql(f"SELECT * FROM plain.groups.v{version}")
    assert len(plain) > 0.9 * ROWS
    assert spark.sql("SELECT * FROM pieces") == plain
    assert tasks(spark, "pieces") >= 5


def test_filters_give_the_rows_of_icebergs_reader(spark: Spark, running: Running) -> None:
    asked = " UNION ALL ".join(
        f"SELECT {number} AS asked, id FROM plain.groups.v2 WHERE {where}" for number, where in enumerate(WHERE)
    )
    expected = spark.sql(asked)
    for number, where in enumerate(WHERE):
        ids = sorted(row[1] for row in expected if row[0] == number)
        given = {"uri": running.uri, "path": "groups.v2", "columns": "id"}
        assert sorted(read_here({**given, "filter": where, **PIECES})) == ids, where
        found = read_here({**given, **PIECES}, where)
        assert set(ids) <= set(found), where
        assert len(found) < ROWS / 2 or "ratio" in where, where
    spark.view("pushed", "groups.v2", uri=running.uri, columns="id,name", pushdown="true", **PIECES)
    pushed = spark.sql(f"SELECT id FROM pushed WHERE {WHERE[0]}")
    assert pushed == [[row[1]] for row in expected if row[0] == 0]


def read_here(given: dict[str, str], pushed: str | None = None) -> list[int]:
    """Return the ids that the data source reads, without Spark."""
    options = Options.of(given)
    with Client(options.uri) as client:
        pinned = pin(client.table(options.table), options)
    parts = task_inputs(options, pinned, pushed)
    batches = [batch for part in parts for batch in task_rows(options, pinned.table, part, pushed)]
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def test_executors_share_the_files_of_a_large_plan(spark: Spark, running: Running) -> None:
    spark.view("shares", "groups.v3", uri=running.uri, task_threshold="0", **PIECES)
    assert spark.sql("SELECT * FROM shares") == spark.sql("SELECT * FROM plain.groups.v3")
    assert tasks(spark, "shares") >= 4


def test_metadata_columns_are_those_of_icebergs_reader(spark: Spark, running: Running) -> None:
    names = {"metadata_columns": "_file,_pos,_spec_id"}
    schema = spark.view("placed", "groups.v3", uri=running.uri, columns="id", **names, **PIECES)
    assert spark.sql(f"SELECT {PLACES} FROM placed") == spark.sql(f"SELECT {PLACES} FROM plain.groups.v3")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW theirs AS SELECT id, _file, _pos, _spec_id FROM plain.groups.v3")
    theirs = spark.ask("schema", table="theirs")
    for field in theirs["fields"]:
        field["metadata"] = {}  # Spark's marks of metadata columns
    assert schema == theirs
    with pytest.raises(SparkFailed, match="unknown metadata column _row"):
        spark.view("refused", "groups.v3", uri=running.uri, metadata_columns="_row")


def test_row_groups_that_are_passed_over_are_not_fetched(spark: Spark, running: Running, tmp_path: Path) -> None:
    """The bytes of other row groups are overwritten: a task that read them would fail."""
    folder = spark.folder / "lake" / "groups" / "v3" / "data"
    [path] = [path for path in folder.glob("*.parquet") if pq.read_metadata(path).num_row_groups > 20]
    metadata, data = pq.read_metadata(path), bytearray(path.read_bytes())
    first = metadata.row_group(1).column(0)
    start = first.dictionary_page_offset or first.data_page_offset
    last = metadata.row_group(metadata.num_row_groups - 1)
    end = max(column.data_page_offset for column in map(last.column, range(last.num_columns)))
    path.write_bytes(data[:start] + bytes(end - start) + data[end:])
    (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
    spark.view("few", "groups.v3", uri=running.uri, columns="id", filter="id BETWEEN 0 AND 9")
    assert [row[0] for row in spark.sql("SELECT id FROM few")] == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    spark.view("all", "groups.v3", uri=running.uri, columns="id")
    with pytest.raises(SparkFailed):
        spark.sql("SELECT id FROM all")
