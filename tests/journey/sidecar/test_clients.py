"""Clients write and read through the server in front of the fixture and of Nessie, and read the same directly.

The server's plans are counted. Nessie redirects its clients to itself by ``uri`` and ``prefix``, and vends credentials
of moto's STS; the server itself has no credentials for the store. Spark's runtime has no S3 client, so it is tested
with the fixture only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.types import StringType

from tests.counterparts.iceberg_rest import iceberg_rest_server
from tests.counterparts.nessie import WAREHOUSE, Nessie
from tests.duckdb import CONNECTED
from tests.journey.java_engines import trino_rows, trino_server
from tests.journey.servers import Running, served
from tests.polling import until
from tests.spark import Rows, Spark

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
PLANS = re.compile(r'lakemuster_requests_total\{method="POST",route="[^"]*/plan",status="200"\} (\d+)')
DUCKDB = (
    CONNECTED
    + """
def main(uri, secret, statements):
    connection = connected()
    if secret:
        connection.execute(secret)
    connection.execute(
        f"ATTACH 'prod' AS side (TYPE iceberg, ENDPOINT '{uri}', AUTHORIZATION_TYPE none, ACCESS_DELEGATION_MODE none)"
    )
    return [sorted(connection.execute(statement).fetchall(), key=str) for statement in statements]
"""
)


@dataclass(frozen=True)
class Side:
    """A catalog with a server in front of it.

    Attributes:
        past: properties of a PyIceberg client of the catalog itself.
        secret: DuckDB's statement that opens the storage; empty if it is local.
        storage: PyIceberg's properties of the storage, for Trino; empty if it is local.
    """

    running: Running
    past: dict[str, str]
    secret: str = ""
    storage: dict[str, str] = field(default_factory=dict)

    @property
    def through(self) -> dict[str, str]:
        """Properties of a client of the server."""
        return {"uri": f"{self.running.uri}/iceberg", "warehouse": "prod"}

    def plans(self) -> int:
        """Return the number of successful plans in the server's metrics."""
        return sum(map(int, (float(n) for n in PLANS.findall(httpx.get(f"{self.running.uri}/metrics").text))))

    def rows(self, name: str, *, branch: str | None = None) -> list[dict[str, Any]]:
        """Return a table's rows; check that they are the same directly and through the server, which plans once."""
        found = []
        before = self.plans()
        for properties in (self.through, self.past):
            scan = RestCatalog("reader", **properties).load_table(name).scan()
            scan = scan if branch is None else scan.use_ref(branch)
            found.append(sorted(scan.to_arrow().to_pylist(), key=str))
        # A request is counted after its response.
        until(lambda: self.plans() > before)
        assert self.plans() == before + 1
        assert found[0] == found[1]
        return found[0]


