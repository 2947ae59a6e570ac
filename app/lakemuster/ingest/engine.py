"""The engine that turns manifests into segments: it fetches them, decodes them, and fills the segment store.

It runs in the service and on Spark's executors. It writes no SQL: its callers decide what to fetch, and record the
outcomes.
"""

from __future__ import annotations

import itertools
import shutil
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from lakemuster.errors import CatalogError, DecodeFailed, IndexUnavailable, MetadataCorrupt, WrongLength
from lakemuster.formats.registry import format_of
from lakemuster.index.segment_backends import is_own
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.work import PackedMetadata, Task, WrittenSegment, decode_manifest, run_each, run_writing
from lakemuster.metadata.counts import PackedCounts
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import Contents, ObjectStore

OUTSTANDING_BYTES = 192 * 2**20
"""Maximum encoded bytes submitted to decoders whose results are outstanding."""

LEFT_BEHIND_SECONDS = 24 * 3600.0
"""Age after which an unmodified file or folder is assumed to be left over from a killed process."""

_FOLDER = "crawl-"

BATCH_OBJECTS, BATCH_BYTES = 16, 128 * 2**10
"""Maximum number of objects in one decoder task, and the encoded bytes after which no further object is added."""

_K = TypeVar("_K")
_T = TypeVar("_T")

_Key = tuple[int, ReadRequest]
"""A manifest: the position of its table, and how it is read."""

