"""The catalog over each database and each store, in process."""

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
"""As servers wait, but longer for a table that was never read: the machine of a test may be busy."""
PATIENT = WaitPolicy(Patience(storage=60.0, stall=60.0, total=60.0), WAITS.unknown)
"""For tests whose every answer must be of the newest state: servers respond with the known one after a second."""


def settings(folder: Path, **changes: Any) -> Settings:
    """Settings with everything in ``folder``."""
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
    """One pool for all catalogs of a test run: a process takes a second to start."""
    return DecoderPool(1, memory_bytes, DECODE_CPU_SECONDS, DECODE_WALL_SECONDS)


@contextmanager
def catalog(of: Settings, waiting: WaitPolicy = WAITS) -> Iterator[Services]:
    """Services that are closed again."""
    services = build_services(of, waiting)
    own, services.refresher.pool = services.refresher.pool, decoders(of.decoder_memory)
    try:
        yield services
    finally:
        services.refresher.pool = own
        services.close()


def rows(source: RowSource) -> list[dict[str, Any]]:
    """Every row of a list, in its JSON form."""
    found: list[dict[str, Any]] = []
    for _, batch in source.batches():
        found += json_objects(batch)
    return found
