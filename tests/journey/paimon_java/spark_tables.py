"""Tables written in SQL by Paimon's connector for Spark 3.5.

The connector's newest release on Maven Central is that of Paimon 0.9. The features of later versions are in
``tables.py``, written by Java without Spark.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.spark import Spark

COLUMNS = (
    "id bigint, small int, ratio float, score double, price decimal(9, 2), wide decimal(38, 10), day date, "
    "local timestamp_ntz, instant timestamp, name string, blob binary, flag boolean, part int"
)
VALUES = (
    "id, CAST(id * 3 - 50 AS int), CAST(id / 4 AS float), if(id % 3 = 0, NULL, id * -1.5D), "
    "CAST(id / 8 AS decimal(9, 2)), CAST(12345678901234567890.5 + id AS decimal(38, 10)), "
    "date_add(DATE '1969-12-20', CAST(id AS int)), TIMESTAMP_NTZ '2024-01-01' + make_dt_interval(0, id), "
    "TIMESTAMP '2024-02-28 22:00:00' + make_dt_interval(0, id), "
    "if(id % 7 = 0, NULL, get(array('alder ', 'Birch ', 'é𝄞 '), CAST(id % 3 AS int)) || id), "
    "CAST('x' || id AS binary), if(id % 5 = 0, NULL, id % 2 = 0), CAST(id % 3 AS int)"
)
KEYED = {"primary-key": "id", "bucket": "2"}


def create(table: str, options: dict[str, str], parts: str = "") -> str:
    """Return a CREATE TABLE statement with all columns."""
    stated = ", ".join(f"'{name}' = '{value}'" for name, value in {"write-only": "true", **options}.items())
    return f"CREATE TABLE {table} ({COLUMNS}) {parts} TBLPROPERTIES ({stated})"


def insert(table: str, start: int, end: int, step: int = 1, values: str = VALUES) -> str:
    """Return an INSERT statement for a range of ids, executed by one task."""
    return f"INSERT INTO {table} SELECT {values} FROM range({start}, {end}, {step}, 1)"


def inserts(table: str) -> list[str]:
    """Return INSERT statements for several files, with some keys repeated."""
    return [*(insert(table, n * 24, n * 24 + 24) for n in range(5)), insert(table, 10, 60, 7)]


def keyed(table: str, **options: str) -> list[str]:
    """Return the history of a primary-key table that is written, compacted and written again."""
    named = {name.replace("_", "-").replace("--", "."): value for name, value in options.items()}
    return [
        create(table, KEYED | named),
        *inserts(table),
        f"CALL sys.compact(table => '{table}')",
        insert(table, 30, 44),
        insert(table, 100, 140),
    ]


def statements() -> dict[str, list[str]]:
    """Return the statements of each table's history."""
    matched = "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET small = 0"
    row_level = [
        "DELETE FROM {t} WHERE id BETWEEN 30 AND 34",
        "UPDATE {t} SET name = 'updated' WHERE id % 20 = 3",
        f"MERGE INTO {{t}} USING (SELECT id FROM range(50, 130, 5)) s ON {{t}}.id = s.id {matched}",
    ]
    deleting = {"bucket": "-1", "deletion-vectors.enabled": "true"}
    compacting = {"write-only": "false", "num-sorted-run.compaction-trigger": "9", "deletion-vectors.enabled": "true"}
    changed = [
        "ALTER TABLE {t} RENAME COLUMN name TO title",
        "ALTER TABLE {t} ALTER COLUMN small TYPE bigint",
        "ALTER TABLE {t} ALTER COLUMN ratio TYPE double",
        "ALTER TABLE {t} DROP COLUMN blob",
        "ALTER TABLE {t} ADD COLUMNS (later int)",
    ]
    without_blob = VALUES.replace("CAST('x' || id AS binary), ", "") + ", CAST(id % 9 AS int)"
    histories = {
        "spark_append": [create("spark_append", {"bucket": "-1"}), *inserts("spark_append")],
        "spark_parts": [
            create("spark_parts", {"bucket": "-1"}, "PARTITIONED BY (part, day)"),
            insert("spark_parts", 0, 20),
        ],
        "spark_buckets": [create("spark_buckets", {"bucket": "3", "bucket-key": "id"}), *inserts("spark_buckets")],
        "spark_vectors": [create("spark_vectors", deleting), *inserts("spark_vectors"), *row_level],
        "spark_copied": [create("spark_copied", {"bucket": "-1"}), *inserts("spark_copied"), *row_level],
        "spark_keyed": keyed("spark_keyed"),
        "spark_changed": [
            create("spark_changed", KEYED | {"write-only": "false"}),
            *inserts("spark_changed"),
            *row_level,
        ],
        "spark_keyed_vectors": [
            create("spark_keyed_vectors", KEYED | compacting),
            insert("spark_keyed_vectors", 0, 600),
            "CALL sys.compact(table => 'spark_keyed_vectors')",
            insert("spark_keyed_vectors", 5, 600, 90),
            *row_level[:2],
        ],
        "spark_first_row": keyed("spark_first_row", merge_engine="first-row", changelog_producer="lookup"),
        "spark_partial": keyed("spark_partial", merge_engine="partial-update"),
        "spark_sums": keyed("spark_sums", merge_engine="aggregation", fields__small__aggregate_function="sum"),
        "spark_dynamic": keyed("spark_dynamic", bucket="-1"),
        "spark_lookup": keyed("spark_lookup", changelog_producer="lookup"),
        "spark_orc": keyed("spark_orc", file__format="orc"),
        "spark_evolved": [
            create("spark_evolved", {"bucket": "-1"}),
            *inserts("spark_evolved"),
            "CALL sys.create_tag(table => 'spark_evolved', tag => 'before')",
            "CALL sys.create_branch(table => 'spark_evolved', branch => 'side', tag => 'before')",
            *changed,
            insert("spark_evolved", 120, 160, values=without_blob),
        ],
    }
    return {table: [statement.replace("{t}", table) for statement in history] for table, history in histories.items()}


TABLES = tuple(statements())


def write(spark: Spark, tables: Iterable[str] = TABLES) -> None:
    """Write the missing tables into the database ``db`` of the session's catalog."""
    spark.sql("CREATE DATABASE IF NOT EXISTS plain.db")
    spark.sql("USE plain.db")
    present = {name for _, name, _ in spark.sql("SHOW TABLES")}
    histories = statements()
    for table in tables:
        if table not in present:
            for statement in histories[table]:
                spark.sql(statement)
