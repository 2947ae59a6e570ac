"""A third format, registered by these tests alone, can be listed, planned, explained and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.catalog_rules import CATALOG_RULES
from lakemuster.catalog.services import Services
from lakemuster.formats import registry
from lakemuster.ingest.verification import verify
from lakemuster.metadata import format_names
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.scan.plan_rules import PLAN_RULES
from lakemuster.planner.scan.scan_rules import SCAN_RULES
from lakemuster.planner.statistics.rules import STATISTICS_RULES
from lakemuster.spark.reading import formats as row_formats
from lakemuster.spark.reading.files import LakeFiles
from lakemuster.spark.reading.formats import format_reader
from lakemuster.spark.reading.model import Split, TableToRead
from lakemuster.spark.reading.row_filter import RowFilter
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.contract.third_format import tiny_format
from tests.contract.third_format.tables import FIELDS, Row, TinyTable

TABLE = "/api/v1/tables/shop.sales"
FILTERS = {
    "region = 'eu'": lambda row: row["region"] == "eu",
    "region IS NULL": lambda row: row["region"] is None,
    "price > 10.5": lambda row: row["price"] is not None and row["price"] > 10.5,
    "price IS NULL": lambda row: row["price"] is None,
    "id BETWEEN 5 AND 9": lambda row: 5 <= row["id"] <= 9,
    "region = 'us' AND price < 3": lambda row: row["region"] == "us" and row["price"] is not None and row["price"] < 3,
    "id > 1000": lambda row: row["id"] > 1000,
}


def rows(ids: range, region: str | None, prices: Sequence[float | None]) -> list[Row]:
    return [{"id": number, "region": region, "price": price} for number, price in zip(ids, prices, strict=True)]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> TinyTable:
    """A table of four files in three partitions; one file has deleted rows since the second snapshot."""
    made = TinyTable(tmp_path_factory.mktemp("lake") / "shop.db" / "sales")
    first = made.add(rows(range(4), "eu", [1.0, None, 3.5, 12.0]))
    made.add(rows(range(4, 8), "us", [2.0, 2.5, 20.0, None]))
    made.commit()
    made.delete(first, [1, 3])
    made.add(rows(range(8, 10), None, [None, None]))
    made.add(rows(range(10, 13), "eu", [11.0, 30.0, 0.0]))
    made.commit()
    return made


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    """Register the format for this module only."""
    rules = [(each, "_rules") for each in (CATALOG_RULES, LIST_RULES, SCAN_RULES, PLAN_RULES, STATISTICS_RULES)]
    registries = [(registry, "_FORMATS"), (row_formats, "_FORMATS"), (format_names, "_NAMES"), *rules]
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in registries:
            patch.setattr(owner, name, copy(getattr(owner, name)))
        tiny_format.register()
        yield


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("index"), max_staleness=3600.0)) as made:
        yield made


@pytest.fixture(scope="module")
def http(services: Services, table: TinyTable) -> TestClient:
    """The HTTP API over a catalog that discovered the table."""
    warehouse = str(table.root.parent.parent)
    found = [(one.name, one.format, one.outcome) for one in services.discover(warehouse, None, (), operator=True)]
    assert found == [("shop.sales", "tiny", "registered")]
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def planned(http: TestClient, **asked: Any) -> list[dict[str, Any]]:
    answer = http.post(f"{TABLE}/plan", json=asked)
    assert answer.status_code == 200, answer.text
    files: list[dict[str, Any]] = answer.json()["files"]
    return files


def to_read(http: TestClient) -> TableToRead:
    """Return the table as Spark's driver describes it to executors."""
    info, [schema] = http.get(TABLE).json(), http.get(f"{TABLE}/schemas").json()["schemas"]
    columns = tuple(field["name"] for field in schema["fields"])
    return TableToRead(info["name"], info["format"], schema, (schema,), (), info["properties"], (), columns)


