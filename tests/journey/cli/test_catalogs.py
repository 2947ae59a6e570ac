"""Attached catalogs on the command line: their check, and tables whose names begin with a catalog's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from tests.journey.servers import lakemuster


@pytest.fixture
def catalogs(tmp_path: Path) -> str:
    """The setting with two catalogs: ``prod`` has one table, and ``gone`` does not respond."""
    uri = f"sqlite:///{tmp_path}/catalog.db"
    writer = SqlCatalog("prod", uri=uri, warehouse=f"file://{tmp_path}/lake")
    writer.create_namespace("shop")
    writer.create_table("shop.orders", Schema(NestedField(1, "id", LongType())))
    prod = {"type": "sql", "uri": uri, "roots": [f"{tmp_path}/lake"]}
    return json.dumps({"prod": prod, "gone": {"type": "rest", "uri": "http://127.0.0.1:9"}})


def test_one_catalog_is_checked(tmp_path: Path, catalogs: str) -> None:
    found = lakemuster(tmp_path, "catalogs", "check", "prod", "--json", CATALOGS=catalogs)
    assert (found.returncode, found.stderr) == (0, "")
    [row] = json.loads(found.stdout)
    assert (row["name"], row["reachable"], row["tables"], row["error"]) == ("prod", True, 1, None)
    assert row["synced_at"] is not None
    gone = lakemuster(tmp_path, "catalogs", "check", "gone", CATALOGS=catalogs)
    assert (gone.returncode, len(gone.stderr.splitlines())) == (1, 1)
    assert "gone" in gone.stdout
    assert gone.stderr == "lakemuster: the catalog gone does not answer: connection refused\n"
    assert lakemuster(tmp_path, "catalogs", "check", "none", CATALOGS=catalogs).returncode == 1
    assert lakemuster(tmp_path, "catalogs", "prod", CATALOGS=catalogs).returncode == 2
    every = lakemuster(tmp_path, "catalogs", "--json", CATALOGS=catalogs)
    assert (every.returncode, [row["name"] for row in json.loads(every.stdout)]) == (0, ["gone", "prod"])


def test_a_table_with_a_catalogs_name_can_be_removed(lakes: Path, tmp_path: Path, catalogs: str) -> None:
    shutil.copytree(lakes / "paimon/parquet/pk_09.db", tmp_path / "other" / "prod.db")
    refused = lakemuster(tmp_path, "discover", "other", CATALOGS=catalogs)
    assert refused.stdout.startswith("refused\tprod.pk_09\t")
    assert lakemuster(tmp_path, "discover", "other").stdout.startswith("registered\tprod.pk_09\t")
    failed = lakemuster(tmp_path, "files", "prod.pk_09", CATALOGS=catalogs)
    assert (failed.returncode, "remove the table" in failed.stderr) == (1, True), failed
    removed = lakemuster(tmp_path, "remove", "prod.pk_09", CATALOGS=catalogs)
    assert (removed.returncode, removed.stdout) == (0, "removed prod.pk_09\n")
    assert lakemuster(tmp_path, "catalogs", "check", "prod", CATALOGS=catalogs).returncode == 0


def test_a_table_in_another_spelling_of_its_location_exists(lakes: Path, tmp_path: Path) -> None:
    shutil.copytree(lakes / "paimon/parquet/pk_09.db", tmp_path / "lake" / "a.db")
    for place, outcome in (("lake", "registered"), ("lake/", "exists"), (f"file://{tmp_path}/lake", "exists")):
        found = lakemuster(tmp_path, "discover", place)
        assert found.stdout.startswith(f"{outcome}\ta.pk_09\t"), found
