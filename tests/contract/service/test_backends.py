"""One suite over SQLite and PostgreSQL, local files and object stores: responses are equal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.errors import LocationRefused, TableExists, TableNotFound
from lakemuster.index.database import Database
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import catalog, rows, settings
from tests.object_stores import BUCKETS, Bucket
from tests.storage_servers import S3Server

TABLES = {
    "iceberg.equality_deletes.warehouse.mydb.mytable_partitioned": "iceberg/equality_deletes",
    "iceberg.partition_time.default.partition_time": "iceberg/partition_time",
    "paimon.parquet.pk_table_with_alter_table.pk_table_with_alter_table": "paimon/parquet/pk_table_with_alter_table.db",
    "paimon.orc.append_10_stats_dense_store.append_10_stats_dense_store": "paimon/orc/append_10_stats_dense_store.db",
}
ANSWERS = Path(__file__).resolve().parents[2] / "golden" / "lakes.json"


@dataclass(frozen=True)
class Place:
    """The location of a lake, and settings of services over it."""

    url: str
    settings: Settings


def _named(place: tuple[str, str]) -> str:
    return "-".join(place)


PLACES = [
    *((store, database) for store in ("local", "s3") for database in ("sqlite", "postgres")),
    *(("google", "sqlite"), ("azure", "sqlite")),
    pytest.param(("hdfs", "sqlite"), marks=pytest.mark.full, id="hdfs-sqlite"),
]


@pytest.fixture(scope="module")
def lake_files(lakes: Path) -> dict[str, bytes]:
    """The metadata files of the tables, by path relative to the lake."""
    return {
        source.relative_to(lakes).as_posix(): source.read_bytes()
        for folder in sorted(set(TABLES.values()))
        for source in sorted((lakes / folder).rglob("*"))
        if source.is_file() and source.suffix not in (".parquet", ".orc")
    }


@pytest.fixture(scope="module")
def buckets() -> dict[str, Bucket | S3Server]:
    """The bucket of each store that already contains the lake, which no test changes."""
    return {}


@pytest.fixture(params=PLACES, ids=_named)
def place(
    request: pytest.FixtureRequest,
    lake_files: dict[str, bytes],
    buckets: dict[str, Bucket | S3Server],
    tmp_path: Path,
) -> Place:
    store, database = request.param
    database_url = f"sqlite:///{tmp_path}/index.db"
    if database == "postgres":
        database_url = request.getfixturevalue("postgres_url")
        Database(database_url).migrate()
    if store == "local":
        lake = tmp_path / "lake"
        for path, data in lake_files.items():
            target = lake / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return Place(str(lake), settings(tmp_path, database_url=database_url, roots=(str(lake),)))
    if store not in buckets:
        buckets[store] = request.getfixturevalue(BUCKETS.get(store, "s3_server"))
        for path, data in lake_files.items():
            buckets[store].put(f"lake/{path}", data)
    bucket = buckets[store]
    url = f"{bucket.url}/lake"
    changes: dict[str, Any] = {
        "database_url": database_url,
        "roots": (url,),
        "storage": bucket.storage,
        "segments_url": f"{bucket.url}/segments/{tmp_path.name}",
    }
    return Place(url, settings(tmp_path, **changes))


@pytest.fixture
def services(place: Place) -> Iterator[Services]:
    with catalog(place.settings) as opened:
        yield opened


def discover(services: Services, place: Place) -> list[str]:
    rewrites = (("data/persistent", f"{place.url}/iceberg"),)
    found = list(services.discover(place.url, None, rewrites))
    assert {one.outcome for one in found} <= {"registered", "exists"}, found
    return [one.name for one in found]


def test_tables_are_found_once(services: Services, place: Place) -> None:
    names = discover(services, place)
    assert set(TABLES) <= set(names)
    assert discover(services, place) == names
    assert [table.name for table in services.tables()] == sorted(names)
    with pytest.raises(TableExists):
        services.add(names[0], services.table(names[0]).location, None, ())


def test_responses_match_the_lake_catalogue_and_survive_a_restart(services: Services, place: Place) -> None:
    discover(services, place)
    for name in TABLES:
        assert services.refresh(name).quarantined == ()
    before = answers(services)
    stored = json.loads(ANSWERS.read_text())
    for name, snapshots in before.items():
        for snapshot_id, files in snapshots.items():
            expected = stored[name]["snapshots"][snapshot_id]["files"]
            assert [(f["record_count"], f["partition"], f["lower_bounds"]) for f in files] == [
                (f["record_count"], f["partition"], f["lower_bounds"]) for f in expected
            ]
    with catalog(place.settings) as again:
        assert answers(again) == before
        assert again.refresher.totals.manifests_fetched == 0


def answers(services: Services) -> dict[str, dict[str, list[dict[str, Any]]]]:
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name in TABLES:
        _, records, _ = services.snapshots(name)
        found[name] = {}
        for record in records:
            view = services.view(name, Selector(snapshot_id=record.snapshot.snapshot_id))
            found[name][str(record.snapshot.snapshot_id)] = rows(lists.files(services.index, view, stats=["*"]))
    return found


def test_a_second_refresh_fetches_no_manifest(services: Services, place: Place) -> None:
    discover(services, place)
    for name in TABLES:
        assert services.refresh(name).manifests_fetched > 0
    for name in TABLES:
        report = services.refresh(name)
        assert (report.lists_fetched, report.manifests_fetched, report.published) == (0, 0, ())


def test_two_names_for_one_table_share_its_segments(services: Services, place: Place) -> None:
    discover(services, place)
    name = "paimon.parquet.pk_table_with_alter_table.pk_table_with_alter_table"
    services.refresh(name)
    services.add("other.name", services.table(name).location, None, ())
    report = services.refresh("other.name")
    assert report.published
    assert report.manifests_fetched == 0


def test_a_removed_table_is_gone(services: Services, place: Place) -> None:
    name = discover(services, place)[0]
    services.refresh(name)
    services.remove(name)
    with pytest.raises(TableNotFound):
        services.view(name)
    with pytest.raises(TableNotFound):
        services.remove(name)


def test_a_location_outside_the_roots_is_refused(services: Services, place: Place) -> None:
    for location in ("/etc", "file:///etc", "s3://elsewhere/table", f"{place.url}/../other", f"{place.url}x/t"):
        with pytest.raises(LocationRefused):
            services.add("a.b", location, None, ())


def test_the_error_of_a_refused_location_shows_it_as_given_or_as_rewritten(services: Services, place: Place) -> None:
    with pytest.raises(LocationRefused, match="'s3://elsewhere/table' is refused"):
        services.add("a.b", "s3://elsewhere/table", None, ())
    with pytest.raises(LocationRefused, match="'/etc/lake' is refused"):
        services.add("a.b", f"{place.url}/iceberg/partition_bool", None, (("data", "/etc/lake"),))
