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


WRITERS: dict[str, Callable[[Spark, str], None]] = {
    **{f"nested_{kind}": nested(kind) for kind in ("parquet", "orc", "avro")},
    "zstd_avro": nested(
        "avro", {"write.avro.compression-codec": "zstd", "write.delete.avro.compression-codec": "zstd"}
    ),
    "vectors": nested("parquet", {"format-version": "3"}),
    **{f"taken_{kind}": taken_in(kind) for kind in ("parquet", "orc")},
    "renamed": taken_in("parquet", "RENAME COLUMN wide TO spots", "ADD COLUMN more int"),
    "counted": counted,
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
