"""Tables written by Spark, each with the statements of its history.

All wide tables have the same history and the same rows; they differ in format version or in the mode of deletes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tests.journey.servers import lakemuster
from tests.spark import Spark

# Types and value expressions, by column; an expression computes the value from the id.
Columns = Mapping[str, tuple[str, str]]

MARKED = {"write.delete.mode": "merge-on-read", "write.update.mode": "merge-on-read"}


def create(
    table: str, columns: Columns, parts: str = "", version: int = 2, more: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return a CREATE TABLE statement with properties."""
    named = ", ".join(f"`{name}` {kind}" for name, (kind, _) in columns.items())
    stated = ", ".join(f"'{name}' = '{value}'" for name, value in {"format-version": version, **more}.items())
    return f"CREATE TABLE {table} ({named}) USING iceberg {parts} TBLPROPERTIES ({stated})"


def insert(table: str, values: Iterable[str], start: int, end: int) -> str:
    """Return an INSERT statement for a range of ids, executed by one task: one file for each partition."""
    return f"INSERT INTO {table} SELECT {', '.join(values)} FROM range({start}, {end}, 1, 1)"


def values(columns: Columns) -> list[str]:
    """Return the value expressions."""
    return [value for _, value in columns.values()]


MODES = {
    "v1_copies": (1, "copy-on-write"),
    "v2_copies": (2, "copy-on-write"),
    "v2_marks": (2, "merge-on-read"),
    "v3_marks": (3, "merge-on-read"),
}
WIDE = {
    "id": ("bigint NOT NULL", "id"),
    "flag": ("boolean", "if(id % 7 = 0, NULL, id % 2 = 0)"),
    "small": ("int", "CAST(id * 3 - 50 AS int)"),
    "ratio": ("float", "if(id % 5 = 0, float('NaN'), CAST(id / 3 AS float))"),
    "score": ("double", "CASE WHEN id % 3 = 0 THEN NULL WHEN id % 11 = 0 THEN double('NaN') ELSE id * -1.5D END"),
    "price": ("decimal(9, 2)", "CAST(id / 4 AS decimal(9, 2))"),
    "wide": ("decimal(38, 10)", "CAST(12345678901234567890.5 + id AS decimal(38, 10))"),
    "day": ("date", "date_add(DATE '1969-12-30', CAST(id % 4 AS int))"),
    "local": ("timestamp_ntz", "TIMESTAMP_NTZ '2024-01-01 00:00:00' + make_dt_interval(0, id, 0, id / 1000000)"),
    "instant": ("timestamp", "TIMESTAMP '2024-02-29 22:00:00' + make_dt_interval(0, 0, id * 3, 0)"),
    "name": ("string", "get(array(NULL, 'alder ', 'Birch ', 'é𝄞 '), CAST(id % 4 AS int)) || id"),
    "blob": ("binary", "CAST('x' || id AS binary)"),
    "place": ("struct<lat: double, town: string>", "struct(id / 10D, if(id % 6 = 0, NULL, 'town ' || id % 3))"),
    "words": ("array<string>", "array('a', 't' || id)"),
    "counts": ("map<string, int>", "map('k', CAST(id AS int))"),
    "odd.näme x": ("int", "CAST(id % 10 AS int)"),
}
# The value expressions after the schema changes: blob is dropped, later is added, place has one more field.
EVOLVED = {name: value for name, (_, value) in WIDE.items() if name != "blob"} | {
    "place": "struct(id / 10D, 'city ' || id % 3, CAST(id AS int))",
    "later": "if(id % 2 = 0, NULL, 'later ' || id % 5)",
}


def wide(table: str, version: int, mode: str) -> list[str]:
    """Return a history with all types, evolution, row-level changes, merged manifests, a branch and tags."""
    first, second = values(WIDE), EVOLVED.values()
    properties = {f"write.{change}.mode": mode for change in ("delete", "update", "merge")} | {
        "commit.manifest.min-count-to-merge": "3",
        "write.metadata.metrics.column.name": "truncate(4)",
        "write.metadata.metrics.column.wide": "counts",
    }
    evolution = [
        "RENAME COLUMN small TO smaller",
        "ALTER COLUMN smaller TYPE bigint",
        "ALTER COLUMN ratio TYPE double",
        "ALTER COLUMN price TYPE decimal(12, 2)",
        "DROP COLUMN blob",
        "RENAME COLUMN place.town TO city",
        "ADD COLUMNS (place.height int, later string)",
        "REPLACE PARTITION FIELD days(instant) WITH hours(instant)",
        "DROP PARTITION FIELD bucket(2, id)",
        "ADD PARTITION FIELD flag",
    ]
    matched = "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET later = 'merged'"
    return [
        create(table, WIDE, "PARTITIONED BY (days(instant), bucket(2, id))", version, properties),
        insert(table, first, 0, 40),
        f"ALTER TABLE {table} CREATE TAG opened",
        insert(table, first, 40, 60),
        f"DELETE FROM {table} WHERE id % 10 = 3",
        f"UPDATE {table} SET name = NULL, score = double('NaN') WHERE id BETWEEN 20 AND 25",
        f"ALTER TABLE {table} CREATE TAG `before evolution`",
        *(f"ALTER TABLE {table} {change}" for change in evolution),
        insert(table, second, 60, 80),
        f"MERGE INTO {table} t USING (SELECT id FROM range(50, 90, 5)) s ON t.id = s.id {matched}",
        f"ALTER TABLE {table} CREATE BRANCH audit",
        insert(f"{table}.branch_audit", second, 90, 96),
        f"DELETE FROM {table}.branch_audit WHERE id < 5",
        insert(table, second, 100, 104),
    ]


