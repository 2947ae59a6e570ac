"""An Iceberg SQL catalog (JDBC catalog): a database with a row for each table. It is only read.

PyIceberg's catalog opens the database; pointers and listings are read from the rows of ``iceberg_tables`` directly.
Source: Iceberg's ``JdbcUtil`` (schemas V0 and V1), PyIceberg's ``SqlCatalog``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from pyiceberg.catalog.sql import SqlCatalog as PyIcebergSqlCatalog
from sqlalchemy import ColumnClause, Select, and_, column, inspect, or_, select, table
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    InterfaceError,
    NoSuchModuleError,
    NoSuchTableError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, ConfigInvalid
from lakemuster.failure_reasons import reason_of
from lakemuster.metadata.names import Levels
from lakemuster.upstream.deadlines import DeadlineExceeded, Deadlines
from lakemuster.upstream.protocol import ANSWER_SECONDS, CONNECT_SECONDS, Upstream

LIST_SECONDS = 60.0
"""Timeout of the list of all tables."""
_POSTGRES = {
    "connect_timeout": str(int(CONNECT_SECONDS)),
    "tcp_user_timeout": str(int(ANSWER_SECONDS * 1000)),
    "keepalives_idle": str(int(ANSWER_SECONDS)),
}
"""Default parameters of libpq; the URL may override them."""
_TYPE: ColumnClause[str] = column("iceberg_type")
_TABLES = table(
    "iceberg_tables",
    column("catalog_name"),
    column("table_namespace"),
    column("table_name"),
    column("metadata_location"),
)
_COLUMNS = _TABLES.c


class SqlCatalog(Upstream):
    """One attached SQL catalog.

    Args:
        settings: PyIceberg's properties, and ``catalog_name``: the name under which the catalog's rows are stored, if
            it differs from the name of the attached catalog.
    """

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        properties = dict(settings.properties)
        self._stored_name = properties.pop("catalog_name", name)
        # PyIceberg would alter the table to this version.
        properties.pop("schema_version", None)
        try:
            url = _bounded(make_url(properties["uri"]))
            url.get_dialect()
        except (ArgumentError, NoSuchModuleError, ValueError) as cause:
            raise ConfigInvalid(f"the uri of the catalog {name} is not the URL of a database") from cause
        if "@" in (url.host or ""):
            raise ConfigInvalid(
                f"the uri of the catalog {name} has more than one @: in a user name or password, write %40"
            )
        self._properties = {
            "pool_pre_ping": "true",
            **properties,
            "uri": url.render_as_string(hide_password=False),
            "init_catalog_tables": "false",
        }
        self._deadlines = Deadlines(clock=clock)
        self._lock = threading.Lock()
        self._opened: tuple[PyIcebergSqlCatalog, bool] | None = None

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        *namespace, name = levels
        if any("." in level for level in namespace):
            raise self._no_table(levels)
        key = (".".join(namespace), name)
        chosen = and_(_COLUMNS.table_namespace == key[0], _COLUMNS.table_name == key[1])
        names = (_COLUMNS.table_namespace, _COLUMNS.table_name)
        rows = self._rows(select(*names, _COLUMNS.metadata_location).where(chosen), ANSWER_SECONDS)
        # Some databases' comparisons ignore case, or spaces at the end.
        locations = [row[2] for row in rows if row[:2] == key]
        if not locations:
            raise self._no_table(levels)
        location = locations[0]
        if not isinstance(location, str) or not location:
            raise self._failed("the table's row has no metadata_location")
        return location

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        for namespace, name in self._rows(select(_COLUMNS.table_namespace, _COLUMNS.table_name), LIST_SECONDS):
            if not isinstance(namespace, str) or not isinstance(name, str):
                raise self._failed("a table's row has no name")
            yield (*namespace.split("."), name)

    def _rows(self, query: Select[Any], seconds: float) -> list[tuple[Any, ...]]:
        def read() -> list[tuple[Any, ...]]:
            catalog, has_types = self._catalog()
            only = query.where(_COLUMNS.catalog_name == self._stored_name)
            if has_types:
                # The table has rows of views, too.
                only = only.where(or_(_TYPE.is_(None), _TYPE == "TABLE"))
            with catalog.engine.connect() as connection:
                return [tuple(row) for row in connection.execute(only)]

        return self._request(lambda: self._deadlines.run(read, seconds))

    def _catalog(self) -> tuple[PyIcebergSqlCatalog, bool]:
        """Return PyIceberg's catalog, whose constructor queries the database, and whether its rows have types."""
        with self._lock:
            if self._opened is None:
                catalog = PyIcebergSqlCatalog(self._stored_name, **self._properties)
                columns = inspect(catalog.engine).get_columns(_TABLES.name)
                self._opened = catalog, any(found["name"] == _TYPE.name for found in columns)
            return self._opened

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        if isinstance(cause, DeadlineExceeded | PoolTimeout):
            return self._timed_out()
        if isinstance(cause, NoSuchTableError):
            return self._failed("its database has no table iceberg_tables")
        if isinstance(cause, OperationalError | InterfaceError):
            return self._unavailable(reason_of(cause))
        if isinstance(cause, ImportError):
            return self._failed(f"its driver {cause.name} is not installed")
        # A driver that cannot decode a response raises a ValueError.
        if isinstance(cause, SQLAlchemyError | ValueError):
            return self._failed(type(cause).__name__)
        return None

    def close(self) -> None:
        """See :meth:`Upstream.close`."""
        if self._opened is not None:
            self._opened[0].engine.dispose()


def _bounded(url: URL) -> URL:
    """Return a database's URL with timeouts for its driver, and with a mode in which SQLite creates no file."""
    dialect = url.get_backend_name()
    if dialect == "postgresql":
        return url.set(query={**_POSTGRES, **url.query})
    if dialect == "sqlite" and url.database and not url.database.startswith(("file:", ":")):
        return url.set(database=f"file:{quote(url.database)}", query={"mode": "rw", "uri": "true", **url.query})
    return url
