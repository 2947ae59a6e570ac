"""``lakemuster.spark``: DataFrames equal the client's tables, and plain paths give the table's rows."""

from __future__ import annotations

import datetime as dt
import json
import sysconfig
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster import Client
from lakemuster.client import Table
from lakemuster.spark.figure_columns import health_table, stats_table
from lakemuster.spark.frames import fitted, without_voids
from lakemuster.spark.lake_columns import lake_schema
from lakemuster.spark.metadata_frames import Kind
from tests.journey.preloaded import APP
from tests.journey.servers import Running
from tests.journey.spark.indexing import Driver
from tests.journey.spark.tables import discover
from tests.spark import Rows, Spark, SparkFailed

pytestmark = pytest.mark.timeout(600)
PACKAGES = [str(APP), sysconfig.get_paths()["purelib"]]
KINDS: list[Kind] = [
    "snapshots",
    "manifests",
    "entries",
    "files",
    "partitions",
    "columns",
    "timeline",
    "stats",
    "health",
]
DEMO = [f"shop.{name}" for name in ("customers", "orders", "prices", "returns", "stock")]
DEMO += [f"web.{name}" for name in ("clicks", "events", "sessions")]

COLUMNS = "id bigint, day date, name string, place struct<lat: double, town: string>"
DAY = "date_add(DATE '2024-01-01', CAST(id % 3 AS int))"
VALUES = f"SELECT id, {DAY}, 'n' || id, struct(id / 2D, 't') FROM range(0, 30, 1, 1)"
MARKED = "'write.delete.mode' = 'merge-on-read'"


def written(table: str, *more: str, properties: str = "'format-version' = '2'") -> list[str]:
    """Return the statements of a table by day: a first commit, then ``more``."""
    parts = "USING iceberg PARTITIONED BY (day)"
    return [
        f"CREATE TABLE plain.frames.{table} ({COLUMNS}) {parts} TBLPROPERTIES ({properties})",
        f"INSERT INTO plain.frames.{table} {VALUES}",
        *(line.replace("THE", f"plain.frames.{table}") for line in more),
    ]


HISTORY = {
    "kept": written("kept", "DELETE FROM THE WHERE id = 4", f"INSERT INTO THE {VALUES}"),
    "marks": written("marks", "DELETE FROM THE WHERE id = 4", properties=f"'format-version' = '2', {MARKED}"),
    "vectors": written("vectors", "DELETE FROM THE WHERE id = 4", properties=f"'format-version' = '3', {MARKED}"),
    "renamed": written("renamed", "ALTER TABLE THE RENAME COLUMN name TO title"),
    "widened": written("widened", "ALTER TABLE THE ADD COLUMN n int", "ALTER TABLE THE ALTER COLUMN n TYPE bigint"),
    "added": written(
        "added",
        "ALTER TABLE THE ADD COLUMNS (channel string, place.zip int)",
        "INSERT INTO THE SELECT id, DATE '2024-02-01', 'n', struct(1D, 't', 7), 'web' FROM range(5)",
    ),
    "again": written("again", "ALTER TABLE THE DROP COLUMN name", "ALTER TABLE THE ADD COLUMN name string"),
    "avro": written("avro", properties="'write.format.default' = 'avro'"),
    "spelled": [
        "CREATE TABLE plain.frames.spelled (`odd name` int) USING iceberg",
        "INSERT INTO plain.frames.spelled VALUES (1)",
    ],
}


@pytest.fixture(scope="module")
def lake(spark: Spark, server: Running) -> Running:
    """The server, with the tables of ``HISTORY`` written by Spark."""
    for lines in HISTORY.values():
        for line in lines:
            spark.sql(line)
    discover(spark, "frames")
    return server


def given(spark: Spark, name: str, uri: str, **options: Any) -> Any:
    """Return the result of a function of ``lakemuster.spark``."""
    return spark.ask("lakemuster", packages=PACKAGES, name=name, options={"uri": uri, **options})


def refused(spark: Spark, uri: str, table: str, **options: Any) -> str:
    with pytest.raises(SparkFailed, match="cannot be read as plain Parquet files") as refusal:
        given(spark, "paths", uri, table=table, **options)
    return str(refusal.value)


