"""Services over a database and a store, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.flights import Patience
from lakemuster.ingest.opening import DECODE_CPU_SECONDS, DECODE_WALL_SECONDS
from lakemuster.ingest.shared_looks import SERVER_WAITS, WaitPolicy
from lakemuster.main import build_services
from lakemuster.planner.rows import RowSource
from lakemuster.wire.rows import json_objects

WAITS = WaitPolicy(SERVER_WAITS.known, Patience(stall=60.0, total=60.0))
"""The servers' policy, with longer waits for a table that was never read, since a test machine may be busy."""
PATIENT = WaitPolicy(Patience(storage=60.0, stall=60.0, total=60.0), WAITS.unknown)
"""For tests whose responses must always be from the newest state: servers respond with the known one after a second."""


def settings(folder: Path, **changes: Any) -> Settings:
    """Return settings with all data in ``folder``."""
    values: dict[str, Any] = {
        "database_url": f"sqlite:///{folder}/index.db",
        "segments_url": str(folder / "segments"),
        "cache_dir": str(folder / "cache"),
        "max_staleness": 0.0,
        "decoders": 1,
        "history": 1000,
    }
    return Settings(**{**values, **changes})


@cache
def decoders(memory_bytes: int) -> DecoderPool:
    """Return a pool that all catalogs of a test run share, since starting a process takes a second."""
    return DecoderPool(1, memory_bytes, DECODE_CPU_SECONDS, DECODE_WALL_SECONDS)


@contextmanager
def catalog(of: Settings, waiting: WaitPolicy = WAITS) -> Iterator[Services]:
    """Yield services, and close them afterwards."""
    services = build_services(of, waiting)
    own, services.refresher.pool = services.refresher.pool, decoders(of.decoder_memory)
    try:
        yield services
    finally:
        services.refresher.pool = own
        services.close()


def rows(source: RowSource) -> list[dict[str, Any]]:
    """Return every row of a list, in its JSON form."""
    found: list[dict[str, Any]] = []
    for _, batch in source.batches():
        found += json_objects(batch)
    return found
