"""Variants that the data source reads equal those of Iceberg's reader, plain and shredded, on Spark 4.1 and 4.3."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lakemuster.spark.reading.variants import stores_variants
from tests.journey.servers import Running
from tests.journey.spark.tables import MARKED, discover
from tests.spark import Spark, SparkFailed

pytestmark = pytest.mark.timeout(900)

VALUES = [
    "CAST(NULL AS variant)",
    "parse_json('null')",
    *(f"CAST({value} AS variant)" for value in (
        "true", "1Y", "300S", "70000", "5000000000", "float(0.1)", "double(1e300)",
    )),
    *(f"CAST(CAST({value} AS decimal({digits})) AS variant)" for value, digits in (
        ("-1.5", "9, 2"), ("123456789012.5", "18, 3"), ("12345678901234567890.123456789", "38, 9"),
    )),
    "CAST(DATE '1969-12-30' AS variant)",
    "CAST(TIMESTAMP '2024-02-29 22:00:00.000001' AS variant)",
    "CAST(TIMESTAMP_NTZ '1969-01-01 00:00:00.5' AS variant)",
    "CAST('short é𝄞' AS variant)",
    "CAST(repeat('long', 100) AS variant)",
    "CAST(X'00ff' AS variant)",
    "parse_json('[]')",
    "parse_json('{}')",
    """parse_json('[1, "a", null, [2.5, {"x": []}]]')""",
    """parse_json('{"a": 1, "b": {"c": [1, 2, {"d": null}]}, "é": true}')""",
    "parse_json('{' || array_join(transform(sequence(1, 300), x -> '\"k' || x || '\": ' || x), ',') || '}')",
    "parse_json('[' || array_join(sequence(1, 300), ',') || ']')",
]  # fmt: skip
"""Values of every type that a variant in Spark can hold."""
SHOWN = "id, to_json({0}), schema_of_variant({0})"
LIKE_VALUE = """parse_json(format_string('{"id": %d, "more": {"x": "%s"}}', id, repeat('x', CAST(id AS int))))"""


def likes(value: str) -> list[str]:
    """Return values whose fields have one type, and a few others: Iceberg shreds the former."""
    same = f"to_variant_object(named_struct('id', id, 'of', {value}, 'list', array({value}, {value})))"
    other = f"to_variant_object(named_struct('of', id, 'other', {value}))"
    return [same, same, same, other, f"variant_get({other}, '$.other', 'variant')", "parse_json('[1]')"]


TYPED = [
    "true", "CAST(id AS tinyint)", "CAST(id * 300 AS smallint)", "CAST(id * 70000 AS int)", "id * 5000000000",
    "float(id + 0.1)", "double(id * 1e300)", "CAST(id / 8 AS decimal(9, 3))", "CAST(-id / 8 AS decimal(18, 6))",
    "CAST(id * 12345678901234567.125 AS decimal(38, 9))", "DATE '1969-12-30' + CAST(id AS int)",
    "TIMESTAMP '2024-02-29 22:00:00.000001'", "TIMESTAMP_NTZ '1969-01-01 00:00:00.5'", "'short ' || id",
    "repeat('long', 100) || id", "CAST('b' || id AS binary)", "named_struct('x', id, 'y', named_struct('z', 'z'))",
    "array(id, NULL, 3)", "array(named_struct('x', id), named_struct('x', NULL))",
]  # fmt: skip
"""Expressions with the same type in all rows of a file."""
FORCED = {
    "object": "struct<a: int, b: struct<c: string, d: array<decimal(5, 2)>>, `é`: boolean>",
    "list": "array<struct<x: bigint, y: string>>",
    "text": "string",
    "nested lists": "array<array<int>>",
}
"""Shredding schemas that are forced upon Spark, whatever the values are."""


@pytest.fixture(scope="module")
def running(spark: Spark, server: Running) -> Running:
    """A server with the tables of variants."""
    columns = "id bigint, v variant, s struct<a: int, v: variant>, l array<variant>, m map<string, variant>"
    for name in ("plain", "avro"):
        # Iceberg's vectorized reader fails on structs in tables with deleted rows.
        more = {
            "write.format.default": "parquet" if name == "plain" else name,
            "read.parquet.vectorization.enabled": "false",
        }
        spark.sql(create(f"plain.variants.{name}", columns, {**MARKED, **more}))
        rows = ", ".join(
            f"SELECT {number} AS id, {value} AS v" if not number else f"SELECT {number}, {value}"
            for number, value in enumerate(VALUES)
        ).replace(", SELECT", " UNION ALL SELECT")
        nested = "if(id % 5 = 4, NULL, named_struct('a', int(id), 'v', v)), array(v, NULL), map('k', v, 'l', NULL)"
        spark.sql(f"INSERT INTO plain.variants.{name} SELECT id, v, {nested} FROM ({rows})")
        spark.sql(f"ALTER TABLE plain.variants.{name} ADD COLUMNS (later variant, s.more variant)")
        rows = f"SELECT id + 100 AS id, {LIKE_VALUE} AS v FROM range(5)"
        nested = "named_struct('a', 1, 'v', NULL, 'more', v), NULL, NULL"
        spark.sql(f"INSERT INTO plain.variants.{name} SELECT id, NULL, {nested}, v FROM ({rows})")
        spark.sql(f"DELETE FROM plain.variants.{name} WHERE id IN (3, 7, 102)")
    # The shredding schema follows from the first nine rows of a file, which are alike.
    more = {"write.parquet.shred-variants": "true", "write.parquet.variant-inference-buffer-size": "9"}
    spark.sql(create("plain.variants.shredded", "id bigint, v variant", more))
    for number, value in enumerate(TYPED):
        rows = " UNION ALL ".join(
            f"SELECT id + {100 * number + 10 * place} AS id, {one} AS v FROM range(0, 3, 1, 1)"
            for place, one in enumerate(likes(value))
        )
        spark.sql(f"INSERT INTO plain.variants.shredded SELECT /*+ COALESCE(1) */ * FROM ({rows})")
    discover(spark, "variants")
    return server


def create(table: str, columns: str, more: dict[str, str]) -> str:
    """Return a CREATE TABLE statement in format version 3."""
    stated = ", ".join(f"'{name}' = '{value}'" for name, value in {"format-version": "3", **more}.items())
    return f"CREATE TABLE {table} ({columns}) USING iceberg TBLPROPERTIES ({stated})"


def columns_of(folder: Path) -> list[object]:
    return [pq.read_schema(path).field("v").type for path in folder.rglob("*.parquet")]


@pytest.mark.parametrize("table", ["plain", "avro"])
def test_variants_are_those_of_icebergs_reader(
    spark: Spark, newest_spark: Spark, connect_spark: Spark, running: Running, table: str
) -> None:
    shown = ", ".join(
        [SHOWN.format("v"), "s.a", "to_json(s.v)", "to_json(l)", "to_json(m)", "to_json(later)", "to_json(s.more)"]
    )
    plain = spark.sql(f"SELECT {shown} FROM plain.variants.{table}")
    values = spark.sql(f"SELECT * FROM plain.variants.{table}")
    assert len(plain) == len(VALUES) + 2
    assert len({row[2] for row in plain}) > 15
    for session in (spark, newest_spark, connect_spark):
        session.view("of_variants", f"variants.{table}", uri=running.uri)
        assert session.sql(f"SELECT {shown} FROM of_variants") == plain
        assert session.sql("SELECT * FROM of_variants") == values


def test_shredded_variants_are_put_together_as_icebergs_reader_does(
    spark: Spark, newest_spark: Spark, running: Running
) -> None:
    stored = columns_of(spark.folder / "lake" / "variants" / "shredded")
    assert len({str(one) for one in stored if "typed_value" in one.names}) >= 12  # type: ignore[attr-defined]
    plain = spark.sql(f"SELECT {SHOWN.format('v')} FROM plain.variants.shredded")
    assert len(plain) == 18 * len(TYPED)
    for session in (spark, newest_spark):
        session.view("of_shredded", "variants.shredded", uri=running.uri)
        assert session.sql(f"SELECT {SHOWN.format('v')} FROM of_shredded") == plain


@pytest.mark.parametrize("name", FORCED)
def test_variants_that_spark_shreds_are_put_together_as_it_does(
    spark: Spark, newest_spark: Spark, running: Running, name: str
) -> None:
    folder, table = spark.folder / f"forced {name}", f"forced_{name.replace(' ', '_')}"
    values = [*VALUES, """parse_json('{"a": 7, "b": {"c": "x", "d": [1.25, "y", null]}, "é": false, "z": {"a": 1}}')""",
              """parse_json('{"a": "7", "b": {"d": [], "e": 1}, "c": null}')""", "parse_json('[[1, 2], [], null, 3]')",
              """parse_json('[{"x": 1, "y": "y", "z": 2}, {"y": null}, {}, 5]')"""]  # fmt: skip
    rows = " UNION ALL ".join(f"SELECT {number}L AS id, {value} AS v" for number, value in enumerate(values))
    spark.ask(
        "run",
        packages=spark.packages,
        script="""