def value(found: Any, of: pa.DataType) -> Any:
    """Convert a value of Arrow to the form of ``spark_session.plain``."""
    if found is None:
        return None
    if pa.types.is_struct(of):
        return [value(found[field.name], field.type) for field in of]
    if pa.types.is_map(of):
        return sorted(([key, inner] for key, inner in found), key=json.dumps)
    if pa.types.is_list(of):
        return [value(inner, of.value_type) for inner in found]
    if isinstance(found, float | Decimal):
        return str(found)
    if isinstance(found, bytes):
        return found.hex()
    if isinstance(found, dt.datetime):
        return found.replace(tzinfo=None).isoformat()
    return found.isoformat() if isinstance(found, dt.date) else found


def as_rows(table: pa.Table) -> Rows:
    table = fitted(without_voids(table))
    columns = [[value(one, field.type) for one in table.column(field.name).to_pylist()] for field in table.schema]
    return sorted((list(row) for row in zip(*columns, strict=True)), key=json.dumps)


def listed(table: Table, kind: Kind) -> pa.Table:
    """Return the client's list; of figures, without the time when they were computed."""
    match kind:
        case "stats":
            return stats_table({**table.stats(), "computed_at": None})
        case "health":
            return health_table({"components": [{**one, "computed_at": None} for one in table.health()["components"]]})
    found: pa.Table = getattr(table, kind)().to_arrow()
    return found


def seen(found: Any, kind: Kind) -> Rows:
    """Return the rows of a DataFrame, without the time when figures were computed."""
    if kind not in ("stats", "health"):
        rows: Rows = found["rows"]
        return rows
    at = [column for column, _ in found["types"]].index("computed_at")
    assert all(row[at] for row in found["rows"])
    return sorted(([*row[:at], None, *row[at + 1 :]] for row in found["rows"]), key=json.dumps)


def with_their_deletes(table: Table) -> Rows:
    """Return the paths of the files and of their delete files, from the client."""
    plan = table.plan()
    return sorted(
        [file["file_path"], sorted(plan.deletes[at]["file_path"] for at in file["deletes"])] for file in plan.files
    )


def test_a_plan_is_the_clients(spark: Spark, lake: Running, demo: Running) -> None:
    with Client(demo.uri) as client:
        for name in DEMO:
            expected = client.table(name).plan().to_arrow()
            found = given(spark, "files", demo.uri, table=name)
            kept = [column for column, _ in found["types"] if column != "deletes"]
            at = [column for column, _ in found["types"]].index("deletes")
            rows = sorted((row[:at] + row[at + 1 :] for row in found["rows"]), key=json.dumps)
            assert rows == as_rows(expected.select(kept))
            assert {"file_path", "residual", "record_count"} < set(kept)
        orders = client.table("shop.orders")
        where = "day >= DATE '2024-05-09' AND amount > 90"
        found = given(spark, "files", demo.uri, table="shop.orders", where=where, stats=["amount"])
        assert sorted(row[4] for row in found["rows"]) == sorted(orders.plan(where).paths)
        assert dict(found["types"])["upper_bounds"] == "struct<amount:decimal(12,2)>"
        assert dict(given(spark, "files", demo.uri, table="web.clicks")["types"])["creation_time"] == "timestamp_ntz"
    with Client(lake.uri) as client:
        for name in ("frames.marks", "frames.vectors"):
            found = given(spark, "files", lake.uri, table=name)
            names = [column for column, _ in found["types"]]
            path, deletes = names.index("file_path"), names.index("deletes")
            resolved = sorted([row[path], sorted(delete[1] for delete in row[deletes])] for row in found["rows"])
            assert resolved == with_their_deletes(client.table(name))
            assert sum(len(row[1]) for row in resolved) == 1


def test_metadata_of_a_table_are_the_clients_lists(spark: Spark, demo: Running) -> None:
    with Client(demo.uri) as client:
        for name in DEMO:
            for kind in KINDS:
                found = given(spark, "metadata", demo.uri, kind=kind, table=name)
                assert seen(found, kind) == as_rows(listed(client.table(name), kind)), (name, kind)
                assert found["rows"]


