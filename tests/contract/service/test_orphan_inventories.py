"""Orphans in a bucket, found by listing and by each form of inventory: spellings, hostile keys, the store's clock."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster.catalog.orphans.parameters import OrphanSearch
from lakemuster.catalog.orphans.searches import orphans_of
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError, MetadataCorrupt, ObjectMissing, ReferencesUnknown, RequestInvalid
from lakemuster.storage.http_requests import header_ms
from tests.contract.service.backends import catalog, settings
from tests.contract.service.test_orphans import searched
from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.growing_paimon import PaimonTable
from tests.storage_servers import S3Server, new_bucket

# The S3 test server accepts no keys with newlines.
HOSTILE = [
    "a b.parquet",
    "a+b.parquet",
    "a%20b+c.parquet",
    "ü/é😀.orc",
    'quote",comma.parquet',
    "a//b",
]
LATER = timedelta(days=10)
COLUMNS = ["Bucket", "Key", "Size", "LastModifiedDate", "ETag", "StorageClass"]
VERSIONS = ["Bucket", "Key", "VersionId", "IsLatest", "IsDeleteMarker", "Size", "LastModifiedDate"]


@dataclass
class Bucket:
    """A bucket with a table of each format below ``w``; locations of data files are spelled as Hadoop does."""

    server: S3Server
    services: Services
    planted: set[str]

    def put(self, key: str, data: bytes) -> None:
        self.server.put(key, data)

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.server.client.delete_object(Bucket=self.server.bucket, Key=key)

    @property
    def url(self) -> str:
        return f"{self.server.url}/w"

    def objects(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for page in self.server.client.get_paginator("list_objects_v2").paginate(Bucket=self.server.bucket):
            found += page["Contents"]
        return found


@pytest.fixture(scope="module")
def bucket(s3_endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    server = new_bucket(s3_endpoint)
    with catalog(settings(tmp_path_factory.mktemp("index"), storage=server.storage)) as services:
        made = Bucket(server, services, set())
        hadoop = f"s3a://{server.bucket}"
        iceberg = IcebergTable("i", made, f"{hadoop}/w/i", "w/i", random.Random(1))
        paimon = PaimonTable("p", made, f"{server.url}/w/p", "w/p", random.Random(2))
        for table in (iceberg, paimon):
            for step in (table.append, table.append, table.remove, table.append):
                step()
            for path in table._files:
                made.put(path.split("/", 3)[3], b"rows")
            services.add(f"b.{table.name}", f"{server.url}/w/{table.name}", None, (), operator=True)
        # Data files of snapshots, including earlier ones.
        for entries in iceberg._entries.values():
            for one in entries:
                made.put(one["data_file"]["file_path"].split("/", 3)[3], b"rows")
        log = [f"w/i/metadata/v{version}.metadata.json" for version in range(1, iceberg._version)]
        made.planted |= set(log)  # the writer keeps no log
        for folder in ("w/i/data", "w/i/metadata", "w/p/bucket-0", "w/p/manifest", "w/other"):
            for name in HOSTILE:
                made.put(f"{folder}/{name}", b"x")
                made.planted.add(f"{folder}/{name}")
        made.put("elsewhere/x.parquet", b"x")
        yield made


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shift the store's clock to a time at which all objects are old."""
    later_ms = LATER // timedelta(milliseconds=1)
    monkeypatch.setattr("lakemuster.storage.s3.header_ms", lambda *told: (header_ms(*told) or 0) + later_ms)


def found_keys(bucket: Bucket, location: str | None = None, **more: Any) -> set[str]:
    location = location or bucket.url
    with orphans_of(bucket.services, OrphanSearch(location, **more)) as found:
        paths = [path for batch in found.batches() for path in batch.column("file_path").to_pylist()]
    return {path.split("/", 3)[3] for path in paths}


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_orphans_of_a_bucket_are_the_planted_ones(bucket: Bucket, scheme: str) -> None:
    found = found_keys(bucket, bucket.url.replace("s3:", f"{scheme}:"))
    assert found == bucket.planted