@pytest.fixture(scope="module", params=["fixture", "nessie"])
def side(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    folder = tmp_path_factory.mktemp("side")
    settings = {"MAX_STALENESS": "3600"}
    with ExitStack() as stack:
        if request.param == "fixture":
            (folder / "upstream").mkdir()
            upstream = stack.enter_context(iceberg_rest_server(folder / "upstream"))
            past, secret, storage = {"uri": upstream.uri, "warehouse": upstream.warehouse}, "", {}
            properties: dict[str, Any] = {"roots": [upstream.warehouse]}
        else:
            nessie: Nessie = request.getfixturevalue("nessie")
            s3 = nessie.s3
            past = {"uri": nessie.uri, "warehouse": WAREHOUSE}
            properties = {"roots": [s3.url], "vended": True}
            settings["STORAGE"] = orjson.dumps({"s3": {"endpoint_url": s3.endpoint_url}}).decode()
            secret = (
                f"CREATE SECRET (TYPE s3, KEY_ID '{s3.key}', SECRET '{s3.secret}', REGION 'us-east-1', "
                f"ENDPOINT '{s3.endpoint_url.removeprefix('http://')}', URL_STYLE 'path', USE_SSL false)"
            )
            storage = {
                "s3.endpoint": s3.endpoint_url,
                "s3.access-key-id": s3.key,
                "s3.secret-access-key": s3.secret,
                "s3.region": "us-east-1",
            }
        settings["CATALOGS"] = orjson.dumps({"prod": {"type": "rest", **past, **properties}}).decode()
        running = stack.enter_context(served(folder / "server", **settings))
        yield Side(running, past, secret, storage)


def test_pyiceberg_writes_and_reads_through_us(side: Side) -> None:
    catalog = RestCatalog("writer", **side.through)
    catalog.create_namespace("py")
    name = "py.orders"
    table = catalog.create_table(name, pa.schema([("id", pa.int64()), ("kind", pa.string())]))
    assert side.rows(name) == []
    table.append(numbers(range(10)))
    assert len(side.rows(name)) == 10
    table.delete("id >= 8")
    assert [row["id"] for row in side.rows(name)] == list(range(8))
    table.upsert(numbers(range(6, 10), "new"), join_cols=["id"])
    assert [row["kind"] for row in side.rows(name)] == ["old"] * 6 + ["new"] * 4
    if not side.secret:
        # Nessie 0.99 requires `last-column-id`, which PyIceberg does not send, and has branches of its own.
        evolve(side, catalog, name)
    # The native API uses the catalog's names.
    assert side.running.get(f"/tables/prod.{name}")["name"] == f"prod.{name}"
    catalog.drop_table(name)
    assert side.running.http.get(f"/api/v1/tables/prod.{name}/files").status_code == 404
    assert catalog.list_tables("py") == []


def numbers(values: range, kind: str = "old") -> pa.Table:
    return pa.table({"id": pa.array(values, pa.int64()), "kind": [kind] * len(values)})


def evolve(side: Side, catalog: RestCatalog, name: str) -> None:
    table = catalog.load_table(name)
    with table.update_schema() as update:
        update.add_column("note", StringType())
        update.rename_column("kind", "sort")
    assert set(side.rows(name)[0]) == {"id", "sort", "note"}
    snapshot = table.refresh().current_snapshot()
    assert snapshot is not None
    table.manage_snapshots().create_branch(snapshot.snapshot_id, "audit").commit()
    more = pa.table({"id": pa.array([99], pa.int64())})
    catalog.load_table(name).append(more, branch="audit")
    assert (len(side.rows(name)), len(side.rows(name, branch="audit"))) == (10, 11)


@pytest.mark.parametrize("side", ["fixture"], indirect=True)
def test_spark_writes_and_reads_through_us(side: Side, spark: Spark) -> None:
    name = "attached.sp.orders"
    settings = {"type": "rest", **side.through, "cache-enabled": "false"}
    named = {f"spark.sql.catalog.attached.{key}": value for key, value in settings.items()}
    spark.ask("configure", settings={"spark.sql.catalog.attached": "org.apache.iceberg.spark.SparkCatalog"} | named)
    spark.sql("CREATE NAMESPACE attached.sp")
    spark.sql(f"CREATE TABLE {name} (id BIGINT, kind STRING) TBLPROPERTIES ('format-version'='2', {DELTAS})")

    def read(where: str = "true", ref: str = "") -> Rows:
        before = side.plans()
        rows = spark.sql(f"SELECT id FROM {name}{ref} WHERE {where} ORDER BY id")
        until(lambda: side.plans() > before)
        return sorted(row[0] for row in rows)

    spark.sql(f"INSERT INTO {name} SELECT id, 'old' FROM range(10)")
    assert read() == list(range(10))
    spark.sql(f"DELETE FROM {name} WHERE id >= 8")
    assert read() == list(range(8))
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT id FROM range(6, 12)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET kind = 'new' WHEN NOT MATCHED THEN INSERT (id, kind) VALUES (s.id, 'new')"
    )
    assert (read(), read("kind = 'new'")) == (list(range(12)), list(range(6, 12)))
    spark.sql(f"ALTER TABLE {name} ADD COLUMN note STRING")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN kind TO sort")
    spark.sql(f"UPDATE {name} SET note = 'x' WHERE id < 2")
    assert read("note = 'x'") == [0, 1]
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH audit")
    spark.sql(f"INSERT INTO {name}.branch_audit VALUES (99, 'new', NULL)")
    assert (len(read()), len(read(ref=" VERSION AS OF 'audit'"))) == (12, 13)
    assert sorted(row["id"] for row in side.rows("sp.orders")) == list(range(12))
    spark.sql(f"DROP TABLE {name}")
    assert side.running.http.get("/api/v1/tables/prod.sp.orders/files").status_code == 404


