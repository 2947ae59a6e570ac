"""An ingest engine that decodes manifests on Spark's executors; the rest of a refresh is the service's own code."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from lakemuster.config import Settings
from lakemuster.errors import ConfigInvalid, DecodeFailed
from lakemuster.formats.registry import format_of
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.engine import LocalEngine, Manifest, Outcome, Progress
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.work import slim
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.spark.pipeline.executor import PipelineJob, software
from lakemuster.spark.pipeline.jobs import run_parts, slots
from lakemuster.spark.pipeline.outcome_rows import outcomes_of
from lakemuster.storage.locations import redacted
from lakemuster.storage.store import ObjectStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS_PER_SLOT = 8
"""Parts of a job per task slot, within the limits on part sizes below.

A task costs a tenth of a second of CPU before it does anything: PySpark's workers read the directory of pyspark.zip.
"""
SMALLEST_PART, LARGEST_PART = 512 * 2**10, 64 * 2**20
"""Encoded bytes; a lost task is repeated as a whole."""
MANIFESTS_PER_PART = 500
MANIFESTS_PER_JOB = 20_000
"""Each task receives the pickled manifests of all parts; a job's segments are registered when the job ends."""

_UNKNOWN_LENGTH = 4 * 2**20
_CONCURRENT_CHECKS = 16


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """Sends manifests to executors and checks their results against the segment store.

    Attributes:
        local: decodes manifests again on which an executor's decoder failed: machines differ in resources, and the
            driver's limits decide.
    """

    spark: SparkSession
    local: LocalEngine
    segments_url: str
    decoder_memory: int
    snapshots_at_once: int = 256

    @classmethod
    def of(cls, spark: SparkSession, settings: Settings, refresher: Refresher) -> SparkEngine:
        """The engine for a refresher that was opened with the same settings.

        Raises:
            ConfigInvalid: SEGMENTS_URL holds credentials, which must not be sent to executors.
        """
        local = LocalEngine(refresher.pool, refresher.index.segments)
        return cls(spark, local, _sent(settings.segments_url), settings.decoder_memory)

    def make_segments(
        self, store: ObjectStore, metadata: TableMetadata, manifests: Sequence[Manifest], progress: Progress | None
    ) -> Generator[Outcome, None, None]:
        """See ``ingest.engine.Engine``."""
        roots = tuple(root.text for root in store.roots.locations)
        port = format_of(metadata.format)
        job = pickle.dumps(PipelineJob(software(), self.segments_url, roots, slim(metadata), port, self.decoder_memory))
        for start in range(0, len(manifests), MANIFESTS_PER_JOB):
            some = manifests[start : start + MANIFESTS_PER_JOB]
            outcomes = self._run(job, metadata.location, some, _shifted(progress, start, len(manifests)))
            _check_settings(outcomes)
            unsure = [one.manifest for one in outcomes if isinstance(one.error, DecodeFailed)]
            made = [one for one in outcomes if one.error is None]
            _check_store(self.local.segments, made)
            # Segments first: they are registered even if an error below ends the refresh.
            yield from made
            yield from (one for one in outcomes if one.error is not None and not isinstance(one.error, DecodeFailed))
            if unsure:
                with closing(self.local.make_segments(store, metadata, unsure, None)) as again:
                    yield from again

    def _run(
        self, job: bytes, location: str, manifests: Sequence[Manifest], progress: Progress | None
    ) -> list[Outcome]:
        parts = list(_parts(manifests, PARTS_PER_SLOT * slots(self.spark)))
        done = [0, *accumulate(len(part) for part in parts)]

        def watch(parts_done: int) -> None:
            # Spark starts parts in order.
            if progress is not None:
                progress(done[parts_done], len(manifests))

        description = f"Lakemuster: {len(manifests)} manifests of {redacted(location)}"
        rows = run_parts(self.spark, job, [pickle.dumps(part) for part in parts], description, watch)
        watch(len(parts))
        return outcomes_of(rows, manifests)


def _parts(manifests: Sequence[Manifest], number: int) -> Iterator[Sequence[Manifest]]:
    """Cut manifests, in order, into about ``number`` parts of about equal encoded size."""
    sizes = [_UNKNOWN_LENGTH if one.header.length is None else one.header.length for one in manifests]
    size = min(max(sum(sizes) // number, SMALLEST_PART), LARGEST_PART)
    part: list[Manifest] = []
    held = 0
    for one, own in zip(manifests, sizes, strict=True):
        if part and (held + own > size or len(part) == MANIFESTS_PER_PART):
            yield part
            part, held = [], 0
        part.append(one)
        held += own
    if part:
        yield part


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Report one job's progress as progress over all manifests."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def _check_settings(outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        if isinstance(one.error, ConfigInvalid):
            raise one.error


def _check_store(segments: SegmentStore, made: Sequence[Outcome]) -> None:
    """Check that this index's segment store has the segments that executors report, with the same sizes.

    Raises:
        ConfigInvalid: a segment is missing or has another size.
        IndexUnavailable: the store cannot be read.
    """
    with ThreadPoolExecutor(_CONCURRENT_CHECKS, thread_name_prefix="segments") as threads:
        sizes = threads.map(lambda one: segments.size(one.manifest.segment), made)
        for one, size in zip(made, sizes, strict=True):
            if size != one.bytes:
                found = "nothing" if size is None else f"{size} bytes"
                raise ConfigInvalid(
                    f"an executor wrote a segment of {one.bytes} bytes, and the segment store has {found}: "
                    "SEGMENTS_URL must be one place for the driver and all executors",
                    segment=one.manifest.segment,
                )


def _sent(segments_url: str) -> str:
    """The segment store's URL for executors: a local path made absolute, or a URL without credentials."""
    scheme, separator, rest = segments_url.partition("://")
    if not separator or scheme in ("file", "local"):
        return str(Path(rest if separator else segments_url).absolute())
    if redacted(segments_url) != segments_url:
        raise ConfigInvalid(
            "SEGMENTS_URL contains more than a location, which Spark would show: put options into STORAGE"
        )
    return segments_url
