"""Lists in the forms that dashboards read: sorted, limited, filtered, with selected fields, as CSV, compressed."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

Row = dict[str, Any]
TABLE = "/api/v1/tables/db.t"
SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", StringType()))
ROWS = {"a": 5, "b": 1, "c": 9, None: 3, "d": 9}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with a table of three snapshots and five partitions."""
    folder = tmp_path_factory.mktemp("forms")
    iceberg = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/lake")
    iceberg.create_namespace("db")
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))
    table = iceberg.create_table("db.t", SCHEMA, partition_spec=spec)
    arrow = pa.schema([("id", pa.int64()), ("day", pa.string())])
    for days in (("a", "b"), ("c", None), ("d",)):
        rows = [{"id": number, "day": day} for day in days for number in range(ROWS[day])]
        table.append(pa.Table.from_pylist(rows, arrow))
    with catalog(settings(folder, roots=(str(folder / "lake"),))) as services:
        services.add("db.t", table.location(), "iceberg", ())
        yield TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def body(http: TestClient, path: str, **parameters: object) -> Any:
    answer = http.get(path, params=parameters)  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(http: TestClient, path: str, **parameters: object) -> str:
    answer = http.get(path, params=parameters)  # type: ignore[arg-type]
    assert answer.status_code == 400, answer.text
    return str(answer.json()["error"]["message"])


def paged(http: TestClient, name: str, size: int, **parameters: object) -> list[Row]:
    found: list[Row] = []
    token = None
    while True:
        given = {**parameters, "page_size": size, **({} if token is None else {"page_token": token})}
        page = body(http, f"{TABLE}/{name}", **given)
        found += page[name]
        token = page["next_page_token"]
        if token is None:
            return found


def days(rows: list[Row]) -> list[Any]:
    return [row["partition"]["day"] for row in rows]


def test_snapshots_come_newest_first(http: TestClient) -> None:
    newest = body(http, f"{TABLE}/snapshots")
    times = [one["committed_at"] for one in newest["snapshots"]]
    assert len(times) == newest["total_count"] == 3
    assert times == sorted(times, reverse=True)
    oldest = body(http, f"{TABLE}/snapshots", order="asc")["snapshots"]
    assert oldest == newest["snapshots"][::-1]
    assert paged(http, "snapshots", 1) == newest["snapshots"]
    by_id = body(http, f"{TABLE}/snapshots", sort="snapshot_id")["snapshots"]
    assert by_id == sorted(oldest, key=lambda one: int(one["snapshot_id"]))
    assert "sorted by one of" in refusal(http, f"{TABLE}/snapshots", sort="summary")


def test_partitions_are_sorted_and_cut(http: TestClient) -> None:
    page = body(http, f"{TABLE}/partitions")
    assert page["total_count"] == 5
    commits = {one["snapshot_id"]: one["committed_at"] for one in body(http, f"{TABLE}/snapshots")["snapshots"]}
    for row in page["partitions"]:
        assert row["last_updated_at"] == commits[row["last_updated_snapshot_id"]]
    assert days(page["partitions"]) == ["a", "b", "c", "d", None]
    assert days(body(http, f"{TABLE}/partitions", order="desc")["partitions"]) == [None, "d", "c", "b", "a"]
    biggest = ["c", "d", "a", None, "b"]
    for size in (1, 2, 100):
        assert days(paged(http, "partitions", size, sort="-record_count")) == biggest
        assert days(paged(http, "partitions", size, sort="record_count", order="desc", top=3)) == biggest[:3]
    by_day = body(http, f"{TABLE}/partitions", sort="partition.day", order="desc")
    assert days(by_day["partitions"]) == ["d", "c", "b", "a", None]
    assert "sorted by one of" in refusal(http, f"{TABLE}/partitions", sort="partition")
    assert "partition.day" in refusal(http, f"{TABLE}/partitions", sort="partition.none")
    assert body(http, f"{TABLE}/partitions", top=2)["total_count"] == 2


