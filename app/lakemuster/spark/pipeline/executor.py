"""What an executor does: its part of the manifests to segments, by the service's own fetching and decoding.

Bytes of a bucket are decoded in a limited process of its own here too, one for each of Spark's Python workers, which
lives as long as the worker. Segments have names that follow from their manifests, and appear in the store whole; who
does a part again, or twice at once, puts the same bytes in the same place.

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
from lakemuster.index.segment_files import DECODER_VERSION
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.engine import LocalEngine, Manifest, Outcome
from lakemuster.ingest.opening import decoder_pool
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.storage.store import ObjectStore

OUTSTANDING_BYTES = 64 * 2**20
"""Encoded bytes that one worker hands to its decoder ahead of time."""

_MAKES_BYTES = ("datafusion", "fastavro", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class Job:
    """What all executors are told. It holds no secret: what opens storage they take from their own settings.

    Attributes:
        software: the driver's :func:`software`.
        segments_url: where segments go; a local folder must be one that all machines share.
        roots: places that may be read, by their whole names.
        metadata: of the table, as far as decoding needs it.
        decoder_memory: bytes that a decoder may take.
    """

    software: tuple[tuple[str, str], ...]
    segments_url: str
    roots: tuple[str, ...]
    metadata: TableMetadata
    decoder_memory: int


def software() -> tuple[tuple[str, str], ...]:
    """The versions of what makes the bytes of segments: driver and executors have the same."""
    own = (("lakemuster", __version__), ("decoder", str(DECODER_VERSION)))
    return (*own, *((name, version(name)) for name in _MAKES_BYTES))


def run_part(job: bytes, part: bytes) -> list[Outcome]:
    """Make the segments of a part's manifests: the pickled :class:`Job` and manifests of the driver, our own.

    A wrong setting here is the error of every manifest of the part: it would not be mended by trying again.
    """
    told, manifests = _job(job), pickle.loads(part)  # noqa: S301 - from the driver, as this function is.
    try:
        engine, store = _tools(told.segments_url, told.decoder_memory, told.roots)
        _check(told)
    except CatalogError as error:
        return [Outcome(one, None, error=error) for one in manifests]
    return _made(engine, store, told.metadata, manifests)


def _made(
    engine: LocalEngine, store: ObjectStore, metadata: TableMetadata, manifests: Sequence[Manifest]
) -> list[Outcome]:
    with closing(engine.make_segments(store, metadata, manifests, None)) as outcomes:
        return list(outcomes)


def _check(told: Job) -> None:
    here, there = dict(software()), dict(told.software)
    other = [f"{name} {here.get(name)}, not {there[name]}" for name in there if here.get(name) != there[name]]
    if other:
        raise ConfigInvalid(f"an executor has other versions than the driver: {', '.join(other)}")


@functools.lru_cache(maxsize=1)
def _job(pickled: bytes) -> Job:
    job = pickle.loads(pickled)  # noqa: S301 - as above.
    assert isinstance(job, Job)
    return job


@functools.lru_cache(maxsize=8)
def _tools(segments_url: str, decoder_memory: int, roots: tuple[str, ...]) -> tuple[LocalEngine, ObjectStore]:
    """Kept for the next parts of this worker: decoders take a second to start, connections some time."""
    return _engine(segments_url, decoder_memory), ObjectStore(roots, load_settings().storage)


@functools.lru_cache(maxsize=1)
def _engine(segments_url: str, decoder_memory: int) -> LocalEngine:
    # A remote store works in a folder of its own, and need keep no copies here; Spark clears its folders in the end.
    folder = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).partition(",")[0]
    cache = Path(folder, f"lakemuster-{os.getpid()}")
    segments = SegmentStore(segments_url, load_settings().storage, cache, 0)
    return LocalEngine(decoder_pool(1, decoder_memory), segments, OUTSTANDING_BYTES)
