"""A Hive Metastore as a catalog of Iceberg or Paimon tables, whose pointers are in the Metastore's records.

An Iceberg table's pointer is the parameter ``metadata_location``; a Paimon table's root is its storage location.
Source: Iceberg's ``HiveTableOperations`` and ``HiveCatalog``; Paimon's ``HiveCatalog``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from hive_metastore.ttypes import (
    ClientCapabilities,
    ClientCapability,
    GetTableRequest,
    GetTablesRequest,
    NoSuchObjectException,
    UnknownDBException,
)
from thrift.transport.TTransport import TTransportException

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError
from lakemuster.failure_reasons import reason_of
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import Format
from lakemuster.upstream.hive_connection import UNREADABLE, AnswerTooLarge, HiveConnections, is_timeout
from lakemuster.upstream.iceberg_records import is_iceberg, location_in
from lakemuster.upstream.protocol import MAX_BYTES, Upstream

TABLES_AT_ONCE = 200
"""Limit of the records of one request, since some have thousands of columns; fewer if the response is too large."""
# Without this capability, the Metastore refuses a list with an insert-only table. Only such a table's record is read.
_CAPABILITIES = ClientCapabilities([ClientCapability.INSERT_ONLY_TABLES])


class _HiveMetastore(Upstream):
    """One attached Metastore: its databases are namespaces of one level."""

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        self._connections = HiveConnections(settings.properties, clock)

    @abstractmethod
    def _is_ours(self, record: Any) -> bool:
        """Return whether a record is a table of this catalog's format."""

    @abstractmethod
    def _location(self, record: Any) -> str | None:
        """Return the pointer in a table's record."""

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        record = self._record(*levels) if len(levels) == 2 else None
        # The Metastore's lookup ignores case.
        if record is None or (record.dbName, record.tableName) != levels or not self._is_ours(record):
            raise self._no_table(levels)
        location = self._location(record)
        if not location:
            raise self._failed("the table's record has no location of its metadata")
        return location

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        for database in self._request(lambda: self._connections.call(lambda client: client.get_all_databases())):
            names = self._names(database)
            for at in range(0, len(names), TABLES_AT_ONCE):
                for record in self._records(database, names[at : at + TABLES_AT_ONCE]):
                    if self._is_ours(record):
                        yield str(database), str(record.tableName)

    def _names(self, database: str) -> list[str]:
        """Return the names of a database's tables and views; empty if it was dropped meanwhile."""

        def ask(client: Any) -> list[str]:
            return list(client.get_all_tables(database))

        return self._request(lambda: self._connections.call(ask))

    def _record(self, database: str, name: str) -> Any:
        request = GetTableRequest(dbName=database, tblName=name, capabilities=_CAPABILITIES)

        def ask(client: Any) -> Any:
            try:
                return client.get_table_req(request).table
            except NoSuchObjectException:
                return None

        return self._request(lambda: self._connections.call(ask))

    def _records(self, database: str, names: Sequence[str]) -> list[Any]:
        request = GetTablesRequest(dbName=database, tblNames=list(names), capabilities=_CAPABILITIES)

        def ask(client: Any) -> list[Any]:
            try:
                return list(client.get_table_objects_by_name_req(request).tables)
            except (UnknownDBException, NoSuchObjectException):
                return []

        def read() -> list[Any] | None:
            try:
                return self._connections.call(ask)
            except AnswerTooLarge:
                if len(names) == 1:
                    raise
                return None

        found = self._request(read)
        if found is not None:
            return found
        half = len(names) // 2
        return [*self._records(database, names[:half]), *self._records(database, names[half:])]

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        if isinstance(cause, AnswerTooLarge):
            return self._failed(f"it answers with more than {MAX_BYTES} bytes")
        if is_timeout(cause):
            return self._timed_out()
        if isinstance(cause, TTransportException | OSError):
            return self._unavailable(reason_of(cause))
        if isinstance(cause, ImportError):
            return self._failed(f"signing in with Kerberos needs {cause.name}, which is not installed")
        return self._failed(f"its answer is {type(cause).__name__}") if isinstance(cause, UNREADABLE) else None


class HiveCatalog(_HiveMetastore):
    """A Metastore's Iceberg tables."""

    def _is_ours(self, record: Any) -> bool:
        return is_iceberg(record.parameters or {})

    def _location(self, record: Any) -> str | None:
        return location_in(record.parameters or {})


class PaimonHiveCatalog(_HiveMetastore):
    """A Metastore's Paimon tables."""

    format: ClassVar[Format] = "paimon"

    def _is_ours(self, record: Any) -> bool:
        parameters = record.parameters or {}
        named = (parameters.get("table_type", ""), parameters.get("storage_handler", ""))
        return str(named[0]).lower() == "paimon" or str(named[1]).endswith(".PaimonStorageHandler")

    def _location(self, record: Any) -> str | None:
        location = (record.parameters or {}).get("paimon_location") or (record.sd and record.sd.location)
        return str(location).rstrip("/") if location else None