def test_metadata_of_a_namespace_have_the_rows_of_all_its_tables(spark: Spark, demo: Running) -> None:
    names = [name for name in DEMO if name.startswith("shop.")]
    with Client(demo.uri) as client:
        for kind in KINDS:
            found = given(spark, "metadata", demo.uri, kind=kind, namespace="shop")
            columns = [name for name, _ in found["types"]]
            assert columns == lake_schema(kind).names
            alike = {
                "snapshots": "snapshot_id",
                "manifests": "manifest_path",
                "partitions": "record_count",
                "columns": "column",
                "timeline": "snapshot_id",
                "stats": "snapshot_id",
                "health": "name",
            }
            column = alike.get(kind, "file_path")
            at = columns.index(column)
            expected = [[name, one] for name in names for one in listed(client.table(name), kind)[column].to_pylist()]
            assert sorted([row[0], row[at]] for row in found["rows"]) == sorted(expected)
            for name in names:
                unknown = set(listed(client.table(name), kind).column_names) - set(columns)
                assert not unknown, "a column that lake_columns does not know"
    found = given(spark, "metadata", demo.uri, kind="partitions", namespace="shop")
    assert ["shop.stock", [["warehouse", "lyon"]]] in [row[:2] for row in found["rows"]]
    assert ["shop.orders", [["day", "2024-05-10"]]] in [row[:2] for row in found["rows"]]
    assert ["shop.customers", [["country", None]]] in [row[:2] for row in found["rows"]]


def test_figures_of_a_lake_are_summed_in_spark_as_the_client_sums_them(spark: Spark, demo: Running) -> None:
    found = given(spark, "metadata", demo.uri, kind="stats", namespace="shop")
    types = dict(found["types"])
    assert types["file_size_histogram"].startswith("array<struct<from_bytes:bigint")
    assert types["computed_at"] == "timestamp"
    at = [column for column, _ in found["types"]].index("totals")
    with Client(demo.uri) as client:
        for row in found["rows"]:
            totals = client.table(row[0]).stats()["totals"]
            assert row[at] == list(totals.values())
    ref = given(spark, "metadata", demo.uri, kind="timeline", table="shop.orders", ref="main")
    with Client(demo.uri) as client:
        assert ref["rows"] == as_rows(client.table("shop.orders").timeline(ref="main").to_arrow())
    for kind, choice in (("timeline", {"snapshot_id": 1}), ("snapshots", {"ref": "main"}), ("health", {"ref": "main"})):
        with pytest.raises(SparkFailed, match="does not apply"):
            given(spark, "metadata", demo.uri, kind=kind, table="shop.orders", **choice)


def test_plain_paths_give_the_connectors_rows(spark: Spark, lake: Running) -> None:
    paths = given(spark, "paths", lake.uri, table="frames.kept")
    expected = spark.sql("SELECT * FROM plain.frames.kept")
    assert len(expected) == 59
    columns = ["id", "day", "name", "place"]
    assert spark.ask("parquet", paths=paths, columns=columns) == expected
    one_day = given(spark, "paths", lake.uri, table="frames.kept", where="day = DATE '2024-01-02'")
    assert set(one_day) < set(paths)
    assert spark.ask("parquet", paths=one_day, columns=columns) == [row for row in expected if row[1] == "2024-01-02"]
    assert given(spark, "paths", lake.uri, table="frames.kept", where="id > 99") == []
    first = spark.sql("SELECT snapshot_id FROM plain.frames.marks.snapshots ORDER BY committed_at LIMIT 1")[0][0]
    before = given(spark, "paths", lake.uri, table="frames.marks", snapshot_id=first)
    then = spark.sql(f"SELECT * FROM plain.frames.marks VERSION AS OF {first}")
    assert spark.ask("parquet", paths=before, columns=columns) == then
    added = given(spark, "paths", lake.uri, table="frames.added", where="day = DATE '2024-02-01'")
    expected = spark.sql("SELECT * FROM plain.frames.added WHERE day = DATE '2024-02-01'")
    assert spark.ask("parquet", paths=added, columns=[*columns, "channel"]) == expected


