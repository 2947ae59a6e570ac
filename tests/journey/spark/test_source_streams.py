"""``spark.readStream.format("lakemuster")`` reads each appended row once, despite restarts; other commits stop it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.journey.servers import Running
from tests.journey.spark.tables import discover
from tests.spark import Rows, Spark, SparkFailed

pytestmark = pytest.mark.timeout(900)
TABLE = "plain.streams.log"


@pytest.fixture(scope="module")
def running(spark: Spark, server: Running) -> Running:
    """A server with a table by day of two commits."""
    spark.sql(f"CREATE TABLE {TABLE} (id bigint, day date) USING iceberg PARTITIONED BY (day)")
    append(spark, 0, 4)
    append(spark, 4, 6)
    discover(spark, "streams")
    return server


def append(spark: Spark, start: int, end: int, more: str = "") -> None:
    """Append the rows of some ids; each day is a file."""
    day = "date_add(DATE '2024-05-01', CAST(id % 2 AS int))"
    spark.sql(f"INSERT INTO {TABLE} SELECT id, {day}{more} FROM range({start}, {end}, 1, 1)")


class Follower:
    """A stream and its output."""

    def __init__(
        self, spark: Spark, running: Running, folder: Path, table: str = "streams.log", **options: str
    ) -> None:
        self.spark = spark
        self.folder = folder
        self.table = table
        self.options = {"uri": running.uri, **options}

    def rows(self, **options: str) -> Rows:
        """Run the stream from its checkpoint; return all rows ever written."""
        given = {"table": self.table, "options": {**self.options, **options}, "folder": str(self.folder)}
        self.spark.ask("follow", packages=self.spark.packages, **given)
        return self.written()

    def written(self) -> Rows:
        """Return all rows ever written."""
        if not list((self.folder / "rows").glob("*.parquet")):
            return []
        rows: Rows = self.spark.ask("parquet", paths=[str(self.folder / "rows")], columns=["id"])
        return sorted(rows)


def ids(*numbers: int) -> Rows:
    return [[number] for number in numbers]


def test_each_appended_row_is_read_once(spark: Spark, running: Running, tmp_path: Path) -> None:
    full = Follower(spark, running, tmp_path / "full")
    late = Follower(spark, running, tmp_path / "late", start="latest")
    odd = Follower(spark, running, tmp_path / "odd", filter="day = DATE '2024-05-02'", columns="id")
    first = min(row[0] for row in spark.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots WHERE parent_id IS NULL"))
    after = Follower(spark, running, tmp_path / "after", start_snapshot_id=str(first))
    assert full.rows() == ids(*range(6))
    assert late.rows() == []
    assert after.rows() == ids(4, 5)
    assert odd.rows() == ids(1, 3, 5)

    append(spark, 6, 8)
    spark.sql("CALL plain.system.rewrite_data_files(table => 'streams.log', options => map('rewrite-all', 'true'))")
    append(spark, 8, 10)
    assert full.rows() == ids(*range(10))
    assert full.rows() == ids(*range(10))
    assert late.rows() == ids(6, 7, 8, 9)
    assert odd.rows() == ids(1, 3, 5, 7, 9)

    spark.sql(f"ALTER TABLE {TABLE} ADD PARTITION FIELD bucket(2, id)")
    spark.sql(f"ALTER TABLE {TABLE} ADD COLUMN later string")
    append(spark, 10, 12, ", 'x'")
    assert after.rows() == ids(*range(4, 12))
    assert full.rows(task_threshold="0") == ids(*range(12))

    spark.sql(f"DELETE FROM {TABLE} WHERE day = DATE '2024-05-02'")
    append(spark, 12, 13, ", 'y'")
    with pytest.raises(
        SparkFailed, match=r"is not an append but delete; option skip_deletes passes over such snapshots"
    ):
        full.rows()
    assert full.written() == ids(*range(12))
    assert full.rows(skip_deletes="true") == ids(*range(13))


def test_a_first_batch_of_new_appends_that_failed_is_repeated(spark: Spark, running: Running, tmp_path: Path) -> None:
    table = "plain.streams.late"
    spark.sql(f"CREATE TABLE {table} (id bigint) USING iceberg")
    spark.sql(f"INSERT INTO {table} VALUES (0)")
    discover(spark, "streams")
    late = Follower(spark, running, tmp_path, table="streams.late", start="latest")
    assert late.rows() == []
    # As if the query had been killed after it planned its first batch.
    shutil.rmtree(tmp_path / "checkpoint" / "commits")
    shutil.rmtree(tmp_path / "rows")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    assert late.rows() == ids(1)


def test_a_stream_is_of_no_one_snapshot(spark: Spark, running: Running, tmp_path: Path) -> None:
    with pytest.raises(SparkFailed, match="option limit is of one snapshot: a stream follows the table"):
        Follower(spark, running, tmp_path, limit="1").rows()
