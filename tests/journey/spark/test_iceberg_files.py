"""Files of every kind that Spark writes or adds with ``add_files``: the rows equal those of Iceberg's own reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.journey.servers import Running
from tests.journey.spark.tables import MARKED, Columns, create, discover, insert, values
from tests.spark import Spark

pytestmark = pytest.mark.timeout(900)

INSTANT = "TIMESTAMP '2024-01-01 00:00:00.123456'"
NESTED: Columns = {
    "id": ("bigint", "id"),
    "byNumber": (
        "map<int, struct<a: string, b: decimal(20, 3)>>",
        "if(id % 5 = 0, NULL, map(CAST(id AS int), struct('a' || id, CAST(id / 7 AS decimal(20, 3))), -1, NULL))",
    ),
    "places": (
        "array<struct<lat: double, tags: array<string>>>",
        "if(id % 4 = 0, NULL, array(struct(id / 3D, array('x', NULL)), NULL, struct(NULL, NULL)))",
    ),
    "deep": (
        "struct<inner: struct<n: int, at: timestamp>, day: date>",
        f"if(id % 3 = 0, NULL, struct(if(id % 2 = 0, NULL, struct(CAST(id AS int), {INSTANT})), DATE '1969-12-31'))",
    ),
}
FLAT: Columns = {
    "id": ("bigint", "id"),
    "wide": ("decimal(38, 10)", "CAST(-12345678901234567890.5 + id AS decimal(38, 10))"),
    "blob": ("binary", "if(id = 1, NULL, CAST('b' || id AS binary))"),
    "local": ("timestamp_ntz", "TIMESTAMP_NTZ '1969-12-31 23:59:59.999999' - make_dt_interval(id, 0, 0, 0)"),
    "name": ("string", "if(id = 2, NULL, 'é𝄞' || id)"),
}
"""Columns of added files. Spark's own reader fails on nested columns of Parquet files without field ids."""
BOTH: Columns = {**NESTED, **FLAT}
YEARS = (1950, 2020)


def nested(kind: str, more: dict[str, str] | None = None) -> Callable[[Spark, str], None]:
    """Return a writer of nested columns that evolve, with data and delete files of one format."""

    def write(spark: Spark, table: str) -> None:
        properties = {**MARKED, "write.format.default": kind, "write.delete.format.default": kind, **(more or {})}
        spark.sql(create(table, BOTH, more=properties))
        spark.sql(insert(table, values(BOTH), 0, 30))
        for change in (
            "RENAME COLUMN places.element.lat TO height",
            "ADD COLUMN places.element.lat string",
            "DROP COLUMN deep.day",
            "ADD COLUMN deep.day int FIRST",
            "RENAME COLUMN byNumber.value.a TO b2",
            "ALTER COLUMN deep.inner.n TYPE bigint",
            "ADD COLUMN later array<int>",
            "RENAME COLUMN blob TO local2",
        ):
            spark.sql(f"ALTER TABLE {table} {change}")
        spark.sql(f"DELETE FROM {table} WHERE id % 7 = 2")
        spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id > 20")
        spark.sql(f"DELETE FROM {table} WHERE id = 25 OR deep.inner.n = 7")

    return write


def taken_in(kind: str, *after: str) -> Callable[[Spark, str], None]:
    """Return a writer that adds Spark's own files, which have neither field ids nor partition columns."""

    # Spark's ORC files store local timestamps as numbers, which Iceberg does not read as timestamps.
    columns = {name: column for name, column in FLAT.items() if kind != "orc" or name != "local"}

    def write(spark: Spark, table: str) -> None:
        folder = spark.folder / f"plain {table}"
        rows = ", ".join(f"{value} AS {name}" for name, (_, value) in columns.items())
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{folder}/part=7' USING {kind} SELECT {rows} FROM range(0, 12, 1, 1)")
        spark.sql(create(table, {**columns, "part": ("int", "")}, "PARTITIONED BY (part)", more=MARKED))
        name = table.removeprefix("plain.")
        spark.sql(f"CALL plain.system.add_files(table => '{name}', source_table => '`{kind}`.`{folder}`')")
        for change in after:
            spark.sql(f"ALTER TABLE {table} {change}")
        if not after:
            spark.sql(f"DELETE FROM {table} WHERE id = 3")
            spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id < 5")

    return write


