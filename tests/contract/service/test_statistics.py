"""Statistics over HTTP, on each database: for every real table they equal counts of its list of files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.services import Services
from tests.apps import create_app
from tests.contract.service.real_tables import real_tables
from tests.unit.planner.statistics import figures

ARROW = "application/vnd.apache.arrow.stream"
SMALL = {"shop.*": 3_200}
COUNTS = {
    "value_count": "value_counts",
    "null_count": "null_value_counts",
    "nan_count": "nan_value_counts",
    "column_size": "column_sizes",
}
Row = dict[str, Any]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def services(
    request: pytest.FixtureRequest, lakes: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    with real_tables(request, lakes, tmp_path_factory.mktemp("statistics"), SMALL) as made:
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def files(http: TestClient, name: str, **params: str) -> list[Row]:
    """Return the list of files, read from an Arrow stream."""
    answer = http.get(f"/api/v1/tables/{name}/files", params=params, headers={"Accept": ARROW})
    assert answer.status_code == 200, answer.text
    table = pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()
    rows: list[Row] = table.drop_columns([n for n in table.column_names if n in ("min_key", "max_key")]).to_pylist()
    return rows


def stats(http: TestClient, name: str, **params: str) -> Row:
    answer = http.get(f"/api/v1/tables/{name}/stats", params=params)
    assert answer.status_code == 200, answer.text
    found: Row = answer.json()
    return found


def readable(services: Services, http: TestClient) -> list[str]:
    names = [table.name for table in services.tables()]
    return [name for name in names if http.get(f"/api/v1/tables/{name}/files?page_size=1").status_code == 200]


def compare(found: Row, rows: list[Row]) -> None:
    data = [row for row in rows if row["content"] == "data"]
    sizes = [row["file_size_in_bytes"] for row in data]
    totals = {"data_files": len(data), "records": sum(row["record_count"] for row in data), "bytes": sum(sizes)}
    assert {name: found["totals"][name] for name in totals} == totals
    buckets = {of["from_bytes"]: (of["to_bytes"], of["files"], of["bytes"]) for of in found["file_size_histogram"]}
    assert {begin: of for begin, of in buckets.items() if of[1]} == figures.histogram(sizes)
    by_partition: dict[str, list[int]] = {}
    for row in data:
        by_partition.setdefault(f"{row['spec_id']} {row['partition']}", []).append(row["file_size_in_bytes"])
    assert found["partitions"] == {
        "count": len(by_partition),
        "files": figures.quantiles(map(len, by_partition.values())),
        "bytes": figures.quantiles(map(sum, by_partition.values())),
    }
    for name, key in (("file_formats", "file_format"), ("specs", "spec_id")):
        assert {of[key]: of["files"] for of in found[name]} == Counter(row[key] and _lower(row[key]) for row in data)
    least = found["small_files"]["least_bytes"]
    assert found["small_files"]["files"] == sum(size < least for size in sizes)
    deletes = Counter(_kind(row) for row in rows if row["content"] != "data")
    for kind in ("position_deletes", "equality_deletes"):
        assert found["deletes"][kind]["count"] == deletes[kind]
    if found["levels"] is not None:
        assert {of["level"]: of["files"] for of in found["levels"]} == Counter(row["level"] for row in data)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _kind(row: Row) -> str:
    if row["content"] == "equality-deletes":
        return "equality_deletes"
    return "deletion_vectors" if row["file_format"].lower() == "puffin" else "position_deletes"


def test_the_figures_of_every_table_are_those_of_its_files(services: Services, http: TestClient) -> None:
    names = readable(services, http)
    assert len(names) > 25
    for name in names:
        compare(stats(http, name), files(http, name))


def test_the_figures_of_each_snapshot_are_its_own_and_do_not_change(services: Services, http: TestClient) -> None:
    pages = http.get("/api/v1/tables/shop.orders/snapshots").json()["snapshots"]
    ids = [one["snapshot_id"] for one in pages if one["state"] == "published"]
    assert len({stats(http, "shop.orders", snapshot=number)["totals"]["data_files"] for number in ids}) > 1
    for number in ids:
        compare(stats(http, "shop.orders", snapshot=number), files(http, "shop.orders", snapshot=number))
    first = http.get("/api/v1/tables/shop.orders/stats", params={"snapshot": ids[0]})
    assert "immutable" in first.headers["cache-control"]
    again = http.get(
        "/api/v1/tables/shop.orders/stats",
        params={"snapshot": ids[0]},
        headers={"If-None-Match": first.headers["etag"]},
    )
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["shop.orders", "web.events", "shop.stock"])
def test_with_a_filter_the_figures_are_those_of_its_plan(name: str, http: TestClient) -> None:
    columns = http.get(f"/api/v1/tables/{name}/columns").json()["columns"]
    column = next(of for of in columns if of["type"].lower().startswith(("long", "int", "bigint")))
    where = f"{column['column']} <= {column['lower_bound']}"
    found = stats(http, name, filter=where)
    compare(found, files(http, name, filter=where))
    assert found["totals"]["data_files"] <= stats(http, name)["totals"]["data_files"]
    assert found["not_applied"] is not None
    assert found["deletes"]["dangling"] is None


def test_tables_and_filters_without_files_have_figures(services: Services, http: TestClient) -> None:
    names = readable(services, http)
    for name in names:
        columns = http.get(f"/api/v1/tables/{name}/columns", params={"fields": "column,lower_bound"}).json()["columns"]
        for column in (of["column"] for of in columns if isinstance(of["lower_bound"], int)):
            where = f'"{column}" < -1000000' if "." not in column else f"{column} < -1000000"
            found = http.get(f"/api/v1/tables/{name}/stats", params={"filter": where})
            assert found.status_code in (200, 400), (name, where, found.text)
            if found.status_code == 200 and not files(http, name, filter=where, content="data"):
                assert found.json()["totals"]["data_files"] == 0
    empty = next(name for name in names if name.endswith("pk_09"))
    assert stats(http, empty, snapshot="1")["merging"]["files"] == 0


def test_the_target_size_is_the_operators_or_else_the_tables(http: TestClient) -> None:
    own, other = (stats(http, name)["small_files"] for name in ("shop.orders", "web.events"))
    assert own["target_bytes"] == SMALL["shop.*"]
    assert own["rule"] == "smaller than 75 % of 3200 bytes: the setting target_file_size"
    assert other["rule"] == "smaller than 75 % of 536870912 bytes: the default of write.target-file-size-bytes"
    assert other["least_bytes"] == 402_653_184


def test_columns_are_what_files_record(services: Services, http: TestClient) -> None:
    for name in readable(services, http):
        compare_columns(http, name)


def compare_columns(http: TestClient, name: str) -> None:
    """Check that column counts equal the sums over the list of files."""
    rows = [row for row in files(http, name, stats="*") if row["content"] == "data"]
    page = http.get(f"/api/v1/tables/{name}/columns")
    assert page.status_code == 200, page.text
    for column in page.json()["columns"]:
        assert column["files"] == len(rows)
        for own, listed in COUNTS.items():
            found = [(row.get(listed) or {}).get(column["column"]) for row in rows]
            known = [count for count in found if count is not None]
            if len(known) == column[f"{own}_files"]:
                assert column[own] == (sum(known) if known else None), (name, column["column"], own)
            else:  # Paimon: a missing column is all null; counts of another type are unusable
                assert own in ("null_count", "value_count")
                assert "bucket" in rows[0]
        if (depth := column["overlap"]) is not None and depth["samples"]:
            assert depth["unbounded_files"] <= depth["p99"] <= depth["max"] <= column["value_files"]
            assert 1 <= depth["mean"] <= depth["max"]


def test_columns_come_in_pages_and_by_name(http: TestClient) -> None:
    url = "/api/v1/tables/shop.orders/columns"
    whole = http.get(url).json()["columns"]
    first = http.get(url, params={"page_size": 2}).json()
    second = http.get(url, params={"page_size": 2, "page_token": first["next_page_token"]}).json()
    assert [*first["columns"], *second["columns"]] == whole[:4]
    chosen = http.get(url, params={"columns": whole[1]["column"]})
    assert chosen.json()["columns"] == [whole[1]]
    same = {"If-None-Match": chosen.headers["etag"]}
    assert http.get(url, params={"columns": whole[1]["column"]}, headers=same).status_code == 304
    stream = http.get(url, headers={"Accept": ARROW})
    assert pa.ipc.open_stream(io.BytesIO(stream.content)).read_all().num_rows == len(whole)


@pytest.mark.parametrize(
    ("path", "name"), [("tables", "health"), ("health", "status"), ("tables/shop.orders/columns", "columns")]
)
def test_a_choice_that_names_nothing_is_refused(http: TestClient, path: str, name: str) -> None:
    answer = http.get(f"/api/v1/{path}", params={name: " , "})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request_invalid")


@pytest.mark.parametrize(
    ("path", "key", "others"),
    [
        ("columns", "columns", {}),
        ("expiry/files", "files", {"older_than": "2100-01-01T00:00:00Z", "retain_last": "1"}),
    ],
)
def test_lists_in_memory_come_in_descending_order(
    path: str, key: str, others: dict[str, str], http: TestClient
) -> None:
    url, descending = f"/api/v1/tables/shop.orders/{path}", {**others, "order": "desc"}
    rows = http.get(url, params=others).json()[key]
    assert len(rows) > 3
    first = http.get(url, params={**descending, "page_size": "2"}).json()
    second = http.get(url, params={**descending, "page_token": first["next_page_token"]}).json()
    assert [*first[key], *second[key]] == rows[::-1]


def test_a_difference_has_no_descending_order(http: TestClient) -> None:
    ids = [row["snapshot_id"] for row in http.get("/api/v1/tables/shop.orders/snapshots").json()["snapshots"]]
    url, ends = "/api/v1/tables/shop.orders/diff", {"from": ids[-1], "to": ids[0]}
    assert http.get(url, params={**ends, "order": "asc"}).status_code == 200
    refused = http.get(url, params={**ends, "order": "desc"})
    assert (refused.status_code, "no descending order" in refused.json()["error"]["message"]) == (400, True)


ORDERED = [("shop.orders", "amount"), ("shop.orders", "day"), ("web.events", "ts"), ("shop.customers", "name")]
ORDERED += [("shop.stock", "quantity"), ("web.clicks", "user_id")]


@pytest.mark.parametrize(("name", "column"), ORDERED)
def test_the_overlap_of_each_partition_is_that_of_asking_its_files(name: str, column: str, http: TestClient) -> None:
    by_partition: dict[str, list[Row]] = {}
    for row in files(http, name, stats=column, content="data"):
        by_partition.setdefault(f"{row['spec_id']} {row['partition']}", []).append(row)
    answer = http.get(f"/api/v1/tables/{name}/overlap", params={"column": column}, headers={"Accept": ARROW})
    rows = pa.ipc.open_stream(io.BytesIO(answer.content)).read_all().to_pylist()
    assert {f"{row['spec_id']} {row['partition']}" for row in rows} == set(by_partition)
    for row in rows:
        own = by_partition[f"{row['spec_id']} {row['partition']}"]
        bounds = [(one["lower_bounds"][column], one["upper_bounds"][column]) for one in own]
        depths = [sum(low <= value <= high for low, high in bounds) for value, _ in bounds]
        assert (row["file_count"], row["samples"], row["max"]) == (len(own), len(own), max(depths))
        assert row["mean"] == pytest.approx(sum(depths) / len(depths))
    listed = http.get(f"/api/v1/tables/{name}/partitions").json()["partitions"]
    page = http.get(f"/api/v1/tables/{name}/overlap", params={"column": column}).json()["overlap"]
    assert [(one["partition"], one["spec_id"]) for one in page] == [
        (one["partition"], one["spec_id"]) for one in listed
    ]


@pytest.mark.parametrize(("name", "column"), ORDERED)
def test_groups_of_bounds_have_each_file_once(name: str, column: str, http: TestClient) -> None:
    rows = files(http, name, stats=column, content="data")
    bounds = sorted((one["lower_bounds"][column], one["upper_bounds"][column]) for one in rows)
    url, middle = f"/api/v1/tables/{name}/bounds", bounds[len(bounds) // 2][0]
    words = f"{column} >= {middle}" if isinstance(middle, int | Decimal) else f"{column} >= '{middle}'"
    kept = {row["file_path"] for row in files(http, name, filter=words, content="data")}
    for groups in (1, 3, 1000):
        found = http.get(url, params={"column": column, "groups": str(groups), "filter": words}).json()
        assert (found["files"], found["kept_files"]) == (len(rows), len(kept))
        assert len(found["groups"]) == min(groups, len(rows))
        assert [sum(one[key] for one in found["groups"]) for key in ("files", "kept")] == [len(rows), len(kept)]
        begin = 0
        for one in found["groups"]:
            own = bounds[begin : begin + one["files"]]
            begin += one["files"]
            assert one["lower_bound"] == _single(http, name, column, own[0][0])
            assert one["upper_bound"] == _single(http, name, column, max(high for _, high in own))
    assert sum(one["kept"] for one in http.get(url, params={"column": column}).json()["groups"]) == len(rows)


def _single(http: TestClient, name: str, column: str, value: Any) -> Any:
    """Return the JSON form of a bound from the list of files."""
    for row in http.get(f"/api/v1/tables/{name}/files", params={"stats": column, "page_size": 1000}).json()["files"]:
        for kind in ("lower_bounds", "upper_bounds"):
            text = (row.get(kind) or {}).get(column)
            if text is not None and _is(text, value):
                return text
    raise AssertionError(value)


def _is(text: Any, value: Any) -> bool:
    return text == value or str(text).replace("T", " ").removesuffix(".000000") == str(value)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("shop.nothing/stats", 404, "table_not_found"),
        ("shop.orders/stats?filter=nothing%20=%201", 400, "filter_invalid"),
        ("shop.orders/stats?snapshot=1", 404, "snapshot_not_found"),
        ("shop.orders/stats?snapshot=1&ref=main", 400, "request_invalid"),
        ("shop.orders/stats?page_size=1", 400, "request_invalid"),
        ("shop.orders/columns?columns=nothing", 400, "request_invalid"),
        ("shop.orders/overlap?column=nothing", 400, "request_invalid"),
        ("shop.orders/overlap", 400, "request_invalid"),
        ("shop.orders/bounds?column=nothing", 400, "request_invalid"),
        ("shop.orders/bounds?column=day&groups=0", 400, "request_invalid"),
        ("shop.orders/bounds?column=day&filter=nothing%20=%201", 400, "filter_invalid"),
        ("shop.customers/bounds?column=address", 400, "request_invalid"),
    ],
)
def test_what_is_wrong_is_said(path: str, status: int, code: str, http: TestClient) -> None:
    answer = http.get(f"/api/v1/tables/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
