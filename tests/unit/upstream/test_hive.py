"""A Hive Metastore: which address is asked, and records that are too large for one response."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from thrift.transport.TTransport import TTransportException

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import UpstreamFailed
from lakemuster.upstream.hive import TABLES_AT_ONCE, HiveCatalog
from lakemuster.upstream.hive_connection import AnswerTooLarge, HiveConnections

ICEBERG = {"table_type": "ICEBERG", "metadata_location": "s3://lake/1"}


class Connections(HiveConnections):
    """Connections to addresses, of which some do not respond."""

    def __init__(self, uri: str) -> None:
        super().__init__({"uri": uri})
        self.silent: set[str] = set()
        self.asked: list[str] = []

    def _call(self, host: str, port: int, ask: Callable[[Any], Any]) -> Any:
        self.asked.append(host)
        if host in self.silent:
            raise TTransportException(TTransportException.TIMED_OUT, "silent")
        return ask(None)


def test_an_address_that_does_not_respond_is_not_asked_first_again() -> None:
    connections = Connections("thrift://a:1,thrift://b:1,thrift://c:1")
    connections.silent = {"a", "b"}
    assert [connections.call(lambda _: 1) for _ in range(3)] == [1, 1, 1]
    assert connections.asked == ["a", "b", "c", "c", "c"]
    connections.silent = {"c"}
    connections.asked.clear()
    assert [connections.call(lambda _: 1) for _ in range(2)] == [1, 1]
    assert connections.asked == ["c", "a", "a"]
    connections.silent = {"a", "b", "c"}
    connections.asked.clear()
    with pytest.raises(TTransportException):
        connections.call(lambda _: 1)
    assert sorted(connections.asked) == ["a", "b", "c"]


class Metastore:
    """A Metastore whose response is too large for the connection if it has more than some records."""

    def __init__(self, tables: int, largest: int) -> None:
        self.names = [f"t{number}" for number in range(tables)]
        self.largest = largest

    def call(self, ask: Callable[[Any], Any]) -> Any:
        return ask(self)

    def get_all_databases(self) -> list[str]:
        return ["db"]

    def get_all_tables(self, _: str) -> list[str]:
        return self.names

    def get_table_objects_by_name_req(self, request: Any) -> Any:
        if len(request.tblNames) > self.largest:
            raise AnswerTooLarge
        records = [SimpleNamespace(dbName="db", tableName=name, parameters=ICEBERG) for name in request.tblNames]
        return SimpleNamespace(tables=records)


@pytest.mark.parametrize("largest", [TABLES_AT_ONCE, 7, 1])
def test_records_that_are_too_large_together_are_read_in_parts(largest: int) -> None:
    catalog = HiveCatalog("prod", CatalogSettings.model_validate({"type": "hive", "uri": "thrift://a:1"}))
    catalog._connections = Metastore(TABLES_AT_ONCE + 3, largest)  # type: ignore[assignment]
    assert [name for _, name in catalog.every_table()] == [f"t{number}" for number in range(TABLES_AT_ONCE + 3)]


def test_a_record_that_is_too_large_alone_fails_the_listing() -> None:
    catalog = HiveCatalog("prod", CatalogSettings.model_validate({"type": "hive", "uri": "thrift://a:1"}))
    catalog._connections = Metastore(3, 0)  # type: ignore[assignment]
    with pytest.raises(UpstreamFailed, match="more than"):
        list(catalog.every_table())
