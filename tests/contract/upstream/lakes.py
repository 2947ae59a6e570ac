"""A lake for each type of attached catalog: its tables, the catalog that has their pointers, and a writer past us."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import cycle
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.glue import GlueCatalog
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import make_url

from lakemuster.metadata.names import Levels
from tests.fake_catalog import FakeCatalog
from tests.stalling_proxy import StallingProxy

DATA = pa.table({"id": pa.array(range(10), pa.int64())})
HIVE = pytest.param("hive", marks=pytest.mark.full)
READ_HERE = ["sql", "postgres", "glue", HIVE]
"""Catalogs of Iceberg tables that speak no REST."""
REMOTE = ["rest", "postgres", "glue", HIVE, "paimon-rest"]
"""Catalogs that are servers."""
EVERY = [*REMOTE, "sql", "paimon-folders", pytest.param("paimon-hive", marks=pytest.mark.full)]
_REGIONS = cycle(["us-west-1", "us-west-2", "eu-west-1", "eu-west-2", "eu-central-1", "ap-south-1", "sa-east-1"])
"""Each lake has one: the tests' AWS keeps what is in the others apart."""


class Lake(ABC):
    """Tables of one catalog. A commit adds one data file of ten rows.

    Attributes:
        format: of its tables.
    """

    format: ClassVar[str] = "iceberg"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Its table of the settings file, without roots."""

    @abstractmethod
    def create(self, table: Levels) -> None:
        """Create a table, and commit once."""

    @abstractmethod
    def commit(self, table: Levels) -> None:
        """Commit once more."""

    @abstractmethod
    def drop(self, table: Levels) -> None:
        """Drop a table."""

    @abstractmethod
    def rename(self, table: Levels, to: Levels) -> None:
        """Give a table another name."""

    @abstractmethod
    def stop(self) -> None:
        """Have the catalog answer with nothing of use, from now on."""

    def close(self) -> None:
        """Leave nothing for the next lake."""
        return


class CatalogOwnedLake(Lake):
    """A lake whose catalog decides what is committed: a table's folder may hold more."""

    @abstractmethod
    def lose_commit(self, table: Levels) -> None:
        """Write to a table's folder what would be the next commit, and do not tell the catalog."""


class IcebergLake(CatalogOwnedLake):
    """Tables that a catalog of PyIceberg writes."""

    def __init__(self, folder: Path, writer: Catalog) -> None:
        super().__init__(folder)
        self.writer = writer

    def create(self, table: Levels) -> None:
        location = f"file://{self.folder}/lake/{'/'.join(table[:-1])}"
        self.writer.create_namespace_if_not_exists(table[:-1], {"location": location})
        self.writer.create_table(table, DATA.schema).append(DATA)

    def commit(self, table: Levels) -> None:
        self.writer.load_table(table).append(DATA)

    def drop(self, table: Levels) -> None:
        self.writer.drop_table(table)

    def rename(self, table: Levels, to: Levels) -> None:
        self.writer.rename_table(table, to)

    def pointer(self, table: Levels) -> str:
        """The location of the current metadata, as PyIceberg finds it."""
        return self.writer.load_table(table).metadata_location

    def lose_commit(self, table: Levels) -> None:
        other = SqlCatalog("other", uri=f"sqlite:///{self.folder}/other.db", warehouse=f"file://{self.folder}/lake")
        other.create_namespace_if_not_exists(table[:-1])
        lost = other.register_table(table, self.pointer(table))
        lost.append(DATA)
        other.drop_table(table)
        number = Path(lost.metadata_location).name.partition("-")[0]
        assert number > Path(self.pointer(table)).name.partition("-")[0]


