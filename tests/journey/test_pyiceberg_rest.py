"""Unmodified PyIceberg on the Iceberg REST catalog of a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    RESTError,
    UnauthorizedError,
)
from pyiceberg.table import DataScan, Table

from lakemuster.api.identity.tokens import token_entry
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_pyiceberg_answers import SPECS, write

TOKEN = "a token of the tokens file"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Table]]:
    """A folder with tables of one namespace, and the tables."""
    folder = tmp_path_factory.mktemp("rest")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    tables = {f"db.{name}_v2": write(catalog, name, spec, 2) for name, spec in SPECS.items()}
    tables["db.plain_v2"].manage_snapshots().create_tag(
        tables["db.plain_v2"].history()[0].snapshot_id, "first"
    ).commit()
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    return folder, {name: table.refresh() for name, table in tables.items()}


@pytest.fixture(scope="module")
def running(lake: tuple[Path, dict[str, Table]]) -> Iterator[Running]:
    with served(lake[0]) as server:
        yield server


@pytest.fixture(scope="module")
def catalog(running: Running) -> RestCatalog:
    return RestCatalog("muster", uri=f"{running.uri}/iceberg")


def test_names(catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]) -> None:
    assert catalog.list_namespaces() == [("db",)]
    assert catalog.list_namespaces("db") == []
    assert catalog.namespace_exists("db")
    assert catalog.load_namespace_properties("db") == {}
    assert {".".join(name) for name in catalog.list_tables("db")} == set(lake[1])
    assert catalog.list_views("db") == []
    assert catalog.table_exists("db.plain_v2")
    for name in ("db.none", "none.plain_v2", ("db", "a/b"), ("db", "ä b")):
        assert not catalog.table_exists(name)
        with pytest.raises(NoSuchTableError):
            catalog.load_table(name)
    assert not catalog.namespace_exists("none")
    for ask in (catalog.list_namespaces, catalog.list_tables, catalog.load_namespace_properties):
        with pytest.raises(NoSuchNamespaceError):
            ask("none")
    with pytest.raises(NoSuchViewError):
        catalog.load_view("db.none")
    assert not catalog.view_exists("db.plain_v2")


def test_pages(running: Running, lake: tuple[Path, dict[str, Table]]) -> None:
    catalog = RestCatalog("muster", uri=f"{running.uri}/iceberg", **{"rest-page-size": "1"})
    assert {".".join(name) for name in catalog.list_tables("db")} == set(lake[1])


def test_a_loaded_table_is_the_table(catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]) -> None:
    for name, table in lake[1].items():
        loaded = catalog.load_table(name)
        assert loaded.metadata == table.metadata
        assert loaded.metadata_location.removeprefix("file://") == table.metadata_location.removeprefix("file://")


def test_snapshots_of_refs(running: Running, lake: tuple[Path, dict[str, Table]]) -> None:
    catalog = RestCatalog("muster", uri=f"{running.uri}/iceberg", **{"snapshot-loading-mode": "refs"})
    whole = lake[1]["db.plain_v2"]
    loaded = catalog.load_table("db.plain_v2")
    assert {snapshot.snapshot_id for snapshot in loaded.metadata.snapshots} == {
        ref.snapshot_id for ref in whole.metadata.refs.values()
    }
    assert len(loaded.metadata.snapshots) < len(whole.metadata.snapshots)
    assert loaded.current_snapshot() == whole.current_snapshot()


def test_rows_planned_by_the_client(catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]) -> None:
    for name, table in lake[1].items():
        scan = catalog.load_table(name).scan("id < 20", selected_fields=("id", "name"))
        rows = _planned_locally(scan)
        assert rows.sort_by("id").equals(table.scan("id < 20", selected_fields=("id", "name")).to_arrow().sort_by("id"))
        assert rows.num_rows == 13


def _planned_locally(scan: DataScan) -> pa.Table:
    """Return the rows of a scan that the client plans itself."""
    scan.catalog = None
    found: pa.Table = scan.to_arrow()
    return found


def test_a_commit_is_seen_and_an_unchanged_table_is_not_sent_again(
    running: Running, catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]
) -> None:
    table = lake[1]["db.by_day_v2"]
    path = "/iceberg/v1/namespaces/db/tables/by_day_v2"
    first = running.http.get(path)
    again = running.http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    table.delete("id = 1")
    assert catalog.load_table("db.by_day_v2").metadata == table.refresh().metadata
    changed = running.http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (changed.status_code, changed.headers["etag"] != first.headers["etag"]) == (200, True)


def test_writes_are_refused(catalog: RestCatalog) -> None:
    for write_something in (
        lambda: catalog.create_namespace("new"),
        lambda: catalog.drop_namespace("db"),
        lambda: catalog.drop_table("db.plain_v2"),
        lambda: catalog.create_table("db.new", pa.schema([("id", pa.int64())])),
        lambda: catalog.load_table("db.plain_v2").delete("id = 0"),
    ):
        with pytest.raises(NotImplementedError, match="does not support endpoint"):
            write_something()


def test_a_client_that_does_not_look_at_the_endpoints_is_told_the_same(catalog: RestCatalog, running: Running) -> None:
    answer = running.http.post("/iceberg/v1/namespaces", json={"namespace": ["new"], "properties": {}})
    assert (answer.status_code, answer.json()["error"]["type"]) == (406, "UnsupportedOperationException")


def test_tokens(lake: tuple[Path, dict[str, Table]], tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(
        token_entry("reader", TOKEN, "read", ["db"]) + token_entry("other", "other", "read", ["elsewhere"])
    )
    with served(lake[0], TOKENS=str(tokens)) as server:
        uri = f"{server.uri}/iceberg"
        reader = RestCatalog("muster", uri=uri, token=TOKEN)
        assert reader.load_table("db.plain_v2").metadata == lake[1]["db.plain_v2"].metadata
        other = RestCatalog("muster", uri=uri, token="other")
        assert other.list_namespaces() == []
        assert not other.table_exists("db.plain_v2")
        with pytest.raises(NoSuchTableError):
            other.load_table("db.plain_v2")
        with pytest.raises(UnauthorizedError):
            RestCatalog("muster", uri=uri, token="wrong")
        with pytest.raises(UnauthorizedError):
            RestCatalog("muster", uri=uri)
        with pytest.raises(RESTError, match="bearer token"):
            RestCatalog("muster", uri=uri, credential="me:hush")
    assert TOKEN not in server.log.read_text()
    assert "hush" not in server.log.read_text()
