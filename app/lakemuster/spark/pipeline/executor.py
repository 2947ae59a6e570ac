"""Code that runs on executors: turn one part of the manifests into segments, with the service's fetching and decoding.

As in the service, bytes of a bucket are decoded in a separate process with resource limits: one per Python worker of
Spark, with the worker's lifetime. A segment's name derives from its manifest, and a segment appears in the store
whole. A part that runs again, or twice at once, therefore writes the same bytes to the same names.

Imports no PySpark.
"""

from __future__ import annotations

import functools
import os
import pickle
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lakemuster import __version__
from lakemuster.config import load_settings
from lakemuster.errors import CatalogError, ConfigInvalid
from lakemuster.formats.registry import register
from lakemuster.index.segment_files import DECODER_VERSION
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.engine import LocalEngine, Outcome
from lakemuster.ingest.opening import decoder_pool
from lakemuster.spark.pipeline.job_files import JobFiles
from lakemuster.spark.pipeline.outcome_rows import error_text, rows_of
from lakemuster.spark.pipeline.spool import Chunk, chunks_of
from lakemuster.storage.store import ObjectStore

CHUNKS_AT_ONCE = 4
"""While one is decoded, others are fetched."""
OUTSTANDING_BYTES = 64 * 2**20 // CHUNKS_AT_ONCE
"""Encoded bytes that a chunk may queue for the decoder."""

_BYTES_DEPEND_ON = ("fastavro", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class PipelineJob:
    """The parameters of a job, the same for all executors. No secrets: storage options are executors' own settings.

    Attributes:
        software: the driver's :func:`software`.
        segments_url: where segments are written; a local folder must be shared by all machines.
        name: the name of its files; see :class:`JobFiles`.
        decoder_memory: bytes that a decoder may use.
    """

    software: tuple[tuple[str, str], ...]
    segments_url: str
    name: str
    decoder_memory: int


def software() -> tuple[tuple[str, str], ...]:
    """Return the versions of packages that determine a segment's bytes; driver and executors must have equal ones."""
    own = (("lakemuster", __version__), ("decoder", str(DECODER_VERSION)))
    return (*own, *((name, version(name)) for name in _BYTES_DEPEND_ON))


def run_part(job: bytes, number: int, digest: bytes) -> str | None:
    """Make the segments of a part's manifests, and write their outcomes beside the segments.

    Args:
        job: the driver's pickled :class:`PipelineJob`.
        number, digest: the part's number, and the digest of its bytes.

    Returns:
        the error if this executor cannot process the part, such as a wrong setting, which a retry would not help; else
            None.
    """
    parameters: PipelineJob = pickle.loads(job)  # noqa: S301 - from the driver, like this function
    try:
        _check(parameters)
        engine = _engine(parameters.segments_url, parameters.decoder_memory)
        files = JobFiles(engine.segments, parameters.name)
        chunks = chunks_of(files.read_part(number, digest))
        with ThreadPoolExecutor(CHUNKS_AT_ONCE, thread_name_prefix="chunk") as threads:
            made = threads.map(functools.partial(_made, engine, _store()), chunks)
            outcomes = [one for some in made for one in some]
        files.write_outcomes(number, rows_of(outcomes))
    except CatalogError as error:
        return error_text(error)
    return None


def _made(engine: LocalEngine, store: ObjectStore, chunk: Chunk) -> list[Outcome]:
    register(chunk.port)
    own, missing = store.of_table("", None, chunk.missing.roots), chunk.missing
    with closing(engine.make_segments(own, missing.metadata, missing.manifests, None)) as outcomes:
        by_segment = {one.manifest.segment: one for one in outcomes}
    return [by_segment[one.segment] for one in missing.manifests]


def _check(parameters: PipelineJob) -> None:
    here, there = dict(software()), dict(parameters.software)
    other = [f"{name} {here.get(name)}, not {there[name]}" for name in there if here.get(name) != there[name]]
    if other:
        raise ConfigInvalid(f"an executor has other versions than the driver: {', '.join(other)}")


@functools.lru_cache(maxsize=1)
def _store() -> ObjectStore:
    """Return storage with this executor's options and no roots; cached, since connecting takes some time."""
    return ObjectStore((), load_settings().storage)


@functools.lru_cache(maxsize=1)
def _engine(segments_url: str, decoder_memory: int) -> LocalEngine:
    """Return the engine; cached, since a decoder takes a second to start."""
    # A remote store needs a working folder, but no cache of segments (0 bytes); Spark removes its local folders.
    folder = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).partition(",")[0]
    cache = Path(folder, f"lakemuster-{os.getpid()}")
    segments = SegmentStore(segments_url, load_settings().storage, cache, 0)
    return LocalEngine(decoder_pool(1, decoder_memory), segments, OUTSTANDING_BYTES)