def test_plain_paths_are_refused_where_they_would_be_wrong(spark: Spark, lake: Running, demo: Running) -> None:
    refusals = {
        "marks": "1 delete files apply (",
        "vectors": "1 delete files apply (",
        "renamed": "schema 0 differs: it has column name, which was renamed or dropped",
        "widened": "schema 1 differs: its n is int, not long",
        "added": "it is not known to hold column channel (",
        "again": "schema 0 differs: its name is another column of that name",
        "avro": "its format is avro (",
        "spelled": "column odd name has another name in the files",
    }
    assert {*refusals, "kept"} == set(HISTORY)
    for table, reason in refusals.items():
        assert reason in refused(spark, lake.uri, f"frames.{table}"), table
    assert "it must be merged with others (" in refused(spark, demo.uri, "shop.stock")
    assert "its schema 0 differs: it has no column referrer (" in refused(spark, demo.uri, "web.clicks")
    assert "column key is uuid" in refused(spark, demo.uri, "shop.customers")


def test_what_is_refused_is_wrong_indeed(spark: Spark, lake: Running) -> None:
    for table in ("marks", "vectors", "renamed", "again"):
        with Client(lake.uri) as client:
            paths = client.table(f"frames.{table}").plan().paths
        columns = ["id", "title" if table == "renamed" else "name"]
        expected = spark.sql(f"SELECT {', '.join(columns)} FROM plain.frames.{table}")
        try:
            found = spark.ask("parquet", paths=paths, columns=columns)
        except SparkFailed:
            continue
        assert found != expected, table


def test_plain_paths_of_paimon_give_pypaimons_rows(
    spark: Spark, demo: Running, run_pypaimon: Callable[..., Any]
) -> None:
    script = """
def main(warehouse):
    from pypaimon import CatalogFactory
    table = CatalogFactory.create({"warehouse": warehouse}).get_table("web.clicks")
    builder = table.new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()
    return [[row["click_id"], row["dt"], row["referrer"], row["url"]] for row in rows]
"""
    with Client(demo.uri) as client:
        location = Path(client.table("web.clicks").info().location)
        newest = [row for row in client.table("web.clicks").files() if row["schema_id"] == 1]
    days = sorted({row["partition"]["dt"] for row in newest})
    rows = run_pypaimon(script, warehouse=str(location.parents[1]))
    where = f"dt = '{days[-1]}'"
    paths = given(spark, "paths", demo.uri, table="web.clicks", where=where)
    found = spark.ask("parquet", paths=paths, columns=["click_id", "dt", "referrer", "url"])
    expected = sorted((row for row in rows if row[1] == days[-1]), key=json.dumps)
    assert found == expected
    assert len(found) > 10


def test_a_connect_session_has_the_same_frames_and_tables(spark: Spark, connect_driver: Driver, demo: Running) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("files", {"table": "shop.orders", "stats": ["amount"]}),
        ("metadata", {"kind": "entries", "table": "web.clicks"}),
        ("metadata", {"kind": "partitions", "namespace": "shop"}),
        ("metadata", {"kind": "columns", "table": "shop.stock"}),
        ("metadata", {"kind": "timeline", "namespace": "shop"}),
        ("metadata", {"kind": "stats", "namespace": "web"}),
        ("metadata", {"kind": "health", "namespace": "web"}),
        ("metadata", {"kind": "snapshots", "namespace": "nobody"}),
    ]
    loads: list[tuple[str, dict[str, Any]]] = [
        ("load", {"table": "shop.orders", "where": "day >= DATE '2024-05-09' AND amount > 90"}),
        ("load", {"table": "shop.stock", "where": "quantity < 50", "columns": "sku,quantity"}),
    ]
    assert connect_driver.kind == "pyspark.sql.connect.session"
    answers = connect_driver.call([(name, {"uri": demo.uri, **options}) for name, options in calls + loads])
    for (name, options), answer in zip(calls, answers[: len(calls)], strict=True):
        expected = json.loads(json.dumps(given(spark, name, demo.uri, **options)))
        assert answer["types"] == expected["types"]
        kind = options.get("kind", "files")
        assert seen(answer, kind) == seen(expected, kind), (name, options)
    assert answers[len(calls) - 1]["rows"] == []
    for (_, options), answer in zip(loads, answers[len(calls) :], strict=True):
        where = options.pop("where")
        spark.view("loaded", **options, uri=demo.uri)
        assert answer["rows"] == spark.sql(f"SELECT * FROM loaded WHERE {where}")
        assert answer["rows"]
