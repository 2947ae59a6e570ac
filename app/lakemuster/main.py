"""The composition root: settings to engine, stores and decoders, and those to the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakemuster.api.services import Services
from lakemuster.config import Settings, load_settings
from lakemuster.index import Index
from lakemuster.index.database import open_database
from lakemuster.index.segments import SegmentStore
from lakemuster.ingest import work
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.refresh import Refresher
from lakemuster.storage.store import ObjectStore

if TYPE_CHECKING:
    from fastapi import FastAPI

DECODE_CPU_SECONDS = 120
DECODE_WALL_SECONDS = 300


def build_services(settings: Settings) -> Services:
    """Open the index and the stores; nothing is fetched yet, decoders start when first needed.

    Raises:
        DatabaseVersionMismatch: the database needs ``lakemuster migrate``.
        IndexUnavailable, ConfigInvalid: it cannot be opened.
    """
    index = Index(
        database=open_database(settings.database_url),
        segments=SegmentStore(settings.segments_url, settings.storage, settings.cache_dir, settings.cache_bytes),
    )
    store = ObjectStore(settings.roots, settings.storage)
    store.check_options()
    pool = DecoderPool(
        settings.decoders, settings.decoder_memory, DECODE_CPU_SECONDS, DECODE_WALL_SECONDS, prepare=work.prepare
    )
    refresher = Refresher(index, store, pool, settings.max_staleness, settings.history)
    return Services(settings, index, store, refresher)


def build_app(settings: Settings) -> FastAPI:
    """The HTTP application over freshly opened services."""
    # The command line opens services without HTTP, and should not wait for FastAPI.
    from lakemuster.api.app import create_app  # noqa: PLC0415

    return create_app(build_services(settings))


def app() -> FastAPI:
    """For server processes that are told nothing but the environment."""
    return build_app(load_settings())