def test_ages_are_by_the_stores_clock(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = searched(bucket.services, bucket.url)
    assert report.clock == "store"
    assert found_keys(bucket, older_than_ms=9 * 86_400_000) == bucket.planted
    assert found_keys(bucket, older_than_ms=11 * 86_400_000) == set()
    monkeypatch.setattr("lakemuster.storage.s3.header_ms", lambda *_: None)
    paths, report = searched(bucket.services, bucket.url)
    assert (paths, report.clock) == (set(), "host")


def rows_of(bucket: Bucket, *, versions: bool) -> list[dict[str, Any]]:
    rows = [
        {
            "Bucket": bucket.server.bucket,
            "Key": one["Key"],
            "Size": one["Size"],
            "LastModifiedDate": one["LastModified"],
            "ETag": "e",
            "StorageClass": "STANDARD",
            "VersionId": "1",
            "IsLatest": True,
            "IsDeleteMarker": False,
        }
        for one in bucket.objects()
    ]
    if versions:
        gone = rows[0] | {"Key": "w/i/data/gone.parquet"}
        rows += [gone | {"IsDeleteMarker": True, "Size": None}, gone | {"IsLatest": False}]
    return rows


def written(form: str, rows: list[dict[str, Any]], names: list[str], encode: Any) -> bytes:
    if form == "Parquet":
        own = {name: "".join("_" * (c.isupper() and bool(i)) + c.lower() for i, c in enumerate(name)) for name in names}
        own |= {"ETag": "e_tag"}
        table = pa.table({own[name]: [row[name] for row in rows] for name in names})
        target = io.BytesIO()
        at = table.schema.get_field_index("last_modified_date")
        times = table.column(at).cast(pa.timestamp("ms", "UTC"), safe=False)
        pq.write_table(table.set_column(at, "last_modified_date", times), target)
        return target.getvalue()
    text = io.StringIO()
    lines = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for row in rows:
        texts = row | {
            "Key": encode(row["Key"]),
            "LastModifiedDate": row["LastModifiedDate"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")[:-4] + "Z",
            "Size": "" if row["Size"] is None else row["Size"],
            "IsLatest": str(row["IsLatest"]).lower(),
            "IsDeleteMarker": str(row["IsDeleteMarker"]).lower(),
        }
        lines.writerow([texts[name] for name in names])
    return gzip.compress(text.getvalue().encode())


def manifest(bucket: Bucket, form: str, names: list[str], files: dict[str, bytes]) -> dict[str, Any]:
    return {
        "sourceBucket": bucket.server.bucket,
        "destinationBucket": f"arn:aws:s3:::{bucket.server.bucket}",
        "version": "2016-11-30",
        "creationTimestamp": str(int((datetime.now(UTC) + LATER).timestamp() * 1000)),
        "fileFormat": form,
        "fileSchema": ", ".join(names),
        "files": [
            {"key": key, "size": len(data), "MD5checksum": hashlib.md5(data).hexdigest()} for key, data in files.items()
        ],
    }


def in_parts(bucket: Bucket, form: str, *, versions: bool = False, encode: Any = quote_plus) -> dict[str, bytes]:
    rows, names = rows_of(bucket, versions=versions), VERSIONS if versions else COLUMNS
    middle = len(rows) // 2
    end = "parquet" if form == "Parquet" else "csv.gz"
    return {
        f"inv/source/all/data/{number}.{end}": written(form, part, names, encode)
        for number, part in enumerate((rows[:middle], rows[middle:]))
    }


@pytest.mark.parametrize("form", ["CSV", "Parquet"])
@pytest.mark.parametrize("versions", [False, True])
@pytest.mark.parametrize("place", ["bucket", "copied"])
def test_an_inventory_gives_the_orphans_of_a_listing(
    bucket: Bucket, tmp_path: Path, form: str, versions: bool, place: str
) -> None:
    files = in_parts(bucket, form, versions=versions)
    told = manifest(bucket, form, VERSIONS if versions else COLUMNS, files)
    if place == "bucket":
        for key, data in files.items():
            bucket.put(key, data)
        bucket.put("inv/source/all/2024/manifest.json", json.dumps(told).encode())
        location = f"{bucket.server.url}/inv/source/all/2024/manifest.json"
    else:
        for key, data in files.items():
            path = tmp_path / "data" / key.rpartition("/")[2]
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        (tmp_path / "2024").mkdir()
        (tmp_path / "2024" / "manifest.json").write_text(json.dumps(told))
        location = str(tmp_path / "2024" / "manifest.json")
    assert found_keys(bucket, inventory=location) == bucket.planted
    assert found_keys(bucket, inventory=location, older_than_ms=11 * 86_400_000) == set()
    below = {key for key in bucket.planted if key.startswith("w/p/")}
    assert found_keys(bucket, f"{bucket.url}/p", inventory=location) == below


def test_spaces_may_be_encoded_either_way(bucket: Bucket, tmp_path: Path) -> None:
    files = in_parts(bucket, "CSV", encode=quote)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest(bucket, "CSV", COLUMNS, files)))
    for key, data in files.items():
        (tmp_path / key.rpartition("/")[2]).write_bytes(data)
    assert found_keys(bucket, inventory=str(tmp_path / "manifest.json")) == bucket.planted


