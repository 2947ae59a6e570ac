"""Aggregates of Iceberg tables written by Spark, with all kinds of deletes, evolved types, nulls, NaN and truncated
bounds: exact results equal those of DuckDB's Iceberg extension, and intervals contain them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lakemuster.catalog.services import Services
from tests.contract.service.backends import catalog, settings
from tests.journey.aggregate_truth import Ask, Truth, asking, check, is_noticed, true_answers
from tests.journey.spark import tables
from tests.spark import Spark
from tests.unit.planner.oracle.planted_aggregates import PLANTED_AGGREGATES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
TABLES = ["v1_copies", "v2_copies", "v2_marks", "v3_marks", "transforms", "typed", "nan_parts", "defaults"]
"""Tables of ``tables.py``; DuckDB reads neither ORC nor Avro, and fails on equality deletes of ints."""
COPIED = "v3_marks"
"""DuckDB 1.5.5 ignores one of the deletion vectors of some Puffin files, so it reads a copy written by Spark."""
KEYED = {
    "id": ("bigint", "id"),
    "name": ("string", "if(id % 4 = 0, NULL, 'n' || id % 5)"),
    "ratio": ("double", "if(id % 6 = 0, double('NaN'), CAST(id % 4 AS double))"),
}


@pytest.fixture(scope="module")
def sources(written: Spark) -> dict[str, str]:
    """The tables' names in Spark; two tables are added, one with equality deletes, one with buckets."""
    for name, parts in (("keyed", ""), ("keyed_parts", "PARTITIONED BY (bucket(2, id))")):
        table = f"plain.aggregated.{name}"
        written.sql(tables.create(table, KEYED, parts, more=tables.MARKED))
        for start in (0, 12, 24):
            written.sql(tables.insert(table, tables.values(KEYED), start, start + 12))
        # DuckDB also applies equality deletes to rows written later, so none are written.
        for keys in ([{"id": 2}, {"id": 14}], [{"name": None}], [{"name": "n3"}]) if not parts else ():
            written.ask("equality_delete", table=table, rows=keys)
        written.sql(f"DELETE FROM {table} WHERE id IN (5, 31)")
    written.sql(f"CREATE TABLE plain.copied.{COPIED} USING iceberg AS SELECT * FROM plain.db.{COPIED}")
    return {name: f"db.{name}" for name in TABLES} | {name: f"aggregated.{name}" for name in ("keyed", "keyed_parts")}


@pytest.fixture(scope="module")
def services(written: Spark, sources: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("aggregates"), max_staleness=3600.0)) as services:
        for namespace in ("db", "aggregated", "copied"):
            assert list(services.discover(f"{written.folder}/lake/{namespace}", namespace, (), operator=True))
        yield services


@pytest.fixture(scope="module")
def ask(services: Services, sources: dict[str, str]) -> Ask:
    return asking(services, sources)


@pytest.fixture(scope="module")
def truth(services: Services, written: Spark, sources: dict[str, str], run_duckdb: Callable[..., Any]) -> Truth:
    read = sources | {COPIED: f"copied.{COPIED}"}
    scans = {
        name: f"iceberg_scan('{services.fresh(table)[1].metadata_location.removeprefix('file://')}')"
        for name, table in read.items()
    }
    found = true_answers(run_duckdb, scans, first_seed=100)
    for name, table in sources.items():
        assert [[found.found["rows"][name]]] == written.sql(f"SELECT count(*) FROM plain.{table}"), name
    return found


def test_exact_answers_are_duckdbs_and_intervals_hold_them(ask: Ask, truth: Truth) -> None:
    check(ask, truth)


UNSEEN = {
    "counts cover all rows",
    "a column that was ever required has no null",
    "a file without a row count has no rows",
    "columns without statistics have no nulls",
    "every engine takes NaN for the greatest value",
    "what engines read in two ways proves a match",
    "NaN that is not counted is none",
    "position deletes are all of one file",
}
"""Bugs that these tables cannot show: Spark writes no such tables, no question is about members of structs, and DuckDB
has one reading of NaN. The oracle on rows detects them.
"""


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in PLANTED_AGGREGATES if name not in UNSEEN])
def test_a_planted_bug_is_noticed(name: str, ask: Ask, truth: Truth) -> None:
    assert is_noticed(PLANTED_AGGREGATES[name][0], ask, truth)
