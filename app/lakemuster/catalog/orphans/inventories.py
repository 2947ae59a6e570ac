"""Read an S3 inventory as a listing: CSV or Parquet files, named by a ``manifest.json``; or one Parquet file alone.

An inventory lists a bucket as of its creation time, which ages are relative to. Of versioned buckets, only current
versions are used. Keys are URL-encoded in CSV, but not in Parquet.

Source: Amazon S3 User Guide, "Amazon S3 Inventory", "Locating your inventory list".
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from lakemuster.catalog.orphans.listings import Listing
from lakemuster.errors import MetadataCorrupt, ObjectMissing, RequestInvalid
from lakemuster.storage.backend import ListedPage, StorageEntry
from lakemuster.storage.locations import LOCAL, Location, redacted
from lakemuster.storage.store import ObjectStore

MANIFEST_BYTES = 64 * 2**20
FILE_BYTES = 4 * 2**30
BATCH_ROWS = 10_000
_BUCKET_ARN = "arn:aws:s3:::"
_COLUMNS = {
    "bucket": "Bucket",
    "key": "Key",
    "size": "Size",
    "last_modified_date": "LastModifiedDate",
    "is_latest": "IsLatest",
    "is_delete_marker": "IsDeleteMarker",
}
"""Column names in Parquet, and in the schema of CSV files. Only inventories of all versions have the last two."""
_NEEDED = ("bucket", "key", "size", "last_modified_date")


def open_inventory(store: ObjectStore, location: str, place: Location) -> Listing:
    """Open an inventory for the objects below a place.

    Args:
        location: the ``manifest.json``, or a Parquet file; always allowed, since an operator names it.

    Raises:
        RequestInvalid: its format is not supported, it is of another bucket, or it lacks a column.
        MetadataCorrupt: it cannot be read, or a file's digest differs from the manifest's.
        StorageError: a file is missing, or storage does not answer.
    """
    if place.scheme == LOCAL:
        raise RequestInvalid("an inventory lists a bucket: the location is a local folder")
    store = store.allowing(_parent(location))
    if location.endswith(".parquet"):
        return _Inventory(store, place, (_File(location, "Parquet", ()),), None)
    manifest = _manifest(store.read(location, max_bytes=MANIFEST_BYTES), location)
    if manifest.bucket != place.bucket:
        raise RequestInvalid(f"the inventory is of the bucket {manifest.bucket!r}, not {place.bucket!r}")
    files = []
    for key, digest in manifest.files:
        found = _place_of(store, location, manifest.destination, key)
        files.append(_File(found[1], manifest.format, manifest.columns, digest, found[0]))
    return _Inventory(store, place, tuple(files), manifest.created_ms)


@dataclass(frozen=True, slots=True)
class _Manifest:
    bucket: str
    destination: str
    created_ms: int
    format: str
    columns: tuple[str, ...]
    files: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class _File:
    """A file of an inventory; ``columns`` are those of CSV, ``digest`` is the MD5 in the manifest."""

    location: str
    format: str
    columns: tuple[str, ...]
    digest: str | None = None
    store: ObjectStore | None = None


def _manifest(data: bytes, location: str) -> _Manifest:
    try:
        found = orjson.loads(data)
        form = str(found["fileFormat"])
        files = tuple((str(one["key"]), one.get("MD5checksum")) for one in found["files"])
        columns = tuple(name.strip() for name in str(found["fileSchema"]).split(",")) if form == "CSV" else ()
        created_ms = int(found["creationTimestamp"])
        bucket = str(found["sourceBucket"])
        destination = str(found["destinationBucket"]).removeprefix(_BUCKET_ARN)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as cause:
        raise MetadataCorrupt(f"{redacted(location)} is not the manifest.json of an S3 inventory") from cause
    if form not in ("CSV", "Parquet"):
        raise RequestInvalid(f"the inventory is in the format {form}: CSV and Parquet are supported")
    return _Manifest(bucket, destination, created_ms, form, columns, files)


def _place_of(store: ObjectStore, manifest: str, bucket: str, key: str) -> tuple[ObjectStore, str]:
    """Return the store and location of an inventory's file: in its bucket, or beside a manifest that was copied."""
    own = Location.parse(manifest)
    if own.scheme == "s3" and own.bucket == bucket:
        location = f"s3://{bucket}/{key}"
        return store.allowing(location), location
    folder, name = _parent(manifest), key.rpartition("/")[2]
    wider = store.allowing(_parent(folder))
    candidates = (f"{folder}/{key}", f"{folder}/{name}", f"{folder}/data/{name}", f"{_parent(folder)}/data/{name}")
    for candidate in candidates:
        if wider.stat(candidate) is not None:
            return wider, candidate
    raise ObjectMissing(f"{redacted(manifest)} names {name}, which is not beside it", location=name)