MOVING = {
    "id": ("bigint", "id"),
    "category": ("string", "if(id % 5 = 0, NULL, 'c/' || id % 3)"),
    "number": ("int", "CAST(id - 10 AS int)"),
    "price": ("decimal(9, 2)", "CAST(id / 8 AS decimal(9, 2))"),
    "day": ("date", "date_add(DATE '1969-11-20', CAST(id * 20 AS int))"),
    "ratio": ("double", "if(id % 4 = 0, double('NaN'), CAST(id % 3 AS double))"),
    "local": ("timestamp_ntz", "TIMESTAMP_NTZ '1969-06-01 00:00:00' + make_dt_interval(id * 30, 0, 0, 0)"),
    "blob": ("binary", "CAST('b' || id AS binary)"),
}


def transforms(spark: Spark, table: str) -> None:
    """Write a table whose spec changes with every insert: all transforms, including those of nulls and NaN."""
    changes = [
        "ADD PARTITION FIELD category",
        "ADD PARTITION FIELD truncate(5, number)",
        "DROP PARTITION FIELD category",
        "ADD PARTITION FIELD months(day)",
        "ADD PARTITION FIELD id",
        "DROP PARTITION FIELD months(day)",
        "ADD PARTITION FIELD years(local)",
        "ADD PARTITION FIELD bucket(3, price)",
        "ADD PARTITION FIELD truncate(2, blob)",
        "ADD PARTITION FIELD category",
    ]
    spark.sql(create(table, MOVING, more={**MARKED, "commit.manifest-merge.enabled": "false"}))
    spark.sql(insert(table, values(MOVING), 0, 5))
    for step, change in enumerate(changes, 1):
        spark.sql(f"ALTER TABLE {table} {change}")
        spark.sql(insert(table, values(MOVING), step * 5, step * 5 + 5))
    spark.sql(f"DELETE FROM {table} WHERE id % 6 = 1")


FEW = {
    "id": ("bigint", "id"),
    "name": ("string", "'name ' || id"),
    "ratio": ("double", "if(id % 4 = 0, double('NaN'), id / 2D)"),
    "place": ("struct<x: int>", "struct(CAST(id AS int))"),
}


def of_format(name: str) -> Callable[[Spark, str], None]:
    """Return a writer of data and delete files in a format with other statistics."""

    def write(spark: Spark, table: str) -> None:
        spark.sql(create(table, FEW, more={**MARKED, "write.format.default": name}))
        for start in (0, 8, 16):
            spark.sql(insert(table, values(FEW), start, start + 8))
        spark.sql(f"DELETE FROM {table} WHERE id IN (3, 12)")

    return write


KEYED = {
    "id": ("bigint", "id"),
    "name": ("string", "if(id % 4 = 0, NULL, 'n' || id % 5)"),
    "ratio": ("double", "if(id % 6 = 0, double('NaN'), CAST(id % 4 AS double))"),
    "part": ("int", "CAST(id % 3 AS int)"),
}


def equality(spark: Spark, table: str) -> None:
    """Write equality deletes, which Spark cannot write: global ones, of a partition, of nulls and NaN."""

    def add(start: int) -> None:
        spark.sql(insert(table, values(KEYED), start, start + 12))

    def delete(*rows: dict[str, object], **place: object) -> None:
        spark.ask("equality_delete", table=table, rows=rows, **place)

    spark.sql(create(table, KEYED, more=MARKED))
    add(0)
    delete({"id": 2}, {"id": 14})  # 14 is written later, so it stays
    add(12)
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD part")
    add(24)
    add(36)
    delete({"name": None, "ratio": "NaN"}, {"name": "n4", "ratio": 1.0}, partition="part=0", spec=1)
    spark.sql(f"DELETE FROM {table} WHERE id IN (20, 31)")
    delete({"part": 2, "id": 38}, partition="part=2", spec=1)
    add(48)
    delete({"ratio": 3.0})  # the spec is unpartitioned: applies to all partitions


# Types of Iceberg without a name in Spark SQL: Spark reads uuid as string, fixed as binary.
NAMELESS = {
    "id": ("long", "id"),
    "key": ("uuid", "if(id = 3, NULL, printf('%08x-0000-4000-8000-%012x', id * 352321536, id))"),
    "code": ("fixed[4]", "CAST('cod' || CHR(65 + CAST(id AS int)) AS binary)"),
    "ratio": ("float", "if(id % 4 = 0, NULL, CAST(id % 4 AS float) / 2)"),
    "local": ("timestamp", "TIMESTAMP_NTZ '1969-12-31 12:00:00' + make_dt_interval(0, id * 9, 0, 0.5)"),
    "price": ("decimal(20, 3)", "CAST(id * 1000.125 - 2000 AS decimal(20, 3))"),
}


