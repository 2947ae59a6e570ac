"""Refresh many tables whose manifests one Spark job decodes.

1. **Look**: tables are looked at side by side, and the manifests that have no segment are spooled (``spool``).
2. **Decode**: one job makes their segments (``jobs``, ``executor``). The driver checks and registers segments as parts
   are done. After an interrupted run, the next one decodes only manifests without a registered segment.
3. **Publish**: a table whose manifests are all done has an ordinary refresh. It finds the segments, decodes the
   manifests on which executors failed, and thereby decides what cannot be read: machines differ in resources.

Tables whose catalog vends credentials are not part of the job, since credentials are not sent: step 3 decodes them.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lakemuster.config import Settings
from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    IndexUnavailable,
    SegmentMissing,
    StorageDenied,
    StorageUnavailable,
)
from lakemuster.index.segment_store import SegmentStore
from lakemuster.index.segments import SegmentInfo, register_segments
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.engine import Outcome
from lakemuster.ingest.missing import missing_segments
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.side_by_side import BucketGroups, SideBySide
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.spark.pipeline.executor import PipelineJob, software
from lakemuster.spark.pipeline.job_files import ONE_PLACE, JobFiles
from lakemuster.spark.pipeline.jobs import SparkJob, slots
from lakemuster.spark.pipeline.outages import through_outages
from lakemuster.spark.pipeline.outcome_rows import error_of, outcomes_of
from lakemuster.spark.pipeline.spool import Part, Spool, SpooledChunk, parts_of
from lakemuster.storage.locations import redacted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS_PER_SLOT = 8
"""Parts of a job per task slot, within the limits on part sizes.

A task costs a tenth of a second of CPU before it does anything: PySpark's workers read the directory of pyspark.zip.
"""

_POLL_SECONDS = 0.5
_CONCURRENT_CHECKS = 16
_NOT_OF_THE_MANIFEST = (StorageUnavailable, StorageDenied, IndexUnavailable)

TableProgress = Callable[[str, int, int], None]
"""Called with a table's name, the number of its manifests that are done, and their total."""
Outcomes = Iterator[tuple[TableRecord, RefreshReport | CatalogError]]


@dataclass(slots=True)
class _Table:
    """A table of the job.

    Attributes:
        chunks: its chunks that are not done.
        manifests, done: the number of its manifests, and of those that are done.
        made, entries: the number of its segments that executors made, and of their entries.
        error: why its manifests cannot be read now.
    """

    record: TableRecord
    chunks: int
    manifests: int
    done: int = 0
    made: int = 0
    entries: int = 0
    error: CatalogError | None = None


