"""``spark.read.format("lakemuster")``: the rows of Spark's own Iceberg reader, on Spark 4.1 and without a jar on 4.3.

Spark 4.3 runs both a classic and a Connect session. Iceberg's reader runs the queries of ``queries.py`` first, then
the data source does, with its filters pushed down on Spark 4.1.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakemuster.api.identity.tokens import token_entry
from lakemuster.client.catalog import Client
from lakemuster.spark.options import SPLIT_OPEN_FILE_COST, SPLIT_TARGET_SIZE, Options
from lakemuster.spark.planning import task_inputs, task_rows
from lakemuster.spark.reading.model import NotReadable
from lakemuster.spark.snapshot_pin import pin
from tests.journey.servers import Running, lakemuster, served
from tests.journey.spark import queries, tables
from tests.spark import TOKEN, Rows, Spark, SparkFailed

pytestmark = pytest.mark.timeout(1800)

WIDE = ("v2_marks", "v3_marks", "v1_copies")
WRITTEN = ("transforms", "avro", "orc", "equality", "typed", "defaults", "nan_parts", "many", "empty")
TABLES = (*WIDE, *WRITTEN)
WHERE = [where for where in queries.WHERE if "{c}" not in where]
PAST: dict[str, dict[str, str]] = {
    "VERSION AS OF 'opened'": {"ref": "opened"},
    "VERSION AS OF 'before evolution'": {"ref": "before evolution"},
    "VERSION AS OF 'audit'": {"ref": "audit"},
    "VERSION AS OF {s2}": {"snapshot_id": "{s2}"},
    "TIMESTAMP AS OF '{at3}'": {"as_of": "{at3}Z"},
}


@dataclass
class Lake:
    """The tables that Spark wrote with Iceberg, and the server over them."""

    spark: Spark
    running: Running

    def view(self, table: str, **options: str) -> str:
        """Create a view over the data source; return its name."""
        return self.view_in(self.spark, table, **options)

    def view_in(self, spark: Spark, table: str, **options: str) -> str:
        """Create a view over the data source in another session; return its name."""
        name = f"of_{table}_{abs(hash(tuple(options.items())))}"
        spark.view(name, f"db.{table}", uri=self.running.uri, **options)
        return name

    def plain(self, table: str, how: str = "") -> Rows:
        """Return all rows, by Iceberg's reader."""
        return self.spark.sql(f"SELECT * FROM plain.db.{table} {how}")


@pytest.fixture(scope="module")
def lake(written: Spark, server: Running) -> Lake:
    """Tables of every kind."""
    return Lake(written, server)


@pytest.fixture(scope="module")
def expected(lake: Lake) -> Rows:
    """Pairs of a condition's number in ``WHERE`` and the id of a matching row, by Iceberg's reader, in one action."""
    parts = [
        f"SELECT {number} AS asked, id FROM plain.db.{WIDE[0]} WHERE {queries.as_meant(where)}"
        for number, where in enumerate(WHERE)
    ]
    return lake.spark.sql(" UNION ALL ".join(parts))


@pytest.mark.parametrize("table", TABLES)
def test_rows_and_columns_are_those_of_icebergs_reader(
    lake: Lake, newest_spark: Spark, connect_spark: Spark, table: str
) -> None:
    plain = lake.plain(table)
    assert plain or table == "empty"
    for spark in (lake.spark, newest_spark, connect_spark):
        assert spark.sql(f"SELECT * FROM {lake.view_in(spark, table)}") == plain


@pytest.mark.parametrize("table", TABLES)
def test_schemas_are_those_of_icebergs_reader(lake: Lake, table: str) -> None:
    found = lake.spark.view("schema", f"db.{table}", uri=lake.running.uri)
    expected = lake.spark.ask("schema", table=f"plain.db.{table}")
    for field in expected["fields"]:
        for name in ("CURRENT_DEFAULT", "EXISTS_DEFAULT"):  # the file reader has filled these in
            field["metadata"].pop(name, None)
    assert found == expected


PUSHED = [
    "id IN (0, 7, 61, 102, 4711)",
    "flag <=> NULL",
    "ratio > 30",
    "price NOT IN (10.25, 1) AND price > 15",
    "local > TIMESTAMP_NTZ '2024-01-03 23:00:00.000020'",
    "instant >= TIMESTAMP '2024-03-01 02:00:00'",
    "name LIKE 'é𝄞 %' AND place.lat > 1",
]


@pytest.mark.parametrize("where", PUSHED)
def test_conditions_that_are_pushed_are_asked_again(lake: Lake, where: str) -> None:
    name = lake.view(WIDE[1], pushdown="true")
    found = lake.spark.sql(f"SELECT id FROM {name} WHERE {where}")
    assert found == lake.spark.sql(f"SELECT id FROM plain.db.{WIDE[1]} WHERE {queries.as_meant(where)}")


