"""Unmodified Spark reads its tables through the REST catalog: the rows of a plain catalog, planned by the server.

The plain catalog runs the queries first. Then all manifests and manifest lists are renamed: Spark cannot plan any more,
so every further result was planned from the index.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.journey.servers import Running
from tests.journey.spark import queries, tables
from tests.polling import until
from tests.spark import Rows, Spark, SparkFailed

pytestmark = pytest.mark.timeout(1800)
TABLES = [*tables.MODES, *queries.OTHERS]
LIKE_ALL = "v2_marks"  # represents the other wide tables for queries with equal results


@dataclass
class Lake:
    """The tables that Spark wrote, and the server over them."""

    spark: Spark
    running: Running
    named: dict[str, dict[str, str]]
    expected: dict[tuple[str, str], Rows]

    @property
    def folder(self) -> Path:
        """The folder of the tables."""
        return self.spark.folder / "lake" / "db"

    def ask(self, catalog: str, table: str, query: str) -> Rows:
        """Return the rows of a query of ``queries``."""
        return self.spark.sql(query.format(t=f"{catalog}.db.{table}", c=catalog, **self.named[table]))

    def answered(self) -> Counter[tuple[str, str]]:
        """Return how often the server's log has each method and path."""
        lines = self.running.log.read_text().splitlines()
        records = [json.loads(line[line.index("{") :]) for line in lines if '"route"' in line]
        return Counter((record["method"], record["path"]) for record in records)

    def posts(self, table: str, kind: str = "plan") -> int:
        """Return the number of requests for plans of a table, or for their tasks."""
        return self.answered()["POST", f"/iceberg/v1/namespaces/db/tables/{table}/{kind}"]


def names(spark: Spark, table: str) -> dict[str, str]:
    """Return the values of the placeholders for a table's snapshots and their times."""
    rows = spark.sql(f"SELECT committed_at, snapshot_id FROM plain.db.{table}.snapshots")
    return {f"at{n}": row[0] for n, row in enumerate(rows)} | {f"s{n}": str(row[1]) for n, row in enumerate(rows)}


def source(table: str, query: str) -> str:
    """Return the table whose rows are the expected result."""
    return LIKE_ALL if table in tables.MODES and query not in queries.OWN else table


@pytest.fixture(scope="module")
def lake(written: Spark, server: Running) -> Lake:
    """The tables, indexed and served, with the expected rows from the plain catalog."""
    for catalog, more in {"muster": {"scan-planning-mode": "server"}, "unsaid": {}}.items():
        settings = {"type": "rest", "uri": f"{server.uri}/iceberg", "cache-enabled": "false"} | more
        named = {f"spark.sql.catalog.{catalog}.{name}": value for name, value in settings.items()}
        cls = {f"spark.sql.catalog.{catalog}": "org.apache.iceberg.spark.SparkCatalog"}
        written.ask("configure", settings=cls | named)
    lake = Lake(written, server, {table: names(written, table) for table in tables.ALL}, {})
    for table in TABLES:
        for query in queries.selects(table):
            if source(table, query) == table:
                lake.expected[table, query] = lake.ask("plain", table, queries.as_meant(query))
    return lake


@pytest.fixture(scope="module")
def alone(lake: Lake) -> Iterator[Lake]:
    """The lake without manifests and manifest lists: only the server can plan."""
    taken = [file for file in lake.folder.rglob("*.avro") if file.parent.name == "metadata"]
    assert len(taken) > 100
    with tables.taken_away(taken):
        yield lake


def test_the_plain_answers_are_worth_comparing_with(lake: Lake) -> None:
    everything = "SELECT * FROM {t}"
    assert {json.dumps(lake.ask("plain", table, everything)) for table in tables.MODES} == {
        json.dumps(lake.expected[LIKE_ALL, everything])
    }
    assert len(lake.expected[LIKE_ALL, everything]) == 75
    kinds = {
        table: lake.spark.sql(f"SELECT DISTINCT content, file_format FROM plain.db.{table}.files") for table in TABLES
    }
    assert [0, "PARQUET"] in kinds["v1_copies"]
    assert [1, "PARQUET"] in kinds["v2_marks"]
    assert [1, "PUFFIN"] in kinds["v3_marks"]
    assert [1, "AVRO"] in kinds["avro"]
    assert [2, "PARQUET"] in kinds["equality"]
    without_rows = [key for key, rows in lake.expected.items() if not rows and key[0] != "empty"]
    assert len(without_rows) < len(lake.expected) / 10, without_rows


