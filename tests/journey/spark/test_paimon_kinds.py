"""Counts and checksums of every kind of Paimon table: Spark's own reader and ``spark.read.format("lakemuster")`` agree.

Paimon's newest connector on Maven Central is that of 0.9, for Spark 3.5. It is the reference where it supports a
table; elsewhere Paimon's Java client is (``kinds.BEYOND_THE_CONNECTOR``). Lakemuster's data source reads all rows on
Spark 4.3, classic or Connect (both in ``make full``), without a jar in the session, and some rows and columns on 4.1,
by conditions that are pushed down. Iceberg's kinds are in ``test_source.py`` and ``test_iceberg_files.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster import Client
from lakemuster.spark.reading import paimon
from tests.journey.paimon_java import spark_tables
from tests.journey.paimon_java.rows_read import table_to_read, values_of_java
from tests.journey.servers import Running, served
from tests.journey.spark import kinds
from tests.journey.spark.checksums import checksum
from tests.journey.spark.kinds import NOW, READINGS, Reading
from tests.paimon_java import Paimon
from tests.spark import Spark

pytestmark = pytest.mark.timeout(1800)
SESSIONS = ("4.1", "4.3", "4.3 connect")
FILTERED = "4.1"
"""The session whose queries have conditions."""


@dataclass(frozen=True)
class Answer:
    """The columns of a table, in their order, with Spark's types; count and checksum of each query."""

    types: dict[str, Any]
    sums: dict[str, list[Any]]


Answers = dict[tuple[str, str], Future[Answer]]


@dataclass
class Lake:
    """The tables, their readers, and a server over them."""

    java: Paimon
    connector: Spark
    sessions: dict[str, Spark]
    running: Running

    def theirs(self, reading: Reading) -> Answer:
        """Return the answer of Paimon's own reader."""
        relation = reading.relation
        if reading.table in kinds.BEYOND_THE_CONNECTOR:
            relation = f"parquet.`{self.by_java(reading)}`"
        self.connector.sql(f"CREATE OR REPLACE TEMPORARY VIEW theirs AS SELECT * FROM {relation}")
        schema = self.connector.ask("schema", table="theirs")
        name = kinds.condition(types(schema))
        some = checksum("theirs", schema, chosen(list(types(schema)), name), kinds.CONDITIONS[name])
        return Answer(types(schema), answers(self.connector, {"all": checksum("theirs", schema), "some": some}))

    def by_java(self, reading: Reading) -> Path:
        """Write a Parquet file of the rows that Paimon's Java client reads; return its path."""
        assert not reading.theirs
        with Client(self.running.uri) as client:
            to_read = table_to_read(client, f"db.{reading.table}")
        schema = paimon.read_schema(to_read)
        rows = values_of_java(self.java.ask("rows", table=reading.folder), to_read.schema["fields"])
        columns = list(zip(*rows, strict=True)) or [()] * len(schema)
        path = self.java.folder / f"{reading.table}.parquet"
        arrays = [
            pa.array([as_arrow(value, column.type) for value in values], column.type)
            for values, column in zip(columns, schema, strict=True)
        ]
        pq.write_table(pa.table(arrays, schema=schema), path)
        return path

    def ours(self, session: str, reading: Reading, columns_of: dict[str, Any]) -> Answer:
        """Return the answer of Lakemuster's data source for a table with these columns."""
        spark, stated = self.sessions[session], {"uri": self.running.uri, **reading.options}
        asked, where, columns = "all", "true", list(columns_of)
        if session == FILTERED:
            name = kinds.condition(columns_of)
            asked, where, columns = "some", kinds.CONDITIONS[name], chosen(list(columns_of), name)
            stated |= {"columns": ",".join(columns), "pushdown": "true"}
        schema = spark.view("ours", f"db.{reading.table}", **stated)
        return Answer(types(schema), answers(spark, {asked: checksum("ours", schema, columns, where)}))


def as_arrow(value: Any, of: pa.DataType) -> Any:
    """Convert a value of Java's with rows to dictionaries."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        return {field.name: as_arrow(one, field.type) for one, field in zip(value, of, strict=True)}
    if pa.types.is_map(of):
        return [(key, as_arrow(one, of.item_type)) for key, one in value]
    return [as_arrow(one, of.value_type) for one in value] if pa.types.is_list(of) else value


def types(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the types by column."""
    return {column["name"]: column["type"] for column in schema["fields"]}