def test_the_option_filter_gives_the_rows_that_where_does(lake: Lake, expected: Rows) -> None:
    assert len({number for number, _ in expected}) > 40
    refused = []
    for number, where in enumerate(WHERE):
        options = {"uri": lake.running.uri, "path": f"db.{WIDE[0]}", "filter": where, "columns": "id"}
        try:
            found = [[number, value] for value in read_here(options)]
        except NotReadable as refusal:
            assert "cannot be evaluated on rows" in str(refusal), (where, refusal)  # noqa: PT017
            refused.append(where)
            continue
        assert sorted(found) == sorted(row for row in expected if row[0] == number), where
    assert refused == [where for where in WHERE if where in NOT_OF_ROWS]


NOT_OF_ROWS = {
    "ratio = double('NaN')",
    "ratio <> double('NaN') AND ratio < 3.0",
    "place IS NOT NULL AND id < 3",
    "CAST(instant AS date) = DATE '2024-03-01'",
    "hour(instant) = 23",
    "words[1] = 't41'",
    "counts['k'] > 70",
    "length(name) > 8 AND id > 40",
    "rand() < 2 AND id = 8",
}


def read_here(given: dict[str, str]) -> list[Any]:
    """Return the first column that the data source reads, without Spark."""
    options = Options.of(given)
    with Client(options.uri) as client:
        pinned = pin(client.table(options.table), options)
    batches = [batch for part in task_inputs(options, pinned) for batch in task_rows(options, pinned.table, part)]
    return [value for batch in batches for value in batch.column(0).to_pylist()]


@pytest.mark.parametrize("how", PAST)
def test_past_snapshots_and_refs(lake: Lake, connect_spark: Spark, how: str) -> None:
    table = WIDE[1]
    rows = lake.spark.sql(f"SELECT committed_at, snapshot_id FROM plain.db.{table}.snapshots")
    named = {f"at{n}": row[0] for n, row in enumerate(rows)} | {f"s{n}": str(row[1]) for n, row in enumerate(rows)}
    options = {name: value.format(**named) for name, value in PAST[how].items()}
    plain = lake.plain(table, how.format(**named))
    for spark in (lake.spark, connect_spark):
        assert spark.sql(f"SELECT * FROM {lake.view_in(spark, table, **options)}") == plain


def test_a_frame_stays_at_its_snapshot(lake: Lake) -> None:
    lake.spark.sql("CREATE TABLE plain.db.moving (id bigint) USING iceberg")
    lake.spark.sql("INSERT INTO plain.db.moving VALUES (1)")
    added = lakemuster(lake.spark.folder, "add", "db.moving", f"{lake.spark.folder}/lake/db/moving")
    assert added.returncode == 0, added.stderr
    before = lake.view("moving")
    lake.spark.sql("INSERT INTO plain.db.moving VALUES (2)")
    assert lake.spark.sql(f"SELECT * FROM {before}") == [[1]]
    assert lake.spark.sql(f"SELECT * FROM {lake.view('moving')}") == [[1], [2]]


def test_columns_and_limit(lake: Lake) -> None:
    name = lake.view("v2_marks", columns="name,ID", split_target_size="1")
    found = lake.spark.sql(f"SELECT * FROM {name}")
    assert found == lake.spark.sql("SELECT name, id FROM plain.db.v2_marks")
    few = lake.spark.sql(f"SELECT * FROM {lake.view('many', limit='7')}")
    assert 7 <= len(few) < 50
    assert all(row in lake.plain("many") for row in few)


def test_a_large_plan_is_asked_for_by_executors(lake: Lake) -> None:
    options = {"task_threshold": "3", "split_open_file_cost": "1000", "split_target_size": "20000"}
    for table in ("v2_marks", "many"):
        assert lake.spark.sql(f"SELECT * FROM {lake.view(table, **options)}") == lake.plain(table)


def test_the_driver_holds_no_files_of_a_large_plan(lake: Lake) -> None:
    options = Options.of({"uri": lake.running.uri, "path": "db.huge"})
    with Client(options.uri) as client:
        pinned = pin(client.table(options.table), options)
    parts = task_inputs(options, pinned)
    assert len(parts) >= 10_500 * SPLIT_OPEN_FILE_COST // SPLIT_TARGET_SIZE
    assert not any(part.splits for part in parts)
    assert len(pickle.dumps(parts[0])) < 2000


