"""Aggregates of Paimon tables of every kind, written by pypaimon, and of real ones with deletion vectors: exact results
equal DuckDB's over the rows that pypaimon reads, and intervals contain them.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from tests.contract.service.backends import catalog, settings
from tests.journey.aggregate_truth import Ask, Truth, asking, check, is_noticed, true_answers
from tests.journey.test_pypaimon_rows import NAMES, READ, WRITE
from tests.unit.planner.paimon.oracle.planted_aggregates import PLANTED_AGGREGATES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
# pypaimon reads no rows of a postponed table, whose files are not sorted into buckets yet.
WRITTEN = sorted(set(NAMES) - {"postponed"})
REAL = ["pk_table_scan_and_read_dv", "pk_table_scan_and_read_mor", "pk_table_with_alter_table"]
"""Tables written by Java that pypaimon can read."""
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
        yield asking(services, {name: f"db.{name}" for name in TABLES})


@pytest.fixture(scope="module")
def truth(lake: Path, run_duckdb: Callable[..., Any]) -> Truth:
    return true_answers(run_duckdb, {name: f"read_parquet('{lake / f'{name}.parquet'}')" for name in TABLES})


UNSEEN = {"a vector of unknown size is empty"}
"""Bugs that these tables cannot show: current writers record every size."""


def test_exact_answers_are_duckdbs_and_intervals_hold_them(ask: Ask, truth: Truth) -> None:
    check(ask, truth)


@pytest.mark.parametrize("name", [name for name in PLANTED_AGGREGATES if name not in UNSEEN])
def test_a_planted_bug_is_noticed(name: str, ask: Ask, truth: Truth) -> None:
    assert is_noticed(PLANTED_AGGREGATES[name][0], ask, truth)
