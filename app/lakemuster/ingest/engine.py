"""The engine that turns manifests into segments: it fetches them, decodes them, and fills the segment store.

It runs in the service and on Spark's executors. What to fetch, and what follows from each outcome, is decided by its
callers: only they write SQL.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lakemuster.errors import CatalogError
from lakemuster.formats.registry import format_of
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.work import WrittenSegment, decode_manifest, pack
from lakemuster.metadata.counts import PackedCounts
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import Contents, ObjectStore

OUTSTANDING_BYTES = 192 * 2**20
"""Maximum encoded bytes submitted to decoders whose results are outstanding."""

LEFT_BEHIND_SECONDS = 24 * 3600.0
"""Age after which an unmodified folder is taken to be left behind by a killed process."""

_FOLDER = "crawl-"

_T = TypeVar("_T")

Progress = Callable[[int, int], None]
"""Called with the number of manifests done and the total."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest to make a segment from.

    Attributes:
        segment: the name of the segment to make.
        location: where to read it, after rewrites.
        header: its entry in the manifest list.
        branch: of the manifest list; Paimon's branches have their own schemas.
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
        counts: of its entries, packed; None for manifests of index files.
        error: why no segment was written.
    """

    manifest: Manifest
    length: int | None
    rows: int = 0
    bytes: int = 0
    error: CatalogError | None = None
    counts: PackedCounts | None = None


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Decodes manifests in a decoder pool, and puts the written segments into a segment store."""

    pool: DecoderPool
    segments: SegmentStore
    outstanding_bytes: int = OUTSTANDING_BYTES

    def make_segments(
        self, store: ObjectStore, metadata: TableMetadata, manifests: Sequence[Manifest], progress: Progress | None
    ) -> Generator[Outcome, None, None]:
        """Yield one outcome for each manifest, in any order.

        Closing the generator ends the work. A failure of one manifest, storage and index failures included, is the
        error of its outcome.

        Args:
            store: reads the locations that the table's metadata names.
            metadata: of the table; only schemas and specs are used.
        """
        exact = format_of(metadata.format).has_exact_lengths
        wanted = {ReadRequest(one.location, one.header.length, exact): one for one in manifests}
        lengths: dict[str, int] = {}
        packed = pack(metadata)
        clear_leftovers(self.segments.workspace)
        with tempfile.TemporaryDirectory(dir=self.segments.workspace, prefix=_FOLDER) as folder:

            def submit(request: ReadRequest, data: Contents) -> Future[WrittenSegment]:
                one = wanted[request]
                lengths[one.segment] = len(data)
                path = str(Path(folder, one.segment))
                return self.pool.submit(decode_manifest, data, one.header, packed, one.branch, path)

            decoded = through_decoders(store, list(wanted), submit, self.outstanding_bytes)
            for done, (request, written) in enumerate(decoded, 1):
                one = wanted[request]
                yield self._kept(one, lengths.pop(one.segment, None), written)
                if progress is not None:
                    progress(done, len(wanted))

    def _kept(self, one: Manifest, length: int | None, written: WrittenSegment | CatalogError) -> Outcome:
        if not isinstance(written, CatalogError):
            try:
                self.segments.put(one.segment, written.path)
            except CatalogError as refusal:
                written = refusal
        if isinstance(written, CatalogError):
            return Outcome(one, length, error=written)
        counts = None if written.counts is None else written.counts.pack()
        return Outcome(one, length, written.rows, written.size, counts=counts)


def clear_leftovers(workspace: Path) -> None:
    """Remove the folders of refreshes that were killed."""
    for folder in workspace.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            if folder.stat().st_mtime < time.time() - LEFT_BEHIND_SECONDS:
                shutil.rmtree(folder)


def through_decoders(
    store: ObjectStore,
    requests: Sequence[ReadRequest],
    submit: Callable[[ReadRequest, Contents], Future[_T]],
    outstanding_bytes: int = OUTSTANDING_BYTES,
) -> Iterator[tuple[ReadRequest, _T | CatalogError]]:
    """Fetch and decode many objects with a bounded number of bytes in progress; a failure is yielded as its result."""
    waiting: deque[tuple[ReadRequest, int, Future[_T]]] = deque()
    outstanding = 0
    for request, outcome in store.admit_many(requests):
        if isinstance(outcome, CatalogError):
            yield request, outcome
            continue
        waiting.append((request, len(outcome), submit(request, outcome)))
        outstanding += len(outcome)
        while waiting and (outstanding > outstanding_bytes or waiting[0][2].done()):
            first, size, future = waiting.popleft()
            outstanding -= size
            decoded = _result(future)
            yield first, decoded
    for request, _, future in waiting:
        decoded = _result(future)
        yield request, decoded


def _result(future: Future[_T]) -> _T | CatalogError:
    try:
        return future.result()
    except CatalogError as error:
        return error
