"""A lake whose pointers are in a catalog, and servers to which that catalog is attached as ``prod``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from starlette.testclient import TestClient

from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.fake_catalog import FakeCatalog

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
ORDERS, SECRETS = ("shop", "orders"), ("hidden", "secrets")
TABLES = "/iceberg/v1/prod/namespaces/shop/tables"
TOKENS = "".join(
    f"[[token]]\nname = {name!r}\nsha256 = {sha256(token.encode()).hexdigest()!r}\n"
    f"scope = {scope!r}\nnamespaces = [{namespace!r}]\n"
    for token, name, scope, namespace in (
        ("whole-catalog", "whole", "admin", "catalog:prod/"),
        ("reads-the-shop", "shop", "read", "catalog:prod/shop"),
        ("other-tables", "other", "admin", "prod"),
    )
)


class Lake:
    """The tables of a lake, and the catalog with their pointers."""

    def __init__(self, folder: Path, fake: FakeCatalog) -> None:
        self.fake, self.folder = fake, folder / "lake"
        self.own = SqlCatalog("own", uri=f"sqlite:///{folder}/own.db", warehouse=f"file://{folder}/lake")
        for namespace, name in (ORDERS, SECRETS):
            self.own.create_namespace_if_not_exists(namespace)
            self.own.create_table((namespace, name), DATA.schema)
            self.commit((namespace, name))

    def commit(self, table: tuple[str, str]) -> None:
        """Append ten rows, and update the pointer."""
        found = self.own.load_table(table)
        found.append(DATA)
        self.fake.tables[table] = found.metadata_location


def attached(lake: Lake, folder: Path, **changes: Any) -> Any:
    """Return services with the catalog attached as ``prod``."""
    properties = {"type": "rest", "uri": lake.fake.uri, "roots": [f"{folder}/lake"], **changes.pop("properties", {})}
    database = changes.pop("database_url", f"sqlite:///{folder}/index.db")
    Database(database).migrate()
    of = settings(
        folder, database_url=database, max_staleness=3600.0, role="api", **{"catalogs": {"prod": properties}, **changes}
    )
    return catalog(of)


def files(client: TestClient, headers: Mapping[str, str] | None = None, body: object = None) -> int:
    """Return the number of files in a plan of the table ``orders``."""
    answer = client.post(f"{TABLES}/orders/plan", json=body or {}, headers=headers)
    assert answer.status_code == 200, answer.text
    return len(answer.json()["file-scan-tasks"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def serving(services: Services) -> Iterator[TestClient]:
    """Yield a client of the HTTP application, with one event loop."""
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        yield client
