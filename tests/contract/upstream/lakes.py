"""A lake for each type of attached catalog: its tables, the catalog, and a writer that bypasses the server."""

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
"""Catalogs of Iceberg tables without a REST API."""
REMOTE = ["rest", "postgres", "glue", HIVE, "paimon-rest"]
"""Catalogs that are servers."""
EVERY = [*REMOTE, "sql", "paimon-folders", pytest.param("paimon-hive", marks=pytest.mark.full)]
_REGIONS = cycle(["us-west-1", "us-west-2", "eu-west-1", "eu-west-2", "eu-central-1", "ap-south-1", "sa-east-1"])
"""A region for each lake: the tests' AWS server separates the data of regions."""


class Lake(ABC):
    """Tables of one catalog. Each commit adds one data file of ten rows.

    Attributes:
        format: the format of its tables.
    """

    format: ClassVar[str] = "iceberg"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Its section of the settings file, without roots."""

    @abstractmethod
    def create(self, table: Levels) -> None:
        """Create a table and make one commit."""

    @abstractmethod
    def commit(self, table: Levels) -> None:
        """Make one more commit."""

    @abstractmethod
    def drop(self, table: Levels) -> None:
        """Drop a table."""

    @abstractmethod
    def rename(self, table: Levels, to: Levels) -> None:
        """Rename a table."""

    @abstractmethod
    def stop(self) -> None:
        """Make the catalog unavailable from now on."""

    def close(self) -> None:
        """Release the lake's resources."""
        return


class CatalogOwnedLake(Lake):
    """A lake whose catalog has the tables' pointers: a table's folder may contain files that are not committed."""

    @abstractmethod
    def lose_commit(self, table: Levels) -> None:
        """Write the files of the next commit to a table's folder without committing to the catalog."""


class IcebergLake(CatalogOwnedLake):
    """Iceberg tables that PyIceberg writes."""

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
        """Return the location of a table's current metadata file, according to PyIceberg."""
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
    """Tables of a remote catalog, behind a proxy that can cut the connection."""

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
    """A REST catalog; the writer passes each commit's pointer to it."""

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
    """AWS Glue, emulated by moto."""

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
        # Nothing listens at the first address.
        return {"type": "hive", "uri": f"thrift://127.0.0.1:1,thrift://127.0.0.1:{self.proxy.port}"}

    def close(self) -> None:
        super().close()
        _drop_all(self.writer)


def address(uri: str) -> tuple[str, int]:
    """Return the host and the port of a server's URI."""
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
