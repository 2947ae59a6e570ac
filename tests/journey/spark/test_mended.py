"""Remedies run unchanged on unhealthy tables: the component becomes ok, and the gain is the one predicted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog.health import health_document
from lakemuster.catalog.services import Services
from lakemuster.metadata.names import format_name
from lakemuster.planner.health.commands import literal
from lakemuster.table_settings import HealthSettings, TableSettings, ThresholdSettings
from tests.contract.service.backends import catalog, settings
from tests.contract.service.health_oracle import counted
from tests.journey.spark import mended_tables
from tests.journey.spark.mended_tables import NAMESPACE, Ailing
from tests.spark import Spark

pytestmark = pytest.mark.timeout(1800)
LOW = {
    "small_files": 1,
    "delete_debt": 1,
    "dangling_deletes": 1,
    "manifests": 1,
    "snapshots": 1,
    "overlap": 2,
    "unclustered_writes": 3,
    "sorted_runs": 2,
    "merge_reads": 1,
}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    health = HealthSettings(**{name: ThresholdSettings(warning=at) for name, at in LOW.items()}, least_files=0)  # type: ignore[arg-type]
    tables = {"*": TableSettings(spark_catalog="plain", health=health)}
    with catalog(settings(tmp_path_factory.mktemp("mended"), tables=tables)) as made:
        yield made


def health(services: Services, name: str) -> dict[str, Row]:
    services.refresh(name)
    found = health_document(services, name, None, always=True).model_dump(mode="json")
    return {one["name"]: one for one in found["components"]}


def compare(gain: Row, before: dict[str, int], after: dict[str, int]) -> None:
    told = {kind: limits for kind, limits in gain.items() if limits is not None}
    assert told
    for kind, limits in told.items():
        if kind == "bytes":
            continue
        happened = before[kind] - after[kind]
        lower, upper = int(limits["lower"]), int(limits["upper"])
        assert lower <= happened <= upper, (kind, happened, limits)
        assert limits["exact"] == (lower == upper)
        assert limits["exact"] or limits["reason"]


def check(services: Services, spark: Spark, one: Ailing, location: Path) -> None:
    mended_tables.write(spark, one)
    name = format_name(one.name)
    services.add(name, str(location), None, (), operator=True)
    ailing = health(services, name)[one.component]
    assert ailing["status"] in ("warning", "critical"), ailing
    assert ailing["remedy"] is not None
    before = counted(services, name)
    rows = spark.sql(f"SELECT * FROM {one.sql}")
    spark.sql(ailing["remedy"])
    for statement in one.later:
        spark.sql(statement.replace("{t}", one.sql))
    mended = health(services, name)
    assert mended[one.component]["status"] == "ok", (ailing, mended[one.component])
    assert mended[one.component]["since"] != ailing["since"]
    if one.exact is not None:
        assert ailing["gain"][one.exact]["exact"]
    if ailing["gain"] is not None:
        compare(ailing["gain"], before, counted(services, name))
    if not one.later:
        assert spark.sql(f"SELECT * FROM {one.sql}") == rows


@pytest.mark.parametrize("one", mended_tables.ICEBERG, ids=lambda one: one.case)
def test_a_remedy_of_iceberg_mends_its_table(one: Ailing, services: Services, spark: Spark) -> None:
    check(services, spark, one, spark.folder.joinpath("lake", *one.name))


@pytest.mark.parametrize("one", mended_tables.PAIMON, ids=lambda one: one.case)
def test_a_remedy_of_paimon_mends_its_table(one: Ailing, services: Services, paimon_spark: Spark) -> None:
    check(services, paimon_spark, one, paimon_spark.folder / "lake" / f"{NAMESPACE}.db" / one.case)


def test_strings_of_any_characters_are_literals_of_spark(spark: Spark) -> None:
    for text in ("it's", "back\\slash", "both\\'", "`tick`", 'double "quotes"', "line\nend", "%_é\U0001f40b"):
        assert spark.sql(f"SELECT {literal(text)}") == [[text]]