def test_partitions_of_a_filter_are_sums_over_its_files(http: TestClient) -> None:
    whole = {row["partition"]["day"]: row for row in body(http, f"{TABLE}/partitions")["partitions"]}
    found = body(http, f"{TABLE}/partitions", filter="day >= 'b' AND day < 'd'")
    assert found["partitions"] == [whole["b"], whole["c"]]
    assert found["not_applied"] == []
    by_id = body(http, f"{TABLE}/partitions", filter="id > 4 AND length(day) = 1", sort="-record_count", top=1)
    assert by_id["partitions"] == [whole["c"]]
    assert [one["filter"] for one in by_id["not_applied"]] == ["length(day) = 1"]
    assert body(http, f"{TABLE}/partitions", filter="day = 'z'")["partitions"] == []
    assert body(http, f"{TABLE}/partitions", filter="TRUE")["partitions"] == list(whole.values())


def test_files_are_sorted_only_with_top(http: TestClient) -> None:
    files = body(http, f"{TABLE}/files")["files"]
    for name in ("files", "entries"):
        rows = body(http, f"{TABLE}/{name}")[name]
        for field in ("record_count", "file_path", "partition.day"):
            for top in (1, 3, 100):
                for sign in ("", "-"):
                    found = paged(http, name, 2, sort=sign + field, top=top)
                    assert found == expected(rows, field, descending=sign == "-")[:top]
        assert "needs both sort and top" in refusal(http, f"{TABLE}/{name}", sort="record_count")
        assert "needs both sort and top" in refusal(http, f"{TABLE}/{name}", order="desc")
        assert http.get(f"{TABLE}/{name}", params={"sort": "record_count", "top": "10001"}).status_code == 400
    assert body(http, f"{TABLE}/files", order="asc")["files"] == files
    top = body(http, f"{TABLE}/files", sort="-record_count", top=2, filter="day < 'c'")
    assert days(top["files"]) == ["a", "b"]


def expected(rows: list[Row], field: str, *, descending: bool) -> list[Row]:
    name, _, member = field.partition(".")

    def value(row: Row) -> Any:
        return row[name][member] if member else row[name]

    known = [row for row in rows if value(row) is not None]
    # A reversed sort in Python keeps the order of equal rows, as the server's lists do.
    return sorted(known, key=value, reverse=descending) + [row for row in rows if value(row) is None]


def test_manifests_are_sorted(http: TestClient) -> None:
    rows = body(http, f"{TABLE}/manifests")["manifests"]
    assert body(http, f"{TABLE}/manifests", order="desc")["manifests"] == rows[::-1]
    found = paged(http, "manifests", 1, sort="-added_rows_count")
    assert found == expected(rows, "added_rows_count", descending=True)


LISTS = ("snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions")


@pytest.mark.parametrize("path", ["/api/v1/tables", "/api/v1/namespaces", *(f"{TABLE}/{name}" for name in LISTS)])
def test_every_list_has_some_of_its_fields(http: TestClient, path: str) -> None:
    key = path.rsplit("/", 1)[-1]
    rows = body(http, path)[key]
    names = list(rows[0])[:3][::-1]
    chosen = [{name: row[name] for name in names} for row in rows]
    found = body(http, path, fields=",".join(names))[key]
    assert found == chosen
    assert [list(row) for row in found] == [names] * len(rows)
    lines = http.get(path, params={"fields": ",".join(names)}, headers={"Accept": "application/x-ndjson"}).text
    assert [json.loads(line) for line in lines.splitlines()[:-1]] == chosen
    assert "no such field: nonsense" in refusal(http, path, fields=f"{names[0]},nonsense")
    assert "fields names no field; the list has" in refusal(http, path, fields=",")


def table_of(text: str) -> list[Row]:
    assert text.count("\n") == text.count("\r\n")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("path", ["/api/v1/tables", "/api/v1/namespaces", *(f"{TABLE}/{name}" for name in LISTS)])