def test_a_frame_is_good_for_many_filters(lake: Lake) -> None:
    """Filters are not pushed by default: Spark has one plan for a loaded table, that of the last filter."""
    few, others = "part < 20", "part >= 170"
    both = "SELECT id FROM {0} WHERE " + few + " UNION ALL SELECT id FROM {0} WHERE " + others
    for name in (lake.view("many"), "plain.db.many"):
        assert len(lake.spark.sql(f"SELECT * FROM {name} WHERE {few}")) == 20
        assert len(lake.spark.sql(f"SELECT * FROM {name}")) == 200
        assert len(lake.spark.sql(both.format(name))) == 50
    pushed = lake.view("many", pushdown="true")
    assert len(lake.spark.sql(f"SELECT * FROM {pushed} WHERE {few}")) == 20
    assert len(lake.spark.sql(f"SELECT * FROM {pushed}")) == 20, "Spark has learnt: filters may be pushed always"


def test_a_session_may_forbid_pushdown(lake: Lake) -> None:
    lake.spark.ask("configure", settings={"spark.sql.python.filterPushdown.enabled": "false"})
    try:
        found = lake.spark.sql(f"SELECT id FROM {lake.view('many')} WHERE part = 3")
        with pytest.raises(SparkFailed, match="filterPushdown"):
            lake.spark.sql(f"SELECT id FROM {lake.view('many', pushdown='true')} WHERE part = 3")
    finally:
        lake.spark.ask("configure", settings={"spark.sql.python.filterPushdown.enabled": "true"})
    assert found == [[3]]


REFUSED = {
    "unknown options": ({"colour": "red"}, "option colour is not an option; known options: uri, token_env, token_file"),
    "tokens": ({"token": "secret-of-mine"}, "option token would be written to plans and logs"),
    "two snapshots": ({"ref": "main", "snapshot_id": "1"}, "option ref and snapshot_id exclude each other"),
    "columns": ({"columns": "id,nothing"}, "column 'nothing' not found"),
    "filters": ({"filter": "nothing = 1"}, "option filter: column 'nothing' not found"),
    "numbers": ({"limit": "some"}, "option limit is a whole number, not 'some'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(lake: Lake, name: str) -> None:
    options, words = REFUSED[name]
    with pytest.raises(SparkFailed) as refusal:
        lake.spark.view("refused", "db.defaults", uri=lake.running.uri, **options)
    said = str(refusal.value).partition("PYTHON_DATA_SOURCE_ERROR")[2]  # after the query
    assert words in said
    assert "secret-of-mine" not in said


def test_sql_makes_views_and_no_tables(lake: Lake) -> None:
    lake.view("many")
    how = f"USING lakemuster OPTIONS (uri '{lake.running.uri}', path 'db.many', columns 'id')"
    with pytest.raises(SparkFailed, match="CREATE TABLE, which loses all others: create a temporary view instead"):
        lake.spark.sql(f"CREATE TABLE kept {how}")
    lake.spark.sql(f"CREATE TEMPORARY VIEW kept {how}")
    assert lake.spark.sql("SELECT count(*), sum(id) FROM kept WHERE id < 10") == [[10, 45]]


def test_files_without_matching_rows_are_not_opened(lake: Lake, newest_spark: Spark) -> None:
    """The files of other partitions are renamed: a plan with one of them would fail."""
    with tables.taken_away(tables.partitions_but(lake.spark, "many", "part=17", "part=130")):
        for spark in (lake.spark, newest_spark):
            name = lake.view_in(spark, "many", pushdown="true")
            assert spark.sql(f"SELECT * FROM {name} WHERE part = 17") == [[17, 17]]
            assert spark.sql(f"SELECT id FROM {name} WHERE id IN (17, 130)") == [[130], [17]]
            with pytest.raises(SparkFailed, match="part=18"):
                spark.sql(f"SELECT * FROM {name} WHERE part BETWEEN 17 AND 18")
        assert lake.spark.sql(f"SELECT * FROM {lake.view('many', filter='part = 17')}") == [[17, 17]]


def test_the_token_is_in_the_environment_of_workers_and_nowhere_else(lake: Lake, tmp_path: Path) -> None:
    variable, token = TOKEN
    (tmp_path / "tokens.toml").write_text(token_entry("reader", token, "read", ["db"]))
    with served(lake.spark.folder, TOKENS=str(tmp_path / "tokens.toml")) as running:
        uri = running.uri
        for options in ({"task_threshold": "0"}, {}):
            lake.spark.view("closed", "db.moving", uri=uri, token_env=variable, **options)
            assert lake.spark.sql("SELECT id FROM closed WHERE id > 1") == [[2]]
        [[plan]] = lake.spark.sql("EXPLAIN EXTENDED SELECT * FROM closed")
        assert token not in plan
        with pytest.raises(SparkFailed, match="send a token"):
            lake.spark.view("closed", "db.moving", uri=uri)
        with pytest.raises(SparkFailed, match="token_env NOTHING is not set in this process"):
            lake.spark.view("closed", "db.moving", uri=uri, token_env="NOTHING")