DELTAS = ", ".join(f"'write.{verb}.mode'='merge-on-read'" for verb in ("delete", "update", "merge"))


def test_duckdb_writes_and_reads_through_us(side: Side, run_duckdb: Callable[..., Any]) -> None:
    catalog = RestCatalog("writer", **side.through)
    catalog.create_namespace("du")
    catalog.create_table("du.orders", pa.schema([("id", pa.int64()), ("kind", pa.string())]))
    statements = [
        "INSERT INTO side.du.orders SELECT range, 'old' FROM range(10)",
        "SELECT count(*), sum(id) FROM side.du.orders",
    ]
    if side.secret:
        # On local storage, DuckDB creates no folder for a new table.
        statements += [
            "CREATE TABLE side.du.made AS SELECT range AS id FROM range(5)",
            "SELECT count(*) FROM side.du.made",
            "DROP TABLE side.du.made",
        ]
    answers = run_duckdb(DUCKDB, uri=f"{side.running.uri}/iceberg", secret=side.secret, statements=statements)
    assert answers[1] == [[10, 45]]
    assert not side.secret or answers[3] == [[5]]
    assert [row["id"] for row in side.rows("du.orders")] == list(range(10))
    assert side.running.http.get("/api/v1/tables/prod.du.made/files").status_code == 404


def test_trino_writes_and_reads_through_us(side: Side, tmp_path_factory: pytest.TempPathFactory) -> None:
    catalog = {
        "iceberg.rest-catalog.uri": side.through["uri"],
        "iceberg.rest-catalog.warehouse": side.through["warehouse"],
    }
    with trino_server(catalog, side.storage, tmp_path_factory) as client:

        def ask(statement: str) -> list[list[Any]]:
            return trino_rows(client, statement.format(table="muster.tr.orders"))

        def ids(where: str = "true") -> list[int]:
            return [row[0] for row in ask(f"SELECT id FROM {{table}} WHERE {where} ORDER BY id")]

        ask("CREATE SCHEMA muster.tr")
        ask("CREATE TABLE {table} (id BIGINT, kind VARCHAR) WITH (format_version = 2)")
        ask("INSERT INTO {table} SELECT id, 'old' FROM UNNEST(sequence(0, 9)) AS s(id)")
        assert ids() == list(range(10))
        ask("DELETE FROM {table} WHERE id >= 8")
        assert ids() == list(range(8))
        ask(
            "MERGE INTO {table} t USING (SELECT id FROM UNNEST(sequence(6, 11)) AS s(id)) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET kind = 'new' WHEN NOT MATCHED THEN INSERT (id, kind) VALUES (s.id, 'new')"
        )
        assert (ids(), ids("kind = 'new'")) == (list(range(12)), list(range(6, 12)))
        ask("ALTER TABLE {table} ADD COLUMN note VARCHAR")
        ask("ALTER TABLE {table} RENAME COLUMN kind TO sort")
        ask("UPDATE {table} SET note = 'x' WHERE id < 2")
        assert ids("note = 'x'") == [0, 1]
        # Trino plans by itself; PyIceberg reads Trino's rows by the server's plan.
        notes = {row["id"]: row["note"] for row in side.rows("tr.orders")}
        assert notes == {n: "x" if n < 2 else None for n in range(12)}
        ask("DROP TABLE {table}")
        assert side.running.http.get("/api/v1/tables/prod.tr.orders/files").status_code == 404