def test_incremental_reads_which_spark_plans_itself(lake: Lake) -> None:
    for table in tables.MODES:
        options = {"start-snapshot-id": lake.named[table]["s0"], "end-snapshot-id": lake.named[table]["s1"]}
        plain = lake.spark.ask("read", table=f"plain.db.{table}", options=options)
        assert len(plain) == 20
        assert lake.spark.ask("read", table=f"muster.db.{table}", options=options) == plain


def test_names(lake: Lake) -> None:
    # Other tests may have created namespaces and tables since the server last looked for them.
    namespaces = lake.spark.sql("SHOW NAMESPACES IN muster")
    assert ["db"] in namespaces
    assert {tuple(row) for row in namespaces} <= {tuple(row) for row in lake.spark.sql("SHOW NAMESPACES IN plain")}
    assert {name for _, name, _ in lake.spark.sql("SHOW TABLES IN muster.db")} >= set(tables.ALL)
    assert lake.spark.sql("DESCRIBE TABLE muster.db.v3_marks") == lake.spark.sql("DESCRIBE TABLE plain.db.v3_marks")
    with pytest.raises(SparkFailed, match="TABLE_OR_VIEW_NOT_FOUND"):
        lake.spark.sql("SELECT * FROM muster.db.none")


def test_columns_that_changed_after_the_last_commit(lake: Lake) -> None:
    """Spark names the current snapshot in each plan's request, and filters by the table's newest columns."""
    sql = lake.spark.sql
    sql("CREATE TABLE plain.later.t (id int, a int, b int, c int) USING iceberg")
    for low in (1, 100):
        sql(f"INSERT INTO plain.later.t VALUES ({low}, {low}, {low + 500}, {low}), ({low + 1}, {low}, {low}, NULL)")
    for change in ("RENAME COLUMN a TO x", "RENAME COLUMN b TO a", "RENAME COLUMN x TO b", "DROP COLUMN c"):
        sql(f"ALTER TABLE plain.later.t {change}")
    sql("ALTER TABLE plain.later.t ADD COLUMNS (c int, e string)")
    tables.discover(lake.spark, "later")
    asked = {
        "a = 501": [[1]],
        "a = 100 AND b = 100": [[101]],
        "b > 50": [[100], [101]],
        "c IS NULL AND id < 100": [[1], [2]],
        "c = 1": [],
        "e IS NULL AND a > 550": [[100]],
    }
    found = {where: sql(f"SELECT id FROM muster.later.t WHERE {where}") for where in asked}
    assert found == {where: sql(f"SELECT id FROM plain.later.t WHERE {where}") for where in asked} == asked


def test_zeros_of_both_signs_are_equal(lake: Lake) -> None:
    """Java's reader skips the row groups whose bounds exclude a residual, and orders -0.0 before 0.0."""
    sql = lake.spark.sql
    sql("CREATE TABLE plain.zeros.t (id int, d double, f float) USING iceberg")
    for number, value in enumerate(["-0.0D", "0.0D", "1.5D"]):
        sql(f"INSERT INTO plain.zeros.t VALUES ({number}, {value}, CAST({value} AS float))")
    tables.discover(lake.spark, "zeros")
    for column in ("d", "f"):
        for zero in ("0.0D", "-0.0D"):
            for where, ids in {"= {}": [0, 1], ">= {}": [0, 1, 2], "<= {}": [0, 1], "IN ({}, 7.0D)": [0, 1]}.items():
                asked = f"SELECT id FROM muster.zeros.t WHERE {column} {where.format(zero)}"
                assert sql(asked) == [[number] for number in ids], asked


