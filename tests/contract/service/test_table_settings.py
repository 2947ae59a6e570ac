"""Table settings by pattern affect looks, indexing and responses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.api.app import create_app
from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from lakemuster.table_settings import THRESHOLDS, HealthSettings, TableSettings, ThresholdSettings
from tests.contract.service.backends import catalog, settings

DATA = pa.table({"id": pa.array(range(10), pa.int64()), "x": pa.array([1.0] * 10)})


@pytest.fixture
def lake(tmp_path: Path) -> SqlCatalog:
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    for namespace in ("shop", "web"):
        iceberg.create_namespace(namespace)
        for name in ("a", "b"):
            table = iceberg.create_table(f"{namespace}.{name}", DATA.schema)
            for _ in range(4):
                table.append(DATA)
    return iceberg


@pytest.fixture(params=["sqlite", "postgres"])
def services(request: pytest.FixtureRequest, tmp_path: Path, lake: SqlCatalog) -> Iterator[Services]:
    tables = {
        "*": TableSettings(history=3),
        "shop.*": TableSettings(staleness=0, nan="greatest", spark_catalog="prod"),
        "shop.b": TableSettings(history=0, watch=7, health=HealthSettings(skew=ThresholdSettings(warning=3))),
    }
    url = f"sqlite:///{tmp_path}/index.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    Database(url).migrate()
    of = settings(tmp_path, database_url=url, roots=(f"{tmp_path}/lake",), max_staleness=3600.0, tables=tables)
    with catalog(of) as made:
        for name in ("shop.a", "shop.b", "web.a", "web.b"):
            made.add(name, f"{tmp_path}/lake/{name.replace('.', '/')}", None, ())
            made.refresh(name)
        yield made


def published(services: Services, name: str) -> int:
    table = services.table(name)
    return sum(record.state == "published" for record in services.known_snapshots(table, "main"))


def test_a_refresh_indexes_as_many_snapshots_as_the_tables_history(services: Services) -> None:
    assert [published(services, name) for name in ("web.a", "shop.a", "shop.b")] == [3, 3, 1]


def test_only_a_table_with_zero_staleness_is_read_for_every_request(services: Services, lake: SqlCatalog) -> None:
    before = {name: services.view(name).snapshot_id for name in ("shop.a", "web.a")}
    for name in before:
        lake.load_table(name).append(DATA)
    assert services.view("shop.a").snapshot_id != before["shop.a"]
    assert services.view("web.a").snapshot_id == before["web.a"]


def test_the_settings_of_a_table_are_shown_and_apply_to_its_plans(services: Services) -> None:
    with TestClient(create_app(services), base_url="http://127.0.0.1:8181") as http:
        shown = {name: http.get(f"/api/v1/tables/{name}").json()["settings"] for name in ("shop.b", "web.b")}
        health = {name: settings.pop("health") for name, settings in shown.items()}
        assert health["web.b"]["thresholds"] == {name: asdict(one) for name, one in THRESHOLDS.items()}
        assert health["web.b"]["least_files"] == 10
        assert health["shop.b"]["thresholds"]["skew"] == {"warning": 3.0, "critical": 100.0}
        assert shown["shop.b"] == {
            "staleness": 0.0,
            "history": 0,
            "nan": "greatest",
            "watch": 7.0,
            "target_file_size": None,
            "partition_ready": [],
            "spark_catalog": "prod",
        }
        assert shown["web.b"] == {
            "staleness": 3600.0,
            "history": 3,
            "nan": "any",
            "watch": None,
            "target_file_size": None,
            "partition_ready": [],
            "spark_catalog": None,
        }
        # Under `greatest` a file without counts of NaN may hold values above any bound.
        body = {"filter": "x > 5"}
        plans = {name: http.post(f"/api/v1/tables/{name}/plan", json=body).json() for name in shown}
        own = http.post("/api/v1/tables/web.b/plan", json={**body, "nan": "greatest"}).json()
        assert plans["shop.b"]["counts"] == own["counts"]
        none = http.post("/api/v1/tables/shop.b/plan", json={**body, "nan": "none"}).json()
        assert none["counts"]["files"] == 0 < plans["shop.b"]["counts"]["files"]