def _parent(location: str) -> str:
    return location.rpartition("/")[0] or "/"


class _Inventory:
    """An inventory's objects below a place. Without a manifest, its time is that of its newest object."""

    clock = "inventory"

    def __init__(self, store: ObjectStore, place: Location, files: tuple[_File, ...], created_ms: int | None) -> None:
        self._store, self._place, self._files = store, place, files
        self._created_ms = created_ms

    def now_ms(self) -> int:
        if self._created_ms is None:
            newest = [pc.max(batch.column("last_modified_date")).as_py() for batch in self._batches(self._files[0])]
            self._created_ms = max((one for one in newest if one is not None), default=0)
        return self._created_ms

    def pages(self) -> Iterator[ListedPage]:
        prefix = f"{self._place.key}/" if self._place.key else ""
        for file in self._files:
            for batch in self._batches(file):
                yield self._page(batch, prefix)

    def _page(self, batch: pa.RecordBatch, prefix: str) -> ListedPage:
        """Return the current objects below the place."""
        if not pc.all(pc.equal(batch.column("bucket"), self._place.bucket)).as_py():
            raise RequestInvalid(f"the inventory has objects of other buckets than {self._place.bucket!r}")
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        latest, marked = (columns.get(name) for name in ("is_latest", "is_delete_marker"))
        entries = []
        for row, key in enumerate(columns["key"]):
            is_current = (latest is None or latest[row] is not False) and (marked is None or marked[row] is not True)
            if is_current and key.startswith(prefix) and not key.endswith("/"):
                size, modified = columns["size"][row], columns["last_modified_date"][row]
                entries.append(StorageEntry(key[len(prefix) :], size or 0, False, modified))
        return ListedPage(entries)

    def _batches(self, file: _File) -> Iterator[pa.RecordBatch]:
        """Yield a file's rows with the column names of Parquet, decoded keys, and times in milliseconds.

        Raises:
            MetadataCorrupt: the file cannot be read.
        """
        data = (file.store or self._store).read(file.location, max_bytes=FILE_BYTES)
        where = redacted(file.location)
        if file.digest is not None and hashlib.md5(data, usedforsecurity=False).hexdigest() != file.digest:
            raise MetadataCorrupt(f"{where} is not the file that the inventory's manifest names: its MD5 differs")
        try:
            yield from _csv(data, file, where) if file.format == "CSV" else _parquet(data, where)
        except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as cause:
            raise MetadataCorrupt(f"{where}: an inventory's file that cannot be read") from cause


def _csv(data: bytes, file: _File, where: str) -> Iterator[pa.RecordBatch]:
    names = [next((own for own, told in _COLUMNS.items() if told == name), name) for name in file.columns]
    _require(names, where)
    raw: Any = pa.BufferReader(data)
    if data[:2] == b"\x1f\x8b":
        raw = pa.CompressedInputStream(raw, "gzip")
    if not data:
        return
    reader = pa.csv.open_csv(
        raw,
        read_options=pa.csv.ReadOptions(column_names=names, block_size=4 * 2**20),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), include_columns=[name for name in names if name in _COLUMNS]
        ),
    )
    for batch in reader:
        keys = pa.array([unquote_plus(key, errors="strict") for key in batch.column("key").to_pylist()], pa.string())
        yield _typed({**_columns(batch), "key": keys})


def _parquet(data: bytes, where: str) -> Iterator[pa.RecordBatch]:
    file = pq.ParquetFile(io.BytesIO(data))
    _require(file.schema_arrow.names, where)
    wanted = [name for name in file.schema_arrow.names if name in _COLUMNS]
    for batch in file.iter_batches(BATCH_ROWS, columns=wanted):
        yield _typed(_columns(batch))


def _columns(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def _require(names: list[str], where: str) -> None:
    if missing := [_COLUMNS[name] for name in _NEEDED if name not in names]:
        raise RequestInvalid(f"{where}: the inventory lacks {', '.join(missing)}")


def _typed(columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """Convert columns to their types: sizes in bytes, times in milliseconds since the Unix epoch."""
    found = dict(columns)
    moments = found["last_modified_date"]
    if pa.types.is_string(moments.type):
        moments = pc.cast(moments, pa.timestamp("ms", "UTC"))
    found["last_modified_date"] = pc.cast(moments, pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    size = found["size"]
    if pa.types.is_string(size.type):
        size = pc.if_else(pc.equal(size, ""), None, size)
    found["size"] = size.cast(pa.int64())
    for name in ("is_latest", "is_delete_marker"):
        if name in found:
            found[name] = found[name].cast(pa.bool_())
    return pa.RecordBatch.from_pydict(found)