def test_a_parquet_file_alone_is_an_inventory_of_the_time_of_its_newest_object(bucket: Bucket, tmp_path: Path) -> None:
    rows = rows_of(bucket, versions=False)
    path = tmp_path / "all.parquet"
    path.write_bytes(written("Parquet", rows, COLUMNS, quote))
    assert found_keys(bucket, inventory=str(path)) == set()
    rows.append(rows[0] | {"Key": "new", "LastModifiedDate": datetime.now(UTC) + LATER})
    path.write_bytes(written("Parquet", rows, COLUMNS, quote))
    assert found_keys(bucket, inventory=str(path)) == bucket.planted


WRONG: dict[str, tuple[dict[str, Any], type[CatalogError], str]] = {
    "ORC": ({"fileFormat": "ORC"}, RequestInvalid, "in the format ORC"),
    "another bucket": ({"sourceBucket": "other"}, RequestInvalid, "of the bucket 'other'"),
    "no key": ({"fileSchema": "Bucket, Size, LastModifiedDate, a, b, c"}, RequestInvalid, "lacks Key"),
    "no files": ({"files": None}, MetadataCorrupt, "not the manifest.json"),
    "a missing file": ({"files": [{"key": "x/none.csv.gz"}]}, ObjectMissing, "none.csv.gz"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_inventory_is_an_error(bucket: Bucket, tmp_path: Path, name: str) -> None:
    changes, error, words = WRONG[name]
    files = in_parts(bucket, "CSV")
    for key, data in files.items():
        (tmp_path / key.rpartition("/")[2]).write_bytes(data)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest(bucket, "CSV", COLUMNS, files) | changes))
    with pytest.raises(error, match=words):
        found_keys(bucket, inventory=str(tmp_path / "manifest.json"))


def test_a_file_of_an_inventory_that_was_cut_off_is_an_error(bucket: Bucket, tmp_path: Path) -> None:
    files = in_parts(bucket, "CSV")
    told = manifest(bucket, "CSV", COLUMNS, files)
    for key, data in files.items():
        (tmp_path / key.rpartition("/")[2]).write_bytes(data[:-20])
    (tmp_path / "manifest.json").write_text(json.dumps(told))
    with pytest.raises(MetadataCorrupt, match="MD5 differs"):
        found_keys(bucket, inventory=str(tmp_path / "manifest.json"))
    for one in told["files"]:
        del one["MD5checksum"]
    (tmp_path / "manifest.json").write_text(json.dumps(told))
    with pytest.raises(MetadataCorrupt, match="cannot be read"):
        found_keys(bucket, inventory=str(tmp_path / "manifest.json"))


def test_an_inventory_shows_tables_that_are_not_registered(bucket: Bucket, tmp_path: Path) -> None:
    rows = rows_of(bucket, versions=False)
    rows.append(rows[0] | {"Key": "w/new/metadata/00000-a.metadata.json"})
    path = tmp_path / "all.parquet"
    path.write_bytes(written("Parquet", rows, COLUMNS, quote))
    with pytest.raises(ReferencesUnknown, match="w/new: it looks like an Iceberg table that is not registered"):
        found_keys(bucket, inventory=str(path))


def test_an_inventory_is_of_a_bucket(bucket: Bucket, tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match="local folder"):
        found_keys(bucket, str(tmp_path), inventory=str(tmp_path / "manifest.json"))