def chosen(names: Sequence[str], asked: str) -> list[str]:
    """Return ``asked`` and a third of the other columns, in reverse order."""
    return [name for place, name in enumerate(reversed(names)) if name == asked or place % 3 == 0]


def answers(spark: Spark, asked: dict[str, str]) -> dict[str, list[Any]]:
    """Return count and checksum of each query, computed in one action."""
    parts = [query.replace("SELECT ", f"SELECT '{name}', ", 1) for name, query in asked.items()]
    return {name: sums for name, *sums in spark.sql(" UNION ALL ".join(parts))}


def sessions_of(name: str) -> tuple[str, str]:
    """Return the sessions that read a table in every run; ``make full`` reads it in all of them."""
    return FILTERED, SESSIONS[1 + list(READINGS).index(name) % 2]


@pytest.fixture(scope="module")
def lake(
    java_paimon: Paimon, paimon_spark: Spark, spark: Spark, newest_spark: Spark, connect_spark: Spark
) -> Iterator[Lake]:
    """Tables of all kinds, each written once."""

    def write_by_java() -> None:
        for name, made in kinds.JAVA.items():
            java_paimon.ask("create", **made.created(f"kind_{name}"))
            for action, arguments in made.steps:
                java_paimon.ask(action, table=f"kind_{name}", **arguments)

    with ThreadPoolExecutor() as pool:
        written = pool.submit(write_by_java)
        spark_tables.write(paimon_spark, kinds.CONNECTOR)
        written.result()
    lakes = {"java": java_paimon.lake, "plain": paimon_spark.folder / "lake"}
    catalog = "spark.sql.catalog.java"
    settings = {catalog: "org.apache.paimon.spark.SparkCatalog", f"{catalog}.warehouse": lakes["java"].as_uri()}
    # CHAR values are compared as stored: without this setting, Spark pads columns that a connector declares as CHAR.
    settings["spark.sql.readSideCharPadding"] = "false"
    settings["spark.sql.ansi.enabled"] = "true"  # as in Spark 4: decimals without exponents
    paimon_spark.ask("configure", settings=settings)
    assert connect_spark.kind == "pyspark.sql.connect.session"
    roots = ", ".join(f'"{root}"' for root in lakes.values())
    with served(paimon_spark.folder / "server_of_kinds", ROOTS=f"[{roots}]") as running:
        for reading in NOW:
            location = lakes[reading.catalog] / "db.db" / reading.folder
            running.post("/tables", {"name": f"db.{reading.table}", "location": str(location)}, 201)
        sessions = dict(zip(SESSIONS, (spark, newest_spark, connect_spark), strict=True))
        yield Lake(java_paimon, paimon_spark, sessions, running)


@pytest.fixture(scope="module")
def answered(lake: Lake, request: pytest.FixtureRequest) -> Iterator[Answers]:
    """The answers of each session for each reading: sessions run concurrently, each with one query at a time."""
    with ExitStack() as stack:
        theirs, *pools = (stack.enter_context(ThreadPoolExecutor(1)) for _ in ("3.5", *SESSIONS))
        futures: Answers = {}

        def held(session: str, name: str) -> Answer:
            return lake.ours(session, READINGS[name], futures["3.5", name].result().types)

        own = [
            item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path
        ]
        for name in (str(item.callspec.params["name"]) for item in own):
            futures["3.5", name] = theirs.submit(lake.theirs, READINGS[name])
            for session, pool in zip(SESSIONS, pools, strict=True):
                if session in sessions_of(name) or request.config.getoption("full"):
                    futures[session, name] = pool.submit(held, session, name)
        yield futures


@pytest.mark.parametrize("name", READINGS)
def test_counts_and_checksums(answered: Answers, name: str) -> None:
    theirs = answered["3.5", name].result()
    ours = {session: answered[session, name].result() for session in SESSIONS if (session, name) in answered}
    assert len(ours) >= 2
    for session, answer in ours.items():
        assert answer.types == {column: theirs.types[column] for column in answer.types}, session
        assert answer.sums == {asked: theirs.sums[asked] for asked in answer.sums}, session
        assert session == FILTERED or list(answer.types) == list(theirs.types)
    assert theirs.sums["all"][0] or name == "postpone"