def test_without_manifests_a_plain_catalog_reads_nothing(alone: Lake) -> None:
    with pytest.raises(SparkFailed, match=r"Failed to open input stream for file: .*\.avro"):
        alone.ask("plain", "many", "SELECT * FROM {t}")


@pytest.mark.parametrize("table", TABLES)
def test_the_rows_are_those_of_a_plain_catalog(alone: Lake, table: str) -> None:
    asked = queries.selects(table)
    wrong, before = {}, alone.posts(table)
    for query in asked:
        try:
            rows: object = alone.ask("muster", table, query)
        except SparkFailed as failure:
            rows = str(failure)[:500]
        if rows != alone.expected[source(table, query), query]:
            wrong[query] = rows
    assert not wrong
    scans = [query for query in asked if query not in queries.WITHOUT_PLANS and table != "empty"]
    # The log line follows the response.
    until(lambda: alone.posts(table) - before >= len(scans))


def test_a_client_that_says_nothing_is_told_to_let_us_plan(alone: Lake) -> None:
    before = alone.posts("v3_marks")
    query = "SELECT count(*) FROM {t} WHERE flag"
    assert alone.ask("unsaid", "v3_marks", query) == alone.expected[LIKE_ALL, query]
    until(lambda: alone.posts("v3_marks") > before)


def test_a_large_plan_comes_in_tasks(alone: Lake) -> None:
    assert alone.ask("muster", "huge", "SELECT count(*) FROM {t}") == [[10_500]]
    until(lambda: alone.posts("huge", "tasks") >= 2)


def test_joins_by_partitions(alone: Lake) -> None:
    """Spark matches partitions by the values in the server's plans, without a shuffle."""
    by_partitions = {
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    alone.spark.ask("configure", settings=by_partitions)
    join = "SELECT a.id, b.id FROM {t} a JOIN {t} b ON a.part = b.part WHERE a.id < 20"
    [[how]] = alone.ask("muster", "many", f"EXPLAIN {join}")
    assert "SortMergeJoin" in how
    assert "Exchange" not in how
    assert sorted(alone.ask("muster", "many", join)) == [[part, part] for part in range(20)]
    alone.spark.ask(
        "configure", settings=dict.fromkeys(by_partitions, "false") | {"spark.sql.autoBroadcastJoinThreshold": "10m"}
    )


def test_what_cannot_match_is_not_even_opened(alone: Lake) -> None:
    """Data files of other partitions are renamed too: a plan with one of them would fail."""
    with tables.taken_away(tables.partitions_but(alone.spark, "many", "part=17", "part=130")):
        assert alone.ask("muster", "many", "SELECT * FROM {t} WHERE part = 17") == [[17, 17]]
        assert alone.ask("muster", "many", "SELECT part FROM {t} WHERE id IN (17, 130)") == [[130], [17]]
        with pytest.raises(SparkFailed, match="part=18"):
            alone.ask("muster", "many", "SELECT * FROM {t} WHERE part BETWEEN 17 AND 18")


def test_a_filter_by_a_name_of_the_past_which_iceberg_1_12_cannot_take_back(alone: Lake) -> None:
    """Iceberg binds the residual to the table's current schema, whatever the schema of the snapshot is."""
    for asked, meant in queries.PAST.items():
        with pytest.raises(SparkFailed, match="Cannot find field"):
            alone.ask("muster", "v3_marks", f"SELECT id FROM {{t}} VERSION AS OF {asked}")
        assert alone.ask("muster", "v3_marks", f"SELECT id FROM {{t}} VERSION AS OF {meant}")


def test_a_partition_of_nan_which_iceberg_1_12_cannot_read(alone: Lake) -> None:
    """JSON has no NaN, and Iceberg refuses the text that it writes itself, so the server refuses such plans."""
    assert alone.ask("muster", "nan_parts", "SELECT id FROM {t} WHERE ratio = 1") == [[1], [4], [7]]
    with pytest.raises(SparkFailed, match=r"NaN.*scan-planning-mode=client"):
        alone.ask("muster", "nan_parts", "SELECT id FROM {t}")
