"""Figures of every real table and the demo's equal DuckDB's, computed in SQL from the list of files in Arrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

ARROW = "application/vnd.apache.arrow.stream"
SIDES = ("lower_bounds", "upper_bounds")
NUMBERS = ("long", "int", "BIGINT", "INT")
ASK = """
import duckdb

BUCKET = "pow(2, floor(log2(bytes)))::BIGINT"
QUANTILES = "min({0}), " + ", ".join(f"quantile_disc({{0}}, {q})" for q in (0.5, 0.9, 0.99)) + ", max({0})"

def main(files, bounds):
    connection, answers = duckdb.connect(), {}
    for name, path in files.items():
        ask = lambda query: connection.execute(query).fetchall()
        connection.execute(f"CREATE OR REPLACE VIEW d AS FROM '{path}' WHERE content = 'data'")
        groups = "(SELECT count(*) AS files, sum(bytes)::BIGINT AS bytes FROM d GROUP BY spec_id, partition)"
        answers[name] = {
            "totals": ask("SELECT count(*), sum(records)::BIGINT, sum(bytes)::BIGINT FROM d"),
            "histogram": ask(f"SELECT {BUCKET} AS b, count(*), sum(bytes)::BIGINT FROM d GROUP BY b ORDER BY b"),
            "partitions": ask(f"SELECT count(*) FROM {groups}"),
            "files": ask(f"SELECT {QUANTILES.format('files')} FROM {groups}"),
            "bytes": ask(f"SELECT {QUANTILES.format('bytes')} FROM {groups}"),
        }
    overlap = {}
    for name, path in bounds.items():
        depth = f"(SELECT a.lower AS v, (SELECT count(*) FROM '{path}' b WHERE coalesce(b.lower <= a.lower, true)"
        depth += f" AND coalesce(a.lower <= b.upper, true)) AS n FROM '{path}' a WHERE a.lower IS NOT NULL)"
        query = f"SELECT count(*), avg(n), quantile_disc(n, 0.99), max(n), min(v) FILTER (n = m) "
        overlap[name] = connection.execute(query + f"FROM (SELECT *, max(n) OVER () AS m FROM {depth})").fetchall()
    return [answers, overlap]
"""


@pytest.fixture(scope="module")
def services(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("figures")
    demo = unpack(folder / "demo")
    with catalog(settings(folder, max_staleness=3600.0)) as made:
        for root in (demo, lakes / "iceberg", lakes / "paimon"):
            rules = (("data/persistent", str(lakes / "iceberg")),)
            assert list(made.discover(str(root), None, rules, operator=True))
        yield made


def test_figures_are_duckdbs(services: Services, run_duckdb: Callable[..., Any], tmp_path: Path) -> None:
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
    files, bounds, found, depths = {}, {}, {}, {}
    for table in services.tables():
        url = f"/api/v1/tables/{table.name}"
        answer = http.get(f"{url}/files", params={"stats": "*"}, headers={"Accept": ARROW})
        if answer.status_code != 200:
            continue
        listed = pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()
        files[table.name] = str(tmp_path / f"{table.name}.parquet")
        pq.write_table(plain(listed), files[table.name])
        found[table.name] = http.get(f"{url}/stats").json()
        for column in http.get(f"{url}/columns").json()["columns"]:
            name = f"{table.name}-{column['column']}"
            own = of_column(listed, column["column"]) if column["type"].split()[0] in NUMBERS else None
            is_listed = column["value_files"] == column["files"] and "alter_table" not in table.name
            if own is not None and is_listed:
                bounds[name], depths[name] = str(tmp_path / f"{name}.parquet"), column["overlap"]
                pq.write_table(own, bounds[name])
    # Tables with changed columns are excluded: the list shows bounds by name, which another column may have had.
    answers, overlap = run_duckdb(ASK, files=files, bounds=bounds)
    assert len(answers) > 25
    assert len(overlap) > 20
    for name, theirs in answers.items():
        assert theirs == {key: [list(row) for row in rows] for key, rows in ours(found[name]).items()}, name
    for name, [[samples, mean, p99, most, at]] in overlap.items():
        own = depths[name]
        assert [samples, p99, most, at] == [own["samples"], own["p99"], own["max"], own["max_at"]], name
        assert mean == pytest.approx(own["mean"]) if samples else own["mean"] is None, name


def plain(listed: pa.Table) -> pa.Table:
    """Return the columns of files that DuckDB's queries need, with partitions as text."""
    return pa.table(
        {
            "content": listed.column("content"),
            "spec_id": listed.column("spec_id"),
            "partition": pa.array([str(value) for value in listed.column("partition").to_pylist()]),
            "records": listed.column("record_count"),
            "bytes": listed.column("file_size_in_bytes"),
        }
    )


def of_column(listed: pa.Table, name: str) -> pa.Table | None:
    """Return a column's bounds in data files; None if no file has a lower bound."""
    rows = [row for row in listed.select(["content", *SIDES]).to_pylist() if row["content"] == "data"]
    sides = [[(row[side] or {}).get(name) for row in rows] for side in SIDES]
    if all(value is None for value in sides[0]):
        return None
    return pa.table({"lower": pa.array(sides[0], pa.int64()), "upper": pa.array(sides[1], pa.int64())})


def ours(found: dict[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    totals, partitions = found["totals"], found["partitions"]
    return {
        "totals": [(totals["data_files"], totals["records"], totals["bytes"])],
        "histogram": [
            (of["from_bytes"], of["files"], of["bytes"]) for of in found["file_size_histogram"] if of["files"]
        ],
        "partitions": [(partitions["count"],)],
        "files": [tuple(partitions["files"].values())],
        "bytes": [tuple(partitions["bytes"].values())],
    }
