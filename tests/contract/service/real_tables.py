"""Services over all real tables and the demo's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.index.database import Database
from lakemuster.table_settings import TableSettings
from tests.contract.service.backends import catalog, settings


@contextmanager
def real_tables(
    request: pytest.FixtureRequest, lakes: Path, folder: Path, sizes: Mapping[str, int]
) -> Iterator[Services]:
    """Yield services over the tables, on the database that the fixture's parameter names.

    Args:
        sizes: target file sizes in bytes, by pattern of table names.
    """
    demo = unpack(folder / "demo")
    tables = {pattern: TableSettings(target_file_size=size) for pattern, size in sizes.items()}
    with ExitStack() as stack:
        database_url = f"sqlite:///{folder}/index.db"
        if request.param == "postgres":
            database_url = stack.enter_context(request.getfixturevalue("postgres_server").database())
            Database(database_url).migrate()
        own = settings(folder, database_url=database_url, max_staleness=3600.0, tables=tables)
        made = stack.enter_context(catalog(own))
        for root in (demo, lakes / "iceberg", lakes / "paimon"):
            rules = (("data/persistent", str(lakes / "iceberg")),)
            assert list(made.discover(str(root), None, rules, operator=True))
        yield made