Progress = Callable[[int, int], None]
"""Called with the number of manifests done and the total."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest to make a segment from.

    Attributes:
        segment: the name of the segment to make.
        location: where to read it, after rewrites.
        header: its entry in the manifest list.
        branch: the branch of the manifest list; Paimon's branches have their own schemas.
    """

    segment: str
    location: str
    header: ManifestHeader
    branch: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of making one segment.

    Attributes:
        length: bytes fetched; None if storage did not return the manifest.
        rows, bytes: size of the segment, which is complete in the store unless ``error`` is set.
        counts: packed entry counts; None for manifests of index files.
        error: why no segment was written.
    """

    manifest: Manifest
    length: int | None
    rows: int = 0
    bytes: int = 0
    error: CatalogError | None = None
    counts: PackedCounts | None = None


@dataclass(frozen=True, slots=True)
class TableManifests:
    """Manifests of one table to make segments from.

    Attributes:
        store: reads the locations that the table's metadata names.
    """

    store: ObjectStore
    metadata: PackedMetadata
    manifests: Sequence[Manifest]


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Decodes manifests in a decoder pool, and puts the written segments into a segment store."""

    pool: DecoderPool
    segments: SegmentStore
    outstanding_bytes: int = OUTSTANDING_BYTES

    def make_segments(
        self, store: ObjectStore, metadata: TableMetadata, manifests: Sequence[Manifest], progress: Progress | None
    ) -> Generator[Outcome, None, None]:
        """Yield one outcome for each manifest of one table; see :meth:`make_segments_of`."""
        table = TableManifests(store, PackedMetadata.of(metadata), manifests)
        for _, outcome in self.make_segments_of([table], progress):
            yield outcome

    def make_segments_of(
        self, tables: Sequence[TableManifests], progress: Progress | None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield one outcome for each manifest of several tables, in any order, with the position of its table.

        Closing the generator stops the work. A failure of one manifest, storage and index failures included, is
        returned as the error of its outcome.
        """
        wanted = [_wanted(one) for one in tables]
        lengths: dict[_Key, int] = {}
        names = itertools.count()
        clear_leftovers(self.segments.workspace)
        with self.segments.working_folder(_FOLDER) as folder:

            def task_of(key: _Key, data: Contents) -> Task[WrittenSegment]:
                number, request = key
                one, path = wanted[number][request], str(Path(folder, str(next(names))))
                lengths[key] = len(data)
                return partial(decode_manifest, data, one.header, tables[number].metadata, one.branch, path)

            def decoded(some: Sequence[Iterable[ReadRequest]]) -> Iterator[tuple[_Key, WrittenSegment | CatalogError]]:
                fetched = (
                    ((number, request), contents)
                    for number, table in enumerate(tables)
                    for request, contents in table.store.admit_many(list(some[number]))
                )
                return through_decoders(self.pool, fetched, task_of, run_writing, self.outstanding_bytes)

            total = sum(len(some) for some in wanted)
            for done, (key, written) in enumerate(self._with_room(wanted, decoded), 1):
                number, request = key
                yield number, self._kept(wanted[number][request], lengths.get(key), written)
                if progress is not None:
                    progress(done, total)

    def _with_room(
        self,
        wanted: Sequence[Iterable[ReadRequest]],
        decoded: Callable[[Sequence[Iterable[ReadRequest]]], Iterator[tuple[_Key, WrittenSegment | CatalogError]]],
    ) -> Iterator[tuple[_Key, WrittenSegment | CatalogError]]:
        """Decode; those whose segments found no room on the disk once more, if local copies could be evicted."""
        refused: list[list[ReadRequest]] = [[] for _ in wanted]
        has_room = False
        for key, written in decoded(wanted):
            if isinstance(written, IndexUnavailable) and (has_room or self.segments.make_room()):
                has_room = True
                refused[key[0]].append(key[1])
            else:
                yield key, written
        if has_room:
            yield from decoded(refused)

    def _kept(self, one: Manifest, length: int | None, written: WrittenSegment | CatalogError) -> Outcome:
        if not isinstance(written, CatalogError):
            try:
                self.segments.put(one.segment, written.path)
            except CatalogError as refusal:
                written = refusal
        if isinstance(written, CatalogError):
            return Outcome(one, length, error=_as_wrong_length(written, one, length))
        counts = None if written.counts is None else written.counts.pack()
        return Outcome(one, length, written.rows, written.size, counts=counts)


def _as_wrong_length(error: CatalogError, one: Manifest, length: int | None) -> CatalogError:
    """Return a manifest's error; WrongLength if its length is not the recorded one: storage may have truncated it."""
    recorded = one.header.length
    if type(error) is not MetadataCorrupt or None in (length, recorded) or length == recorded:
        return error
    reason = f"{length} bytes long, but its metadata says {recorded}: {error}"
    return WrongLength(reason, **{**error.context, "expected": recorded, "actual": length})


def _wanted(table: TableManifests) -> dict[ReadRequest, Manifest]:
    exact = format_of(table.metadata.format).has_exact_lengths
    return {ReadRequest(one.location, one.header.length, exact): one for one in table.manifests}


def clear_leftovers(workspace: Path) -> None:
    """Remove the files and folders of killed processes. A sweep removes only those of a segment store in a folder."""
    with suppress(OSError):
        for path in workspace.iterdir():
            with suppress(OSError):
                if is_own(f"tmp/{path.name}") and path.stat().st_mtime < time.time() - LEFT_BEHIND_SECONDS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


@dataclass(slots=True)
class _Batch(Generic[_K, _T]):
    """Objects that are decoded in one task of the pool."""

    keys: list[_K] = field(default_factory=list)
    tasks: list[Task[_T]] = field(default_factory=list)
    bytes: int = 0
    future: Future[list[_T | CatalogError]] | None = None

    @property
    def is_full(self) -> bool:
        return len(self.keys) >= BATCH_OBJECTS or self.bytes >= BATCH_BYTES

    @property
    def is_done(self) -> bool:
        return self.future is not None and self.future.done()


def through_decoders(
    pool: DecoderPool,
    fetched: Iterable[tuple[_K, Contents | CatalogError]],
    task_of: Callable[[_K, Contents], Task[_T]],
    run: Callable[[Sequence[Task[_T]]], list[_T | CatalogError]] = run_each,
    outstanding_bytes: int = OUTSTANDING_BYTES,
) -> Iterator[tuple[_K, _T | CatalogError]]:
    """Decode many objects with a bounded number of bytes in progress; yield a failure as its object's result.

    Small objects share a task of the pool: each task costs a round trip to another process, and its own flush to disk.
    If a task fails as a whole, its objects are decoded one by one, so that only the faulty one fails.

    Args:
        fetched: objects, or the errors of fetching them, by any key.
        task_of: returns the call that decodes one object.
        run: runs several such calls in a decoder.
    """
    waiting: deque[_Batch[_K, _T]] = deque()
    batch, outstanding = _Batch[_K, _T](), 0
    for key, contents in fetched:
        if isinstance(contents, CatalogError):
            yield key, contents
            continue
        batch.keys.append(key)
        batch.tasks.append(task_of(key, contents))
        batch.bytes += len(contents)
        if batch.is_full:
            batch.future = pool.submit(run, batch.tasks)
            waiting.append(batch)
            outstanding += batch.bytes
            batch = _Batch()
        while waiting and (outstanding > outstanding_bytes or waiting[0].is_done):
            first = waiting.popleft()
            outstanding -= first.bytes
            yield from _results(pool, first, run)
    if batch.keys:
        batch.future = pool.submit(run, batch.tasks)
        waiting.append(batch)
    while waiting:
        yield from _results(pool, waiting.popleft(), run)


def _results(
    pool: DecoderPool, batch: _Batch[_K, _T], run: Callable[[Sequence[Task[_T]]], list[_T | CatalogError]]
) -> Iterator[tuple[_K, _T | CatalogError]]:
    assert batch.future is not None
    try:
        outcomes = batch.future.result()
    except DecodeFailed as error:
        if len(batch.keys) == 1:
            yield batch.keys[0], error
            return
        for key, task in zip(batch.keys, batch.tasks, strict=True):
            yield from _results(pool, _Batch([key], [task], 0, pool.submit(run, [task])), run)
        return
    except CatalogError as error:
        outcomes = [error] * len(batch.keys)
    yield from zip(batch.keys, outcomes, strict=True)