@dataclass(slots=True)
class SparkRefreshes:
    """Refreshes tables on Spark; see ``ingest.refresh.RefreshesMany``."""

    spark: SparkSession
    refresher: TableRefresher
    segments_url: str
    decoder_memory: int
    progress: TableProgress = lambda *_: None

    @classmethod
    def of(cls, spark: SparkSession, settings: Settings, refresher: TableRefresher) -> SparkRefreshes:
        """Return the refreshes of a refresher that was opened with the same settings.

        Raises:
            ConfigInvalid: SEGMENTS_URL holds credentials, which must not be sent to executors.
        """
        refresher.made_ahead = True
        return cls(spark, refresher, _sent(settings.segments_url), settings.decoder_memory)

    def refresh(self, tables: Sequence[TableRecord]) -> Outcomes:
        """Refresh tables; yield the report or the error of each when it completes.

        Raises:
            ConfigInvalid: an executor's settings or installation are wrong.
            IndexUnavailable: the job failed. The tables that had no outcome may not have been refreshed.
        """
        began = self.refresher.clock.monotonic()
        with (
            Spool(self.refresher.index.segments.workspace) as spool,
            closing(SideBySide(self.refresher).groups()) as publishing,
        ):
            chunks: dict[int, list[SpooledChunk]] = {}
            with closing(BucketGroups(self.refresher.store, lambda some: self._looked_at(spool, some))) as looks:
                looks.add(tables)
                for table, found in looks.results():
                    if isinstance(found, CatalogError):
                        self.refresher.failed(table, found)
                        yield table, found
                    else:
                        chunks[table.table_id] = found
            states = {
                table.table_id: _Table(table, len(own), sum(chunk.manifests for chunk in own))
                for table in tables
                if (own := chunks.get(table.table_id)) is not None
            }
            publishing.add([state.record for state in states.values() if not state.chunks])
            wanted = [chunk for table_id in states for chunk in chunks[table_id]]
            for table, outcome in self._decoded(spool, wanted, states, publishing):
                yield table, self._with_segments(states[table.table_id], outcome, began)

    def _looked_at(
        self, spool: Spool, tables: Sequence[TableRecord]
    ) -> Iterator[tuple[TableRecord, list[SpooledChunk] | CatalogError]]:
        for table in tables:
            if self.refresher.upstreams.credentials_provider(table.location) is not None:
                yield table, []
                continue
            try:
                found = missing_segments(self.refresher, table)
                yield table, [chunk for missing in found for chunk in spool.add(table.table_id, missing)]
            except CatalogError as error:
                yield table, error

    def _decoded(
        self,
        spool: Spool,
        chunks: Collection[SpooledChunk],
        states: Mapping[int, _Table],
        publishing: BucketGroups[RefreshReport | CatalogError],
    ) -> Outcomes:
        """Decode chunks; yield the outcomes of tables, which are published as soon as they are complete."""
        if chunks:
            for state in states.values():
                if state.manifests:
                    self.progress(state.record.name, 0, state.manifests)
            with ExitStack() as stack:
                threads = stack.enter_context(ThreadPoolExecutor(_CONCURRENT_CHECKS, thread_name_prefix="segments"))
                parts = list(parts_of(chunks, PARTS_PER_SLOT * slots(self.spark)))
                files = JobFiles(self.refresher.index.segments, uuid.uuid4().hex)
                stack.callback(_delete, files, threads)
                digests = list(threads.map(lambda at: files.write_part(at, spool.packed(parts[at])), range(len(parts))))
                job = PipelineJob(software(), self.segments_url, files.job, self.decoder_memory)
                running = SparkJob(self.spark, pickle.dumps(job), digests, _description(states))
                stack.callback(running.close)
                received: set[int] = set()

                def receive(number: int) -> Outcomes:
                    complete = self._received(spool, parts[number], files.read_outcomes(number), states, threads)
                    received.add(number)
                    publishing.add([one.record for one in complete if one.error is None])
                    for one in complete:
                        if one.error is not None:
                            self.refresher.failed(one.record, one.error)
                            yield one.record, one.error

                while True:
                    is_over = running.is_over
                    for number in sorted(files.done() - received):
                        yield from receive(number)
                    yield from publishing.results(_POLL_SECONDS)
                    if is_over:
                        break
                    if not publishing.outstanding:
                        running.wait(_POLL_SECONDS)
                yield from publishing.results()
                for text in running.errors():
                    raise error_of(text)
                for number in sorted(set(range(len(parts))) - received):
                    with suppress(SegmentMissing):  # listings of some stores are late
                        yield from receive(number)
                if len(received) != len(parts):
                    raise IndexUnavailable(f"Spark answered for {len(received)} of {len(parts)} parts of its job")
        yield from publishing.results()

    def _received(
        self, spool: Spool, part: Part, rows: bytes, states: Mapping[int, _Table], threads: Executor
    ) -> list[_Table]:
        """Register the segments of a finished part; return the tables that it completes."""
        chunks = [spool.read(chunk) for chunk in part]
        outcomes = outcomes_of(rows, [one for chunk in chunks for one in chunk.missing.manifests])
        for one in outcomes:
            if isinstance(one.error, ConfigInvalid):
                raise one.error
        made = [one for one in outcomes if one.error is None]
        through_outages(lambda: _check_store(self.refresher.index.segments, made, threads))
        through_outages(lambda: self._register(made))
        changed: dict[int, _Table] = {}
        in_order = iter(outcomes)
        for chunk in chunks:
            state = changed[chunk.table_id] = states[chunk.table_id]
            state.chunks -= 1
            for one in islice(in_order, len(chunk.missing.manifests)):
                _count(state, one)
        for state in changed.values():
            self.progress(state.record.name, state.done, state.manifests)
        return [state for state in changed.values() if not state.chunks]

    def _register(self, made: Sequence[Outcome]) -> None:
        with self.refresher.index.database.session() as session:
            register_segments(session, [_info(one) for one in made])

    def _with_segments(
        self, state: _Table, outcome: RefreshReport | CatalogError, began: float
    ) -> RefreshReport | CatalogError:
        """Add the manifests and entries that executors decoded to a refresh's report."""
        if isinstance(outcome, CatalogError):
            return outcome
        return replace(
            outcome,
            manifests_fetched=outcome.manifests_fetched + state.made,
            entries_decoded=outcome.entries_decoded + state.entries,
            seconds=self.refresher.clock.monotonic() - began,
        )


def _count(state: _Table, one: Outcome) -> None:
    state.done += 1
    if one.error is None:
        state.made += 1
        state.entries += one.rows
    elif isinstance(one.error, _NOT_OF_THE_MANIFEST):
        state.error = state.error or one.error


def _info(one: Outcome) -> SegmentInfo:
    assert one.length is not None
    made_of = (one.manifest.segment, one.manifest.location, one.length, one.rows, one.bytes)
    return SegmentInfo(*made_of, counts=one.counts)


def _description(states: Mapping[int, _Table]) -> str:
    own = [state for state in states.values() if state.manifests]
    tables = redacted(own[0].record.location) if len(own) == 1 else f"{len(own)} tables"
    return f"Lakemuster: {sum(state.manifests for state in own)} manifests of {tables}"


def _delete(files: JobFiles, threads: Executor) -> None:
    """Delete a job's files; a sweep removes any that remain."""
    with suppress(IndexUnavailable):
        files.delete(threads.map)


def _check_store(segments: SegmentStore, made: Sequence[Outcome], threads: Executor) -> None:
    """Check that this index's segment store has the segments that executors report, with the same sizes.

    Raises:
        ConfigInvalid: a segment is missing or has another size.
        IndexUnavailable: the store cannot be read.
    """
    sizes = threads.map(lambda one: segments.size(one.manifest.segment), made)
    for one, size in zip(made, sizes, strict=True):
        if size != one.bytes:
            found = "nothing" if size is None else f"{size} bytes"
            raise ConfigInvalid(
                f"an executor wrote a segment of {one.bytes} bytes, and the segment store has {found}: {ONE_PLACE}",
                segment=one.manifest.segment,
            )


def _sent(segments_url: str) -> str:
    """Return the segment store's URL for executors: a local path made absolute, or a URL without credentials."""
    scheme, separator, rest = segments_url.partition("://")
    if not separator or scheme in ("file", "local"):
        return str(Path(rest if separator else segments_url).absolute())
    if redacted(segments_url) != segments_url:
        raise ConfigInvalid(
            "SEGMENTS_URL contains more than a location, which Spark would show: put options into STORAGE"
        )
    return segments_url
