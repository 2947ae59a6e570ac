"""Find orphan files on Spark: executors list storage, the server lists the files that tables refer to."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lakemuster.client import Client
from lakemuster.client.errors import ClientError
from lakemuster.errors import ObjectMissing
from lakemuster.formats.table_signs import Sign, TableSigns, unregistered
from lakemuster.spark.frames import frame
from lakemuster.spark.reading.files import storage_options
from lakemuster.spark.spark_types import struct_type
from lakemuster.storage.backend import ListedPage
from lakemuster.storage.local_walk import real_path
from lakemuster.storage.locations import LOCAL, Location, with_scheme
from lakemuster.storage.reference_keys import ReferenceKeys
from lakemuster.storage.spelling import Keys, comparable, keys_of, local_path
from lakemuster.storage.store import ObjectStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_AGE = re.compile(r"(\d{1,9})([dhms])", re.ASCII)
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_ENOUGH_FOLDERS, _MOST_LEVELS = 64, 3
_LISTED = pa.schema(
    [
        ("path", pa.string()),
        ("file_size_in_bytes", pa.int64()),
        ("modified_at", pa.timestamp("us", "UTC")),
        ("sign", pa.list_(pa.string())),
    ]
)
_ORPHANS = pa.schema(
    [
        ("file_path", pa.string()),
        ("file_size_in_bytes", pa.int64()),
        ("modified_at", pa.timestamp("us", "UTC")),
        ("kind", pa.string()),
    ]
)
_KEYED = pa.schema([("path", pa.string()), ("key", pa.int64())])


def orphans(
    spark: SparkSession,
    uri: str,
    location: str,
    *,
    older_than: timedelta | str = "3d",
    allow_recent: bool = False,
    index: bool = False,
    token: str | None = None,
) -> DataFrame:
    """Return the files below a location that no table of the server refers to; nothing is removed.

    Executors list the location first, one folder each, and Spark caches the listing. Then the server lists every file
    that the tables sharing the location refer to, in all snapshots: the token needs the role ``admin`` for the location
    and for these tables. Columns: ``file_path``, ``file_size_in_bytes``, ``modified_at``, ``kind``.

    Driver and executors need the extra ``spark``, what PySpark's Arrow functions need (``pyspark[sql]``), and the
    options of storage in ``LAKEMUSTER_STORAGE``. Works in classic and in Connect sessions of PySpark 4.0 or newer.

    Args:
        location: a folder or prefix, under the server's roots; as executors see it.
        older_than: files of a lower age are not orphans; at least one day. Ages are by the store's clock.
        allow_recent: allow a lower age: files of running commits may be reported.
        index: have the server index missing snapshots first, and wait for it.
        token: a bearer token, for servers that require one; it stays on the driver.

    Raises:
        ValueError: the age is too low.
        ClientError: the server refused or failed; ``references_unknown`` names the tables that cannot be looked at or
            are not indexed whole, and folders that look like tables which are not registered.
        CatalogError: the location cannot be listed.
    """
    age = _age(older_than, allow_recent=allow_recent)
    place = Location.parse(location)
    root = os.path.realpath(local_path(location)) if place.scheme == LOCAL else place.text
    store = ObjectStore([root], storage_options())
    first = next(store.pages_below(root))
    until_ms = _now_ms(first.now_ms) - age // timedelta(milliseconds=1)
    whole, above = _folders(store, root)
    parts = [_Part(root, folder, True, until_ms) for folder in whole]
    parts += [_Part(root, folder, False, until_ms) for folder in above]
    listed = _listing(spark, parts)
    told = [list(row[0]) for row in listed.where("sign IS NOT NULL").select("sign").collect()]
    signs = [Sign(rest[0], rest[1], rest[2], is_known=rest[3] == "True") for kind, *rest in told if kind == "table"]
    links = [comparable(rest[0]) for kind, *rest in told if kind == "link"]
    keys = ReferenceKeys(_form(root, is_local=place.scheme == LOCAL))
    with Client(uri, token) as client:
        known = [keys_of(links), *(keys.keys(batch) for batch in client.references(location, index=index))]
    refused = unregistered(signs, keys.metadata_folders, lambda folder: comparable(root + folder))
    if refused:
        raise _refusal(location, refused)
    return _difference(spark, listed.where("sign IS NULL"), np.unique(np.concatenate(known)), keys, root)


def _age(given: timedelta | str, *, allow_recent: bool) -> timedelta:
    found = None if isinstance(given, timedelta) else _AGE.fullmatch(given.strip())
    if found is not None:
        given = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if not isinstance(given, timedelta) or given < timedelta(0):
        raise ValueError(f"{given!r} is not an age such as '3d' or '36h'")
    if given < timedelta(days=1) and not allow_recent:
        raise ValueError("an age below one day would report files of commits that are going on (allow_recent)")
    return given


def _now_ms(told: int | None) -> int:
    return int(time.time() * 1000) if told is None else told


def _form(root: str, *, is_local: bool) -> Callable[[str], str]:
    def form(location: str) -> str:
        path = local_path(location)
        return comparable(real_path(path, root)) if is_local and path.startswith("/") else comparable(location)

    return form


def _folders(store: ObjectStore, root: str) -> tuple[list[str], list[str]]:
    """Return the folders to list recursively, and those above them to list at one level; as paths below the root."""
    whole, above = [""], list[str]()
    for _ in range(_MOST_LEVELS):
        if len(whole) >= _ENOUGH_FOLDERS:
            break
        deeper = [
            f"{folder}{one.name}/"
            for folder in whole
            for one in store.entries_of(root, folder)
            if one.is_folder and not _is_link(root, f"{folder}{one.name}")
        ]
        if not deeper:
            break
        above += whole
        whole = deeper
    return whole, above


def _is_link(root: str, path: str) -> bool:
    return root.startswith("/") and os.path.islink(f"{root.rstrip('/')}/{path}")


@dataclass(frozen=True, slots=True)
class _Part:
    """The folder below the root that a task lists, recursively or at one level."""

    root: str
    folder: str
    is_whole: bool
    until_ms: int

    def batches(self, options: Mapping[str, Mapping[str, Any]]) -> Iterator[pa.RecordBatch]:
        """List the folder; yield the files that are old enough, signs of tables, and targets of links."""
        store, signs = ObjectStore([self.root], options), TableSigns()
        for page in self._pages(store):
            names = [f"{self.folder}{one.name}" for one in page.entries]
            told = [["table", sign.folder, sign.table, sign.title, str(sign.is_known)] for sign in signs.look_at(names)]
            told += [["link", os.path.realpath(f"{self.root}/{self.folder}{link}")] for link in page.links]
            old = [
                (name, one.size, one.modified_ms * 1000)
                for name, one in zip(names, page.entries, strict=True)
                if one.modified_ms is not None and one.modified_ms < self.until_ms
            ]
            rows = [*old, *((None, None, None) for _ in told)]
            columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
            columns.append([*(None for _ in old), *told])
            arrays = [pa.array(column, of) for column, of in zip(columns, _LISTED.types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=_LISTED)

    def _pages(self, store: ObjectStore) -> Iterator[ListedPage]:
        if self.is_whole:
            try:
                yield from store.pages_below(self.root, self.folder)
            except ObjectMissing:
                if not self.folder:
                    raise
                # The folder was removed after its name was listed.
            return
        entries = store.entries_of(self.root, self.folder)
        links = tuple(one.name for one in entries if _is_link(self.root, f"{self.folder}{one.name}"))
        yield ListedPage([one for one in entries if not one.is_folder and one.name not in links], None, links)


def _listing(spark: SparkSession, parts: Sequence[_Part]) -> DataFrame:
    """List on executors now, one task per part, and cache the rows: they must predate the references."""
    numbers = spark.range(0, len(parts), 1, len(parts))
    return numbers.mapInArrow(_list(parts), struct_type(_LISTED)).localCheckpoint(eager=True)


def _list(parts: Sequence[_Part]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakemuster.spark.reading.files import storage_options  # noqa: PLC0415 - imported by executors

        options = storage_options()
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield from parts[number].batches(options)

    return run


def _keyed(root: str, roots: frozenset[str]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakemuster.storage.reference_keys import FileKeys  # noqa: PLC0415 - imported by executors
        from lakemuster.storage.spelling import comparable  # noqa: PLC0415

        files = FileKeys(root, comparable, set(roots))
        for batch in batches:
            keys, rows = files.keys(batch.column("path").to_pylist())
            paths = batch.column("path").take(pa.array(rows, pa.int64()))
            yield pa.RecordBatch.from_arrays([paths, pa.array(keys)], schema=_KEYED)

    return run


def _shown(base: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from lakemuster.metadata.file_kinds import kind_of  # noqa: PLC0415 - imported by executors

        for batch in batches:
            paths = batch.column("path").to_pylist()
            columns = [
                pa.array([f"{base}/{path}" for path in paths], pa.string()),
                batch.column("file_size_in_bytes"),
                batch.column("modified_at").cast(_ORPHANS.field("modified_at").type),
                pa.array([kind_of(path) for path in paths], pa.string()),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_ORPHANS)

    return run


def _difference(spark: SparkSession, listed: DataFrame, known: Keys, keys: ReferenceKeys, base: str) -> DataFrame:
    """Return the listed files that match no known key."""
    references = frame(spark, pa.table({"key": known}))
    keyed = listed.select("path").mapInArrow(_keyed(base, frozenset(keys.roots)), struct_type(_KEYED))
    referenced = keyed.join(references, "key", "left_semi").select("path").distinct()
    orphan = listed.join(referenced, "path", "left_anti").select("path", "file_size_in_bytes", "modified_at")
    return orphan.mapInArrow(_shown(with_scheme(base).rstrip("/")), struct_type(_ORPHANS))


def _refusal(location: str, refused: Sequence[tuple[str, str]]) -> ClientError:
    told = [{"name": with_scheme(location.rstrip("/") + table), "reason": reason} for table, reason in refused]
    words = "; ".join(f"{one['name']}: {one['reason']}" for one in told)
    return ClientError(
        f"not every file that tables refer to below {location} is known: {words}",
        code="references_unknown",
        context={"refused": told},
    )