def read(table: TableToRead, files: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Read the rows of files as a Spark executor does."""
    reader, lake = format_reader(table), LakeFiles({})
    batches = [batch for file in files for batch in reader.read(table, Split((dict(file),)), lake)]
    found: list[Row] = pa.Table.from_batches(batches, schema=reader.read_schema(table)).to_pylist()
    return found


def by_id(found: Sequence[Row]) -> list[Row]:
    return sorted(found, key=lambda row: int(row["id"]))


def test_the_table_is_listed_with_its_format_schema_and_snapshots(http):
    info = http.get(TABLE).json()
    assert (info["format"], info["current_snapshot_id"], info["partition_keys"]) == ("tiny", "2", ["region"])
    [schema] = http.get(f"{TABLE}/schemas").json()["schemas"]
    assert [field["name"] for field in schema["fields"]] == [field["name"] for field in FIELDS]
    snapshots = http.get(f"{TABLE}/snapshots").json()["snapshots"]
    assert {one["snapshot_id"] for one in snapshots} == {"1", "2"}


def test_its_files_entries_manifests_and_partitions_are_listed(http):
    assert len(http.get(f"{TABLE}/files").json()["files"]) == 4
    assert len(http.get(f"{TABLE}/entries").json()["entries"]) == 4
    [manifest] = http.get(f"{TABLE}/manifests").json()["manifests"]
    assert manifest["added_files_count"] == 4
    partitions = http.get(f"{TABLE}/partitions").json()["partitions"]
    counts = {one["partition"]["region"]: one["file_count"] for one in partitions}
    assert counts == {"eu": 2, "us": 1, None: 1}


def test_its_figures_are_those_of_its_files(http):
    found, files = http.get(f"{TABLE}/stats").json(), http.get(f"{TABLE}/files").json()["files"]
    assert found["totals"]["bytes"] == sum(file["file_size_in_bytes"] for file in files)
    assert (found["partitions"]["count"], found["small_files"], found["merging"]) == (3, None, None)
    columns = http.get(f"{TABLE}/columns").json()["columns"]
    assert [of["column"] for of in columns] == [field["name"] for field in FIELDS]
    assert {of["files"] for of in columns} == {4}


def test_the_rows_of_a_plan_are_the_tables_rows_without_deleted_ones(http, table):
    assert by_id(read(to_read(http), planned(http))) == by_id(table.rows())
    stored = sum(pq.read_metadata(path).num_rows for path in (table.root / "data").iterdir())
    assert stored == len(table.rows()) + 2, "two rows are deleted"


def test_an_older_snapshot_has_the_rows_of_its_time(http):
    assert [row["id"] for row in by_id(read(to_read(http), planned(http, snapshot_id="1")))] == list(range(8))
    assert [file["record_count"] for file in planned(http, as_of="1970-01-01T00:00:01.500Z")] == [4, 4]


@pytest.mark.parametrize("text", FILTERS)
def test_a_dropped_file_holds_no_matching_row(http, table, text):
    of_table = to_read(http)
    matches = FILTERS[text]
    condition = RowFilter.of(text, of_table)
    found = read(of_table, planned(http, filter=text))
    assert by_id([row for row in found if matches(row)]) == by_id([row for row in table.rows() if matches(row)])
    kept = condition.applied(pa.RecordBatch.from_pylist(found, schema=format_reader(of_table).read_schema(of_table)))
    assert by_id(kept.to_pylist()) == by_id([row for row in table.rows() if matches(row)])


@pytest.mark.parametrize(
    ("text", "files"),
    [("region = 'eu'", 2), ("region IS NULL", 1), ("price IS NULL", 3), ("id BETWEEN 5 AND 9", 2), ("id > 1000", 0)],
)
def test_a_file_that_its_statistics_exclude_is_dropped(http, text, files):
    assert len(planned(http, filter=text)) == files


def test_an_explanation_says_why_a_file_is_dropped(http, table):
    paths = [str(table.root / "data" / name) for name in ("0.parquet", "3.parquet")]
    answer = http.post(f"{TABLE}/explain", json={"filter": "id > 9", "files": paths})
    assert answer.status_code == 200, answer.text
    dropped, kept = answer.json()["files"]
    assert (dropped["state"], kept["state"]) == ("dropped", "kept"), (dropped, kept)
    [reason] = dropped["reasons"]
    assert (reason["column"], reason["verdict"], reason["bound"]["upper"]) == ("id", "cannot match", 3)


def test_a_new_snapshot_is_found_by_a_look(services, table, http):
    pointer = services.table("shop.sales").pointer
    made = table.commit()
    services.refresher.refresh(services.table("shop.sales"))
    assert services.table("shop.sales").pointer != pointer
    assert http.get(TABLE).json()["current_snapshot_id"] == str(made)


def test_the_iceberg_and_paimon_protocols_do_not_show_the_table(http):
    assert http.get("/iceberg/v1/namespaces/shop/tables/sales").status_code == 404


def test_an_index_that_is_verified_has_no_differences(services):
    found = verify(services.refresher, services.table("shop.sales"))
    assert (found.differences, found.manifests > 0, found.snapshots > 1) == ([], True, True)


def test_an_unreadable_manifest_quarantines_its_snapshot_only(services, table):
    made = table.commit()
    Path(table.root, "tiny", f"manifest-{made}.json").write_text("{")
    report = services.refresher.refresh(services.table("shop.sales"))
    assert [number for number, _ in report.quarantined] == [str(made)]
