"""A table that Delta Lake's UniForm writes: its bounds of timestamps are cut to milliseconds, and no row is lost."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

CUT = dt.datetime.fromisoformat("2026-08-10T20:04:53.080")
"""The recorded bound; the row has 758 microseconds more."""


@pytest.mark.parametrize(("properties", "files"), [({"delta-version": "5", "delta-timestamp": "1"}, 1), ({}, 0)])
def test_the_file_of_a_row_above_a_cut_bound_is_planned(tmp_path: Path, properties: dict[str, str], files: int) -> None:
    writer = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    writer.create_namespace("db")
    data = pa.table({"at": pa.array([CUT], pa.timestamp("us"))})
    writer.create_table("db.t", data.schema, properties=properties).append(data)
    with catalog(settings(tmp_path)) as services:
        assert list(services.discover(f"{tmp_path}/lake/db", "db", (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

        def planned(condition: str) -> int:
            answer = http.post("/api/v1/tables/db.t/plan", json={"filter": condition})
            assert answer.status_code == 200, answer.text
            return len(answer.json()["files"])

        assert planned("at = TIMESTAMP '2026-08-10 20:04:53.080758'") == files
        assert planned("at != TIMESTAMP '2026-08-10 20:04:53.080'") == files
        assert planned("at > TIMESTAMP '2026-08-10 20:04:53.080999'") == 0
        assert planned("at < TIMESTAMP '2026-08-10 20:04:53.080'") == 0
