"""Lakes of many small tables, with or without an index."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.http_server import settings_of
from benchmarks.iceberg_table import iceberg_table
from lakemuster.catalog.services import Services
from lakemuster.errors import CatalogError
from lakemuster.index.database import Database
from lakemuster.index.health import due_tables
from lakemuster.main import build_services

MANIFESTS, COLUMNS = 2, 20
"""Manifests and columns of each table."""
NAMESPACES = 100
MOST_SECONDS = 600.0
"""Maximum wait for the job that follows the first indexing."""


@dataclass(frozen=True, slots=True)
class SmallLake:
    """Tables of one size below one root.

    Attributes:
        files: the number of data files of each table.
    """

    root: Path
    tables: int
    files: int

    def table(self, number: int) -> Path:
        """Return the root of a table."""
        return self.root / f"n{number % NAMESPACES}" / f"t{number}"

    def name(self, number: int) -> str:
        """Return the name of a table."""
        return f"n{number % NAMESPACES}.t{number}"

    def write(self, processes: int = 1) -> None:
        """Write the missing tables."""
        missing = [number for number in range(self.tables) if not (self.table(number) / "done").exists()]
        if processes == 1 or len(missing) < 100:
            for number in missing:
                self._write(number)
            return
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            list(pool.map(self._write, missing, chunksize=50))

    def _write(self, number: int) -> None:
        folder = self.table(number)
        shutil.rmtree(folder, ignore_errors=True)
        iceberg_table(folder, files=self.files, columns=COLUMNS, manifests=MANIFESTS, level=1)
        (folder / "done").touch()

    def register(self, services: Services) -> list[str]:
        """Register the tables that the index lacks; return the names of all tables that were never read."""
        known = {table.name: table for table in services.tables()}
        names = [self.name(number) for number in range(self.tables)]
        for number, name in enumerate(names):
            if name not in known:
                services.add(name, str(self.table(number)), "iceberg", (), operator=True)
        return [name for name in names if name not in known or known[name].metadata_location is None]

    def indexed(self, folder: Path, database_url: str | None = None) -> None:
        """Index the tables into a folder, unless they are already indexed; the database may be elsewhere."""
        with opened(folder, self.root, database_url) as services:
            refresh(services, self.register(services))


@contextmanager
def opened(folder: Path, root: Path, database_url: str | None = None) -> Iterator[Services]:
    """Yield the services of the index in a folder; its database may be elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = settings_of(folder, root)
    if database_url is not None:
        settings = settings.model_copy(update={"database_url": database_url})
    services = build_services(settings)
    try:
        yield services
    finally:
        services.close()


def refresh(services: Services, names: list[str]) -> None:
    """Refresh tables concurrently; SystemExit if one fails."""
    for name, outcome in services.refresh_many(names):
        if isinstance(outcome, CatalogError):
            raise SystemExit(f"{name} is not indexed: {outcome}")


def wait_for_health(database: Database) -> None:
    """Wait until a job has recorded the health of all tables, as it does after their first indexing and each hour."""
    until = time.perf_counter() + MOST_SECONDS
    while time.perf_counter() < until:
        with database.reading() as session:
            if not due_tables(session, database.clock_ms(), 1):
                return
        time.sleep(1.0)
    raise SystemExit("the health of the tables is not recorded")
