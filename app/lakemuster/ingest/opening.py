"""Create a :class:`Refresher` from settings, for the server, the command line and Spark's driver."""

from __future__ import annotations

from functools import partial

from lakemuster.clock import SYSTEM, Clock
from lakemuster.config import Settings
from lakemuster.formats.registry import table_formats
from lakemuster.index import Index
from lakemuster.index.database import open_database
from lakemuster.index.segments import SegmentStore
from lakemuster.ingest import work
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.healing import Healer
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.shared_looks import SERVER_WAITS, WaitPolicy
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream.registry import Upstreams

DECODE_CPU_SECONDS = 120
DECODE_WALL_SECONDS = 300


def open_refresher(settings: Settings, waiting: WaitPolicy = SERVER_WAITS, clock: Clock = SYSTEM) -> Refresher:
    """Open the index and the stores. Fetches nothing; decoder processes start when first needed.

    Args:
        waiting: how long requests wait for storage.
        clock: measures ages, and is the time of an embedded database.

    Raises:
        DatabaseVersionMismatch: the database needs ``lakemuster migrate``.
        IndexUnavailable, ConfigInvalid: the index or a store cannot be opened.
    """
    index = Index(
        database=open_database(settings.database_url, clock, settings.connections_of_a_process),
        segments=SegmentStore(
            settings.segments_url,
            settings.storage,
            settings.cache_dir,
            settings.cache_bytes,
            stall_seconds=waiting.segment_stall,
        ),
    )
    store = ObjectStore(settings.roots, settings.storage)
    store.check_options()
    pool = decoder_pool(settings.decoders, settings.decoder_memory)
    upstreams = Upstreams(settings.catalogs, clock, store)
    refresher = Refresher(index, store, pool, settings.of_table, waiting=waiting, clock=clock, upstreams=upstreams)
    index.segments.repair = Healer(refresher).repair
    return refresher


def decoder_pool(workers: int, memory_bytes: int) -> DecoderPool:
    """Return a decoder pool with the service's time limits."""
    return DecoderPool(
        workers, memory_bytes, DECODE_CPU_SECONDS, DECODE_WALL_SECONDS, prepare=partial(work.prepare, table_formats())
    )
