"""A cache of ``loadTable`` responses, one for each metadata file, within the budget of bytes that all caches share.

A metadata file never changes, and the pointer's token distinguishes a new file of the same name. Everything else that
determines a response is part of its key. So the key serves as the ETag, and is known before the file is read.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import orjson

from lakemuster import __version__
from lakemuster.caching import Cache
from lakemuster.catalog.services import Services
from lakemuster.formats.iceberg.table_metadata import METADATA_LIMIT
from lakemuster.index.tables import TableRecord
from lakemuster.ingest.parsing import Parser
from lakemuster.ingest.work import load_table_answer

Snapshots = Literal["all", "refs"]

CONFIG: Mapping[str, str] = {}
"""Properties that clients must use for every table: none, since they would override the user's own settings."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as ``loadTable`` returns it.

    Attributes:
        stale: why the newest state is not available; None if it is.
    """

    table: TableRecord
    snapshots: Snapshots
    stale: str | None

    @property
    def etag(self) -> str:
        """A strong ETag: a hash of everything that determines the response's bytes."""
        table = self.table
        decides = [__version__, dict(CONFIG), table.table_id, table.metadata_location, table.pointer, table.rewrites]
        return f'"{hashlib.sha256(orjson.dumps([*decides, self.snapshots])).hexdigest()[:32]}"'


def look(services: Services, name: str, snapshots: Snapshots) -> Loaded:
    """Return an Iceberg table whose pointer was read within the allowed staleness.

    Raises:
        TableNotFound: no table has that name.
        CompanionNotFound: it is a Paimon table without Iceberg metadata that can be served.
        CatalogError: its metadata could never be read.
    """
    table = services.iceberg_table(name)
    stale = services.refresher.ensure_fresh(table)
    now = table if services.refresher.is_fresh(table) else services.iceberg_table(name)
    return Loaded(now, snapshots, stale)


def look_again(services: Services, loaded: Loaded) -> Loaded:
    """Return the table after a refresh: Paimon deletes a metadata file when it has written the next one.

    Raises:
        CatalogError: the refresh failed.
    """
    services.refresher.refresh(loaded.table)
    return Loaded(services.iceberg_table(loaded.table.name), loaded.snapshots, None)


def read(services: Services, loaded: Loaded) -> bytes:
    """Make the response from the metadata file.

    Raises:
        StorageError: the file cannot be read.
        MetadataCorrupt: it is no longer a valid metadata file.
        LimitExceeded, DecodeFailed: it is too large, or parsing it takes too much memory or time.
    """
    table = loaded.table
    assert table.metadata_location is not None
    location, store = table.metadata_location, services.refresher.store_for(table)
    file = services.refresher.share(
        ("metadata", table.table_id, table.pointer, location),
        table,
        lambda: store.read(location, max_bytes=METADATA_LIMIT),
    )
    parser = Parser(services.refresher.pool)
    refs_only = loaded.snapshots == "refs"
    return parser.parse(load_table_answer, file, location, dict(CONFIG), refs_only, table.rewrites)


@dataclass(slots=True)
class LoadTableCache:
    """The cached responses of one app. Concurrent requests for the same response wait while one makes it."""

    _responses: Cache[str, bytes] = field(default_factory=lambda: Cache("table metadata", lambda _, body: len(body)))
    _making: dict[str, threading.Lock] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the response for a key; on a miss ``make`` is called, which may raise."""
        with self._guard:
            lock = self._making.setdefault(key, threading.Lock())
        try:
            with lock:
                return self._responses.get_or_make(key, make)
        finally:
            with self._guard:
                self._making.pop(key, None)
