"""The catalog over each database and each store, in process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lakemuster.api.services import Services
from lakemuster.config import Settings
from lakemuster.main import build_services
from lakemuster.planner.rows import RowSource
from lakemuster.wire.rows import json_objects


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


@contextmanager
def catalog(of: Settings) -> Iterator[Services]:
    """Services that are closed again."""
    services = build_services(of)
    try:
        yield services
    finally:
        services.close()


def rows(source: RowSource) -> list[dict[str, Any]]:
    """Every row of a list, in its JSON form."""
    found: list[dict[str, Any]] = []
    for _, batch in source.batches():
        found += json_objects(batch)
    return found


def store_options(s3: Mapping[str, Any] | None) -> dict[str, Any]:
    """The STORAGE setting for a test's S3 server."""
    return {} if s3 is None else {"s3": dict(s3)}