def counted(spark: Spark, table: str) -> None:
    """Add Parquet files without field ids and remove the name mapping: columns are matched by position."""
    folder = spark.folder / "counted"
    spark.sql(
        f"INSERT OVERWRITE DIRECTORY '{folder}' USING parquet SELECT id AS z, 'n' || id AS y FROM range(0, 9, 1, 1)"
    )
    spark.sql(create(table, {"a": ("bigint", ""), "b": ("string", "")}))
    name = table.removeprefix("plain.")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN a TO z")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN b TO y")
    spark.sql(f"CALL plain.system.add_files(table => '{name}', source_table => '`parquet`.`{folder}`')")
    spark.sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('schema.name-mapping.default')")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN z TO renamed")


def in_milliseconds(spark: Spark, table: str) -> None:
    """Add Parquet files whose timestamps are milliseconds: Iceberg records their numbers as microseconds."""
    folder = spark.folder / "milliseconds"
    spark.ask("configure", settings={"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"})
    for year in YEARS:
        at = f"TIMESTAMP '{year}-07-01 00:00:00' + make_dt_interval(id) AS at"
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{folder}/{year}' USING parquet SELECT id, {at} FROM range(0, 9, 1, 1)")
    spark.ask("configure", settings={"spark.sql.parquet.outputTimestampType": "INT96"})
    spark.sql(create(table, {"id": ("bigint", ""), "at": ("timestamp", "")}))
    name = table.removeprefix("plain.")
    for year in YEARS:
        spark.sql(f"CALL plain.system.add_files(table => '{name}', source_table => '`parquet`.`{folder}/{year}`')")


WRITERS: dict[str, Callable[[Spark, str], None]] = {
    **{f"nested_{kind}": nested(kind) for kind in ("parquet", "orc", "avro")},
    "zstd_avro": nested(
        "avro", {"write.avro.compression-codec": "zstd", "write.delete.avro.compression-codec": "zstd"}
    ),
    "vectors": nested("parquet", {"format-version": "3"}),
    **{f"taken_{kind}": taken_in(kind) for kind in ("parquet", "orc")},
    "renamed": taken_in("parquet", "RENAME COLUMN wide TO spots", "ADD COLUMN more int"),
    "counted": counted,
    "milliseconds": in_milliseconds,
}


@pytest.fixture(scope="module")
def lake(spark: Spark, server: Running) -> Running:
    for name, write in WRITERS.items():
        write(spark, f"plain.files.{name}")
    discover(spark, "files")
    return server


def without_order(rows: Sequence[object]) -> list[str]:
    return sorted(map(repr, rows))


@pytest.mark.parametrize("name", WRITERS)
def test_rows_are_those_of_icebergs_reader(spark: Spark, connect_spark: Spark, lake: Running, name: str) -> None:
    plain = spark.sql(f"SELECT * FROM plain.files.{name}")
    assert plain
    for session in (spark, connect_spark):
        session.view(f"of_{name}", f"files.{name}", uri=lake.uri)
        assert without_order(session.sql(f"SELECT * FROM of_{name}")) == without_order(plain)


@pytest.mark.parametrize("year", YEARS)
def test_no_timestamp_in_milliseconds_is_pruned(lake: Running, year: int) -> None:
    day = f"TIMESTAMP '{year}-07-02 00:00:00'"
    for condition in (f"at = {day}", f"at >= {day} AND at < TIMESTAMP '{year + 1}-01-01 00:00:00'"):
        answer = lake.http.post("/api/v1/tables/files.milliseconds/plan", json={"filter": condition}).json()
        assert any(f"/{year}/" in file["file_path"] for file in answer["files"]), condition
