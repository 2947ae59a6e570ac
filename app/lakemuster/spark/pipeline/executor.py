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
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lakemuster import __version__
from lakemuster.config import load_settings
from lakemuster.errors import CatalogError, ConfigInvalid
from lakemuster.formats.protocol import FormatPort
from lakemuster.formats.registry import register
from lakemuster.index.segment_files import DECODER_VERSION
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.engine import LocalEngine, Manifest, Outcome
from lakemuster.ingest.opening import decoder_pool
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.storage.store import ObjectStore

OUTSTANDING_BYTES = 64 * 2**20
"""Encoded bytes that a worker may queue for its decoder."""

_BYTES_DEPEND_ON = ("fastavro", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class PipelineJob:
    """The parameters of a job, the same for all executors. No secrets: storage options are executors' own settings.

    Attributes:
        software: the driver's :func:`software`.
        segments_url: where segments are written; a local folder must be shared by all machines.
        roots: full locations that may be read.
        metadata: the table's, as far as decoding needs it.
        port: the table's format, which executors register.
        decoder_memory: bytes that a decoder may use.
    """

    software: tuple[tuple[str, str], ...]
    segments_url: str
    roots: tuple[str, ...]
    metadata: TableMetadata
    port: FormatPort
    decoder_memory: int


def software() -> tuple[tuple[str, str], ...]:
    """The versions of the packages that determine a segment's bytes; they must be equal on driver and executors."""
    own = (("lakemuster", __version__), ("decoder", str(DECODER_VERSION)))
    return (*own, *((name, version(name)) for name in _BYTES_DEPEND_ON))


def run_part(job: bytes, part: bytes) -> list[Outcome]:
    """Make the segments of a part's manifests.

    A wrong setting on this executor becomes the error of every manifest of the part, since a retry would not help.

    Args:
        job: the driver's pickled :class:`PipelineJob`.
        part: the driver's pickled manifests.
    """
    parameters, manifests = _job(job), pickle.loads(part)  # noqa: S301 - from the driver, like this function
    try:
        engine, store = _tools(parameters.segments_url, parameters.decoder_memory, parameters.roots)
        _check(parameters)
    except CatalogError as error:
        return [Outcome(one, None, error=error) for one in manifests]
    return _made(engine, store, parameters.metadata, manifests)


def _made(
    engine: LocalEngine, store: ObjectStore, metadata: TableMetadata, manifests: Sequence[Manifest]
) -> list[Outcome]:
    with closing(engine.make_segments(store, metadata, manifests, None)) as outcomes:
        return list(outcomes)


def _check(parameters: PipelineJob) -> None:
    here, there = dict(software()), dict(parameters.software)
    other = [f"{name} {here.get(name)}, not {there[name]}" for name in there if here.get(name) != there[name]]
    if other:
        raise ConfigInvalid(f"an executor has other versions than the driver: {', '.join(other)}")


@functools.lru_cache(maxsize=1)
def _job(pickled: bytes) -> PipelineJob:
    job = pickle.loads(pickled)  # noqa: S301 - as above
    assert isinstance(job, PipelineJob)
    register(job.port)
    return job


@functools.lru_cache(maxsize=8)
def _tools(segments_url: str, decoder_memory: int, roots: tuple[str, ...]) -> tuple[LocalEngine, ObjectStore]:
    """The engine and the store, cached between parts: a decoder takes a second to start, a connection some time."""
    return _engine(segments_url, decoder_memory), ObjectStore(roots, load_settings().storage)


@functools.lru_cache(maxsize=1)
def _engine(segments_url: str, decoder_memory: int) -> LocalEngine:
    # A remote store needs a working folder, but no cache of segments (0 bytes); Spark removes its local folders.
    folder = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).partition(",")[0]
    cache = Path(folder, f"lakemuster-{os.getpid()}")
    segments = SegmentStore(segments_url, load_settings().storage, cache, 0)
    return LocalEngine(decoder_pool(1, decoder_memory), segments, OUTSTANDING_BYTES)