for name, value in settings.items():
    spark.conf.set(name, value)
try:
    spark.sql(rows).coalesce(1).write.parquet(folder)
finally:
    for name in settings:
        spark.conf.unset(name)
""",
        values={
            "rows": rows,
            "folder": str(folder),
            "settings": {
                "spark.sql.variant.writeShredding.enabled": "true",
                "spark.sql.variant.forceShreddingSchemaForTest": FORCED[name],
            },
        },
    )
    [stored] = columns_of(folder)
    assert "typed_value" in stored.names  # type: ignore[attr-defined]
    assert stores_variants(stored)
    spark.sql(create(f"plain.variants.{table}", "id bigint, v variant", {}))
    spark.sql(f"CALL plain.system.add_files('variants.{table}', '`parquet`.`{folder}`')")
    discover(spark, "variants")
    plain = spark.sql(f"SELECT {SHOWN.format('v')} FROM parquet.`{folder}`")
    assert plain == spark.sql(f"SELECT {SHOWN.format('v')} FROM ({rows})")
    for session in (spark, newest_spark):
        session.view("of_forced", f"variants.{table}", uri=running.uri)
        assert session.sql(f"SELECT {SHOWN.format('v')} FROM of_forced") == plain


WHERE = [
    "v IS NULL",
    "v IS NOT NULL AND id > 10",
    "variant_get(v, '$.a', 'int') = 1",
    "s.v IS NULL",
    "later IS NULL AND id < 101",
    "later IS NOT NULL",
    "try_variant_get(later, '$.id', 'int') > 1",
]


@pytest.mark.parametrize("pushdown", ["true", "false"])
def test_conditions_on_variants_keep_the_rows_of_icebergs_reader(
    spark: Spark, newest_spark: Spark, running: Running, pushdown: str
) -> None:
    for where in WHERE:
        plain = spark.sql(f"SELECT id FROM plain.variants.plain WHERE {where}")
        assert plain
        for session in (spark, newest_spark):
            session.view("of_filtered", "variants.plain", uri=running.uri, pushdown=pushdown)
            assert session.sql(f"SELECT id FROM of_filtered WHERE {where}") == plain, where


def test_the_option_filter_knows_only_whether_a_variant_is_null(spark: Spark, running: Running) -> None:
    for where in ("v IS NULL", "NOT (v IS NULL) AND id > 10", "s.v IS NULL", "later IS NOT NULL"):
        spark.view("of_null", "variants.plain", uri=running.uri, filter=where, columns="id")
        assert spark.sql("SELECT * FROM of_null") == spark.sql(f"SELECT id FROM plain.variants.plain WHERE {where}")
    for where in ("v = 1", "v IN ('a', 'b')", "later.value = X'00'", "v.a = 1"):
        with pytest.raises(SparkFailed, match="option filter"):
            spark.view("refused", "variants.plain", uri=running.uri, filter=where)


def test_other_columns_are_read_beside_variants(spark: Spark, newest_spark: Spark, running: Running) -> None:
    plain = spark.sql("SELECT id FROM plain.variants.plain")
    for session in (spark, newest_spark):
        session.view("of_ids", "variants.plain", uri=running.uri, columns="id")
        assert session.sql("SELECT * FROM of_ids") == plain
        session.view("of_all", "variants.plain", uri=running.uri)
        assert session.sql("SELECT id FROM of_all") == plain
        assert session.sql("SELECT count(*) FROM of_all") == [[len(plain)]]


def test_plans_and_metadata_of_variants_are_frames(spark: Spark, running: Running) -> None:
    for table in ("plain", "shredded"):
        stored = {
            Path(path).name
            for [path] in spark.sql(f"SELECT file_path FROM plain.variants.{table}.files WHERE content = 0")
        }
        options = {"uri": running.uri, "table": f"variants.{table}"}
        for name, more in (("files", {"where": "v IS NOT NULL OR id >= 0"}), ("metadata", {"kind": "entries"})):
            found = spark.ask("lakemuster", packages=spark.packages, name=name, options={**options, **more})
            assert stored <= {Path(str(value)).name for row in found["rows"] for value in row}
        script = "import lakemuster.spark\nprint(lakemuster.spark.count(spark, **options))"
        counted = spark.ask("run", packages=spark.packages, script=script, values={"options": options})
        # Iceberg's vectorized reader cannot read column `id` alone from shredded files.
        assert int(counted) == len(spark.sql(f"SELECT id, to_json(v) FROM plain.variants.{table}"))
    with pytest.raises(SparkFailed, match="column v is variant, which Spark reads differently or not at all"):
        spark.ask("lakemuster", packages=spark.packages, name="paths", options=options)