def typed(spark: Spark, table: str) -> None:
    """Write columns of types that only Iceberg's library can create, also as partition sources."""
    ids = {name: number for number, name in enumerate(NAMELESS, 1)}
    fields = [{"id": ids[name], "name": name, "type": NAMELESS[name][0], "required": False} for name in NAMELESS]
    parts = {"key": "bucket[4]", "price": "truncate[500]", "ratio": "identity", "local": "day"}
    spec = [
        {"name": f"{name}_part", "transform": transform, "source-id": ids[name], "field-id": 1000 + ids[name]}
        for name, transform in parts.items()
    ]
    spark.ask(
        "create",
        name=table.removeprefix("plain."),
        schema={"type": "struct", "schema-id": 0, "fields": fields},
        spec={"spec-id": 0, "fields": spec},
        properties={"format-version": "2"},
    )
    for start in (0, 6):
        spark.sql(insert(table, values(NAMELESS), start, start + 6))


def defaults(spark: Spark, table: str) -> None:
    """Write columns with initial defaults, beside a variant."""
    columns = {"id": ("bigint", "id"), "v": ("variant", """parse_json('{"a": ' || id || '}')""")}
    added: list[tuple[str, str, int | str]] = [
        ("number", "int", 7),
        ("word", "string", "before"),
        ("day", "date", "2024-02-29"),
    ]
    spark.sql(create(table, columns, version=3))
    spark.sql(insert(table, values(columns), 0, 5))
    for column, kind, default in added:
        spark.ask("add_with_default", table=table, column=column, type=kind, default=default)
    spark.sql(insert(table, [*values(columns), "id + 1", "'after'", "DATE '2024-03-01'"], 5, 8))
    spark.sql(insert(table, [*values(columns), "NULL", "NULL", "NULL"], 8, 10))


def many(spark: Spark, table: str) -> None:
    """Write one file for each of many partitions."""
    columns = {"id": ("bigint", "id"), "part": ("int", "CAST(id AS int)")}
    spark.sql(create(table, columns, "PARTITIONED BY (part)"))
    spark.sql(insert(table, values(columns), 0, 200))


def huge(spark: Spark, table: str) -> None:
    """Append more files than one response holds. The files do not exist: they can only be counted."""
    spark.sql(create(table, {"id": ("bigint", "")}))
    spark.ask("append_nothing", table=table, files=10_500)


def nan_parts(spark: Spark, table: str) -> None:
    """Write the partitions NaN, 1 and 2."""
    columns = {"id": ("bigint", "id"), "ratio": ("double", "if(id % 3 = 0, double('NaN'), CAST(id % 3 AS double))")}
    spark.sql(create(table, columns, "PARTITIONED BY (ratio)"))
    spark.sql(insert(table, values(columns), 0, 9))


def empty(spark: Spark, table: str) -> None:
    """Create a table without a snapshot."""
    spark.sql(create(table, {"id": ("bigint", "id")}))


def flags(spark: Spark, table: str) -> None:
    """Write a few rows for joins."""
    spark.sql(create(table, {"flag": ("boolean", ""), "label": ("string", "")}))
    spark.sql(f"INSERT INTO {table} VALUES (true, 'yes'), (false, 'no'), (NULL, 'none')")


WRITERS: dict[str, Callable[[Spark, str], None]] = {
    "transforms": transforms,
    "avro": of_format("avro"),
    "orc": of_format("orc"),
    "equality": equality,
    "typed": typed,
    "defaults": defaults,
    "many": many,
    "huge": huge,
    "nan_parts": nan_parts,
    "empty": empty,
    "flags": flags,
}


ALL = (*MODES, *WRITERS)


def write_all(spark: Spark) -> None:
    """Write every table into ``plain.db``."""
    for name, (version, mode) in MODES.items():
        for statement in wide(f"plain.db.{name}", version, mode):
            spark.sql(statement)
    for name, write in WRITERS.items():
        write(spark, f"plain.db.{name}")


def discover(spark: Spark, namespace: str) -> None:
    """Add the tables of a namespace of ``plain`` to the index in the session's folder."""
    found = lakemuster(spark.folder, "discover", f"{spark.folder}/lake/{namespace}", "--namespace", namespace)
    assert found.returncode == 0, found.stderr


def partitions_but(spark: Spark, table: str, *kept: str) -> list[Path]:
    """Return the folders of a table's other partitions; assert that there are some."""
    folders = (spark.folder / "lake" / "db" / table / "data").iterdir()
    found = [folder for folder in folders if folder.name not in kept]
    assert found
    return found


@contextmanager
def taken_away(paths: Iterable[Path]) -> Iterator[None]:
    """Rename files or folders until the block ends."""
    moved = [(path.rename(path.with_name(f"{path.name}.taken")), path) for path in paths]
    try:
        yield
    finally:
        for taken, path in moved:
            taken.rename(path)
