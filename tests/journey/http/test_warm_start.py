"""A restarted server loads recently planned tables into its caches before it is ready."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import Running, served

DATA = pa.table({"id": pa.array(range(10), pa.int64())})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    made = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    made.create_namespace("db")
    for name in ("planned", "other"):
        made.create_table(f"db.{name}", DATA.schema).append(DATA)
    return tmp_path / "lake"


def cached(server: Running, cache: str) -> int:
    """Return the number of entries of a cache, from the metrics."""
    lines = server.http.get("/metrics").text.splitlines()
    found = [line for line in lines if line.startswith("lakemuster_cache_entries{") and f'"{cache}"' in line]
    return int(float(found[0].split()[-1])) if found else 0


@pytest.mark.parametrize(("seconds", "loaded"), [("60", 1), ("0", 0)])
def test_a_server_that_is_ready_has_loaded_recently_planned_tables(
    tmp_path: Path, lake: Path, seconds: str, loaded: int
) -> None:
    of = {"ROOTS": str(lake), "MAX_STALENESS": "3600", "WARM_UP_SECONDS": seconds, "ROLE": "api"}
    with served(tmp_path / "server", **of) as server:
        for name in ("planned", "other"):
            server.post("/tables", {"name": f"db.{name}", "location": f"{lake}/db/{name}"}, 201)
            server.post(f"/tables/db.{name}/refresh")
        assert len(server.post("/tables/db.planned/plan", {"filter": "id = 5"})["files"]) == 1
    with served(tmp_path / "server", **of) as server:
        assert (cached(server, "scan indexes"), cached(server, "views")) == (loaded, loaded)
        assert len(server.post("/tables/db.planned/plan", {"filter": "id = 6"})["files"]) == 1
        assert (cached(server, "scan indexes"), cached(server, "views")) == (1, 1)
