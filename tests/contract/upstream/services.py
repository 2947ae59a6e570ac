"""An HTTP application with a lake's catalog attached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from lakemuster.index.database import Database
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.contract.upstream.lakes import Lake


@contextmanager
def service(lake: Lake, **changes: Any) -> Iterator[TestClient]:
    """Yield a client of a server with the lake's catalog attached as ``prod``.

    The server reads a pointer for each request, and lists the catalog only on request.

    Args:
        changes: further settings.
    """
    attached = {**lake.settings, "roots": [f"{lake.folder}/lake"]}
    database = f"sqlite:///{lake.folder}/index.db"
    Database(database).migrate()
    of = settings(lake.folder, database_url=database, role="api", catalogs={"prod": attached}, **changes)
    with catalog(of) as services, TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        yield client
