"""Tables that PyIceberg writes: its bounds of texts leave out row groups with long ones, and no row is lost."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.formats.iceberg.pyiceberg_bounds import MAX_RECORDED_BYTES
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

SHORT = ["f", "m"]
LONG = ["z" * (MAX_RECORDED_BYTES + 1)] * 2


@pytest.mark.parametrize(
    ("texts", "of_type"), [(SHORT + LONG, pa.string()), (LONG + SHORT, pa.string()), (SHORT + LONG, pa.binary())]
)
def test_rows_of_row_groups_without_bounds_are_planned(tmp_path: Path, texts: list[str], of_type: pa.DataType) -> None:
    writer = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    writer.create_namespace("db")
    data = pa.table({"v": pa.array(texts).cast(of_type), "n": pa.array(range(4), pa.int64())})
    properties = {"write.parquet.row-group-limit": "2"}
    writer.create_table("db.t", data.schema, properties=properties).append(data)
    (recorded,) = writer.load_table("db.t").inspect.files()["upper_bounds"].to_pylist()
    assert dict(recorded)[1] < b"z", "PyIceberg records bounds of all row groups now"

    def constant(text: str) -> str:
        return f"X'{text.encode().hex()}'" if of_type == pa.binary() else f"'{text}'"

    with catalog(settings(tmp_path)) as services:
        assert list(services.discover(f"{tmp_path}/lake/db", "db", (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

        def planned(condition: str) -> int:
            answer = http.post("/api/v1/tables/db.t/plan", json={"filter": condition})
            assert answer.status_code == 200, answer.text
            return len(answer.json()["files"])

        assert planned(f"v = {constant(LONG[0])}") == 1
        assert planned(f"v >= {constant('z')}") == 1
        assert planned(f"v NOT IN ({constant('f')}, {constant('m')})") == 1
        assert planned("v IS NULL") == 0
        assert planned("n > 3") == 0


def test_files_of_one_row_group_are_pruned_by_texts(tmp_path: Path) -> None:
    writer = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    writer.create_namespace("db")
    data = pa.table({"v": pa.array(SHORT)})
    writer.create_table("db.t", data.schema).append(data)
    with catalog(settings(tmp_path)) as services:
        assert list(services.discover(f"{tmp_path}/lake/db", "db", (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        for condition, files in (("v = 'g'", 1), ("v = 'z'", 0)):
            answer = http.post("/api/v1/tables/db.t/plan", json={"filter": condition})
            assert len(answer.json()["files"]) == files
