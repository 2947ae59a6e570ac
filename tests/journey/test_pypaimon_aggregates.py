"""Aggregates of Paimon tables of every kind, pypaimon's own and real ones with deletion vectors: what is exact is
DuckDB's answer over the rows that pypaimon reads, and intervals hold it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from pyarrow import feather

from lakemuster.caching import MEMORY
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.journey.aggregate_truth import TRUTH, Ask, Columns, Compared, Question, violations
from tests.journey.test_pypaimon_rows import NAMES, READ, WRITE
from tests.unit.planner.paimon.oracle.planted_aggregates import PLANTED_AGGREGATES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
FILTERS = int(os.environ.get("MUSTER_AGGREGATES", "300"))
"""Over all tables; each with count, and the extremes and nulls of three columns."""
# pypaimon reads nothing of a postponed table, whose files are not sorted into buckets yet.
WRITTEN = sorted(set(NAMES) - {"postponed"})
REAL = ["pk_table_scan_and_read_dv", "pk_table_scan_and_read_mor", "pk_table_with_alter_table"]
"""Tables of Java's writers that pypaimon reads."""
MORE = """
import math, random
import pyarrow as pa
from pyarrow import feather
from pypaimon import CatalogFactory, Schema

FLOATS = pa.schema([("id", pa.int64()), ("part", pa.int32()), ("small", pa.float32()), ("large", pa.float64())])

def value(dice):
    return dice.choice([None, math.nan, -0.5, 0.0, 1.5, 2.0])

def main(warehouse, folder, real):
    catalog, dice = CatalogFactory.create({"warehouse": warehouse}), random.Random(1)
    for name, mode in (("floats", "full"), ("unknown", "none")):
        schema = Schema.from_pyarrow_schema(FLOATS, partition_keys=["part"], options={"metadata.stats-mode": mode})
        catalog.create_table(f"db.{name}", schema, False)
        builder = catalog.get_table(f"db.{name}").new_batch_write_builder()
        for start in range(0, 40, 8):
            rows = [
                {"id": at, "part": start // 16, "small": value(dice), "large": 1.0 if start == 8 else value(dice)}
                for at in range(start, start + 8)
            ]
            writer, commit = builder.new_write(), builder.new_commit()
            writer.write_arrow(pa.Table.from_pylist(rows, schema=FLOATS))
            commit.commit(writer.prepare_commit())
            writer.close()
            commit.close()
            builder = catalog.get_table(f"db.{name}").new_batch_write_builder()
    for name in ["floats", "unknown", *real]:
        builder = catalog.get_table(f"db.{name}").new_read_builder()
        found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        feather.write_feather(found, f"{folder}/{name}.feather", "uncompressed")
"""
TABLES = [*WRITTEN, "floats", "unknown", *REAL]


@pytest.fixture(scope="module")
def lake(lakes: Path, run_pypaimon: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aggregates")
    warehouse = folder / "lake"
    run_pypaimon(WRITE, action="write", warehouse=str(warehouse))
    assert run_pypaimon(READ, warehouse=str(warehouse), folder=str(folder), names=NAMES) == {}
    for name in REAL:
        shutil.copytree(lakes / "paimon" / "parquet" / f"{name}.db" / name, warehouse / "db.db" / name)
    run_pypaimon(MORE, warehouse=str(warehouse), folder=str(folder), real=REAL)
    for name in TABLES:
        pq.write_table(feather.read_table(folder / f"{name}.feather"), folder / f"{name}.parquet")
    return folder


@pytest.fixture(scope="module")
def ask(lake: Path) -> Iterator[Ask]:
    with catalog(settings(lake, max_staleness=3600.0)) as services:
        assert list(services.discover(str(lake / "lake"), None, (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

        def asked(table: str, body: dict[str, Any]) -> dict[str, Any]:
            answer = http.post(f"/api/v1/tables/db.{table}/statistics", json=body)
            assert answer.status_code == 200, (table, body, answer.text)
            found: dict[str, Any] = answer.json()
            return found

        yield asked


@pytest.fixture(scope="module")
def truth(lake: Path, run_duckdb: Callable[..., Any]) -> tuple[list[Question], dict[str, Any]]:
    sources = {name: f"read_parquet('{lake / f'{name}.parquet'}')" for name in TABLES}
    found = run_duckdb(TRUTH, sources=sources, questions=[])
    each = -(-FILTERS // len(TABLES))
    questions = [
        question
        for number, name in enumerate(TABLES)
        for question in islice(
            Columns(found["columns"][name], found["values"][name]).questions(name, Random(number)), each
        )
    ]
    asked = [[one.table, one.where, one.columns] for one in questions]
    return questions, run_duckdb(TRUTH, sources=sources, questions=asked)


UNSEEN = {"a vector of unknown size is empty"}
"""Writers of today record every size."""


def test_exact_answers_are_duckdbs_and_intervals_hold_them(
    ask: Ask, truth: tuple[list[Question], dict[str, Any]]
) -> None:
    seen = Compared({}, {})
    assert not list(islice(violations(ask, *truth, seen), 5))
    assert len(truth[0]) >= FILTERS
    for function, share in {"count": 0.1, "null_count": 0.1, "min": 0.05, "max": 0.05}.items():
        exact, intervals = seen.exact[function], seen.intervals[function]
        assert exact >= share * (exact + intervals), seen


@pytest.mark.parametrize("name", [name for name in PLANTED_AGGREGATES if name not in UNSEEN])
def test_a_planted_bug_is_noticed(
    name: str, ask: Ask, truth: tuple[list[Question], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    MEMORY.clear()
    with monkeypatch.context() as patch:
        PLANTED_AGGREGATES[name][0](patch)
        found = next(violations(ask, *truth, Compared({}, {})), None)
    MEMORY.clear()
    assert found is not None