def test_every_list_is_csv(http: TestClient, path: str) -> None:
    rows = body(http, path)[path.rsplit("/", 1)[-1]]
    answer = http.get(path, headers={"Accept": "text/csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    found = table_of(answer.text)
    assert len(found) == len(rows)
    for cells, row in zip(found, rows, strict=True):
        for name, text in cells.items():
            if name not in ("extra", "checked_at") and name in row:
                assert text == shown(row[name])
        rest = {name: row[name] for name in row if name not in cells}
        assert ("extra" in cells and json.loads(cells["extra"] or "{}") == rest) or not rest


def shown(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def test_csv_has_the_asked_fields_in_their_order(http: TestClient) -> None:
    parameters = {"fields": "record_count,partition", "sort": "-record_count", "top": "1"}
    answer = http.get(f"{TABLE}/partitions", params=parameters, headers={"Accept": "text/csv"})
    assert answer.content == b'record_count,partition\r\n9,"{""day"":""c""}"\r\n'
    # In the full list, these two fields are in the column ``extra``.
    parameters = {"fields": "rewrite,name,current_schema_id"}
    answer = http.get("/api/v1/tables", params=parameters, headers={"Accept": "text/csv"})
    rows = [
        {name: shown(value) for name, value in row.items()}
        for row in body(http, "/api/v1/tables", **parameters)["tables"]
    ]
    assert list(rows[0]) == ["rewrite", "name", "current_schema_id"]
    assert table_of(answer.text) == rows
    assert http.get(f"{TABLE}/files", headers={"Accept": "text/csv"}, params={"page_token": "x"}).status_code == 400
    plan = http.post(f"{TABLE}/plan", json={}, headers={"Accept": "text/csv"})
    assert plan.status_code == 406


def decoded(coding: str, data: bytes) -> bytes:
    if coding == "gzip":
        state = zlib.decompressobj(zlib.MAX_WBITS | 16)
        found = state.decompress(data)
        assert state.eof
        assert not state.unused_data
        return found
    return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())


def raw(http: TestClient, path: str, headers: Mapping[str, str]) -> tuple[Mapping[str, str], bytes]:
    with http.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        return answer.headers, b"".join(answer.iter_raw())


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_every_form_is_compressed_for_those_who_ask(http: TestClient, coding: str) -> None:
    for form in ("application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream", "text/csv"):
        headers, plain = raw(http, f"{TABLE}/entries", {"Accept": form, "Accept-Encoding": "identity"})
        assert "content-encoding" not in headers
        found, packed = raw(http, f"{TABLE}/entries", {"Accept": form, "Accept-Encoding": f"{coding}, br"})
        assert found["content-encoding"] == coding
        assert decoded(coding, packed) == plain
        assert len(packed) < len(plain)
        assert found.get("content-length", str(len(packed))) == str(len(packed))
        for own in (headers, found):
            assert {"Accept", "Accept-Encoding"} <= {name.strip() for name in own["vary"].split(",")}
        assert found["etag"] == f'{headers["etag"][:-1]}-{coding}"'


def test_a_compressed_answer_is_revalidated_by_the_tag_of_any_form(http: TestClient) -> None:
    accept = {"Accept-Encoding": "gzip"}
    headers, _ = raw(http, f"{TABLE}/entries", accept)
    again = http.get(f"{TABLE}/entries", headers={**accept, "If-None-Match": headers["etag"]})
    assert (again.status_code, again.headers["etag"], again.content) == (304, headers["etag"], b"")
    plain = http.get(f"{TABLE}/entries", headers={"Accept-Encoding": "identity", "If-None-Match": headers["etag"]})
    assert (plain.status_code, plain.headers["etag"]) == (304, headers["etag"])
    other = http.get(f"{TABLE}/entries", headers={"If-None-Match": headers["etag"].replace("-gzip", "")})
    assert (other.status_code, other.headers["etag"]) == (304, headers["etag"].replace("-gzip", ""))
    changed = http.get(f"{TABLE}/entries", headers={**accept, "If-None-Match": '"other-gzip"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, headers["etag"])
    short = http.get(f"{TABLE}/entries?page_size=1&fields=status", headers=accept)
    assert ("content-encoding" in short.headers, "-" in short.headers["etag"]) == (False, False)


def test_plans_and_errors_are_sent_as_they_are(http: TestClient) -> None:
    plan = http.post(f"{TABLE}/plan", json={}, headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plan.headers
    missing = http.get("/api/v1/tables/" + "x" * 900, headers={"Accept-Encoding": "gzip"})
    assert (missing.status_code, missing.headers.get("content-encoding")) == (404, None)
