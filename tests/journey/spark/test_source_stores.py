"""Spark's executors read tables on Google Cloud Storage and Azure with the options of ``LAKEMUSTER_STORAGE``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.counterparts import azure_blobs, google_storage
from tests.journey.servers import Running, served
from tests.journey.spark.indexing import Driver, driver

ROWS = 1_000
KINDS = ("google", "azure")
FSSPEC = "pyiceberg.io.fsspec.FsspecFileIO"


@pytest.fixture(scope="module")
def storage(google_endpoint: str, azure_endpoint: str) -> dict[str, dict[str, Any]]:
    """The STORAGE setting for both emulators."""
    gs = {"endpoint_url": google_endpoint, "token": "anon", "project": "lakes"}
    return {"gs": gs, "abfs": {"connection_string": azure_blobs.connection_string(azure_endpoint)}}


@pytest.fixture(scope="module")
def tables(google_endpoint: str, azure_endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The root of a table of two commits on each store, written by PyIceberg."""
    properties = {
        "google": {"gcs.service.host": google_endpoint, "gcs.oauth2.token": "anon", "gcs.project-id": "lakes"},
        "azure": {"adls.connection-string": azure_blobs.connection_string(azure_endpoint)},
    }
    roots = {
        "google": f"{google_storage.new_bucket(google_endpoint).url}/t",
        "azure": f"{azure_blobs.new_container(azure_endpoint).url}/t",
    }
    for kind, root in roots.items():
        catalog = SqlCatalog(
            "c",
            uri=f"sqlite:///{tmp_path_factory.mktemp('catalog')}/c.db",
            warehouse=root,
            **{"py-io-impl": FSSPEC, **properties[kind]},
        )
        catalog.create_namespace("db")
        schema = pa.schema([("id", pa.int64()), ("name", pa.string())])
        table = catalog.create_table("db.t", schema, location=root)
        for start in (0, ROWS):
            ids = range(start, start + ROWS)
            table.append(pa.table({"id": list(ids), "name": [f"{kind} {number}" for number in ids]}, schema=schema))
    return roots


@pytest.fixture(scope="module")
def server(
    storage: dict[str, dict[str, Any]], tables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A server with both tables."""
    settings = {"STORAGE": json.dumps(storage), "ROOTS": ",".join(tables.values())}
    with served(tmp_path_factory.mktemp("server"), **settings) as running:
        for kind, root in tables.items():
            running.post("/tables", {"name": f"shop.{kind}", "location": root}, 201)
        yield running


@pytest.fixture(scope="module")
def spark(storage: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A session on two cores whose executors have the setting."""
    folder: Path = tmp_path_factory.mktemp("driver")
    with driver("local[2]", folder, storage) as running:
        yield running


def test_executors_read_the_rows_of_a_store(spark: Driver, server: Running) -> None:
    load = {"uri": server.uri, "where": f"id >= {ROWS - 2} and id < {ROWS + 1}"}
    answers = spark.call([("load", {**load, "table": f"shop.{kind}"}) for kind in KINDS])
    for kind, answer in zip(KINDS, answers, strict=True):
        expected = [[number, f"{kind} {number}"] for number in range(ROWS - 2, ROWS + 1)]
        assert answer["rows"] == sorted(expected, key=json.dumps)