class SqlLake(IcebergLake):
    """An SQL catalog in a SQLite file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "catalog.db"
        super().__init__(folder, SqlCatalog("theirs", uri=f"sqlite:///{self.file}", warehouse=f"file://{folder}/lake"))

    @property
    def settings(self) -> dict[str, Any]:
        return {"type": "sql", "uri": f"sqlite:///{self.file}", "catalog_name": "theirs"}

    def stop(self) -> None:
        self.file.write_bytes(b"no database" * 1000)


class RemoteLake(IcebergLake):
    """Tables of a catalog that is a server, behind a proxy that can stop it."""

    def __init__(self, folder: Path, writer: Catalog, target: Path | tuple[str, int]) -> None:
        super().__init__(folder, writer)
        self.proxy = StallingProxy(target)

    def stop(self) -> None:
        self.proxy.close()

    def close(self) -> None:
        self.proxy.close()


class PostgresLake(RemoteLake):
    """An SQL catalog in PostgreSQL."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = make_url(url)
        writer = SqlCatalog("prod", uri=url, warehouse=f"file://{folder}/lake")
        host = str(self.url.query["host"])
        super().__init__(folder, writer, Path(host) / ".s.PGSQL.5432")

    @property
    def settings(self) -> dict[str, Any]:
        through = self.url.set(host="127.0.0.1", port=self.proxy.port, query={"sslmode": "disable"})
        return {"type": "sql", "uri": through.render_as_string(hide_password=False)}


class RestLake(RemoteLake):
    """A REST catalog, whose writer tells it of each commit."""

    def __init__(self, folder: Path, fake: FakeCatalog) -> None:
        writer = SqlCatalog("own", uri=f"sqlite:///{folder}/own.db", warehouse=f"file://{folder}/lake")
        super().__init__(folder, writer, address(fake.uri))
        self.fake = fake

    @property
    def settings(self) -> dict[str, Any]:
        return {"type": "rest", "uri": f"http://127.0.0.1:{self.proxy.port}"}

    def create(self, table: Levels) -> None:
        super().create(table)
        self.fake.tables[table] = self.pointer(table)

    def commit(self, table: Levels) -> None:
        super().commit(table)
        self.fake.tables[table] = self.pointer(table)

    def drop(self, table: Levels) -> None:
        super().drop(table)
        del self.fake.tables[table]

    def rename(self, table: Levels, to: Levels) -> None:
        super().rename(table, to)
        self.fake.tables[to] = self.fake.tables.pop(table)


class GlueLake(RemoteLake):
    """Glue, as moto has it."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.properties = {
            "glue.region": next(_REGIONS),
            "glue.access-key-id": "key",
            "glue.secret-access-key": "secret",
        }
        told = {**self.properties, "glue.endpoint": endpoint, "warehouse": f"file://{folder}/lake"}
        super().__init__(folder, GlueCatalog("writer", **told), address(endpoint))

    @property
    def settings(self) -> dict[str, Any]:
        endpoint = f"http://127.0.0.1:{self.proxy.port}"
        return {"type": "glue", **self.properties, "glue.endpoint": endpoint, "glue.max-retries": "1"}

    def close(self) -> None:
        super().close()
        _drop_all(self.writer)


class HiveLake(RemoteLake):
    """A Hive Metastore."""

    def __init__(self, folder: Path, uri: str) -> None:
        writer = HiveCatalog("writer", uri=uri, warehouse=f"file://{folder}/lake")
        super().__init__(folder, writer, address(uri))

    @property
    def settings(self) -> dict[str, Any]:
        # The first address does not answer.
        return {"type": "hive", "uri": f"thrift://127.0.0.1:1,thrift://127.0.0.1:{self.proxy.port}"}

    def close(self) -> None:
        super().close()
        _drop_all(self.writer)


def address(uri: str) -> tuple[str, int]:
    """The host and the port of a server."""
    parts = urlsplit(uri)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def _drop_all(catalog: Catalog) -> None:
    for namespace in catalog.list_namespaces():
        if namespace != ("default",):
            for table in catalog.list_tables(namespace):
                catalog.drop_table(table)
            catalog.drop_namespace(namespace)
