"""The port to attached catalogs of every type: pointers, listings and failures."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import TableNotFound, UpstreamFailed, UpstreamTimedOut, UpstreamUnavailable
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream import glue, hive_connection, http_upstream, rest, sql
from lakemuster.upstream.breaker import FAILURES
from lakemuster.upstream.protocol import Upstream
from lakemuster.upstream.registry import open_upstream
from tests.contract.upstream.lakes import REMOTE, IcebergLake, Lake
from tests.contract.upstream.paimon_lakes import PaimonFoldersLake

A, B = ("db", "a"), ("db", "b")


@contextmanager
def opened(lake: Lake, **changes: Any) -> Iterator[Upstream]:
    found = open_upstream("prod", CatalogSettings(**{**lake.settings, **changes}), ObjectStore([str(lake.folder)], {}))
    try:
        yield found
    finally:
        found.close()


def test_pointers_are_those_that_the_catalogs_own_client_finds(lake: Lake) -> None:
    lake.create(A)
    lake.commit(A)
    with opened(lake) as upstream:
        assert upstream.format == lake.format
        expected = lake.pointer(A) if isinstance(lake, IcebergLake) else ""
        if isinstance(lake, PaimonFoldersLake):
            expected = str(lake.root(A))
        assert upstream.pointer(A).removeprefix("file:").lstrip("/") == expected.removeprefix("file:").lstrip("/")
        for missing in (B, ("none", "a"), ("db", "A"), ("db", "x", "a"), ("a",)):
            with pytest.raises(TableNotFound):
                upstream.pointer(missing)


def test_the_listing_is_complete(lake: Lake) -> None:
    tables = [A, B, ("db", "c"), ("other", "d"), ("third", "e")]
    for table in tables:
        lake.create(table)
    with opened(lake) as upstream:
        assert sorted(upstream.every_table()) == tables


def test_a_catalog_that_is_not_there_fails_and_is_not_asked_on_and_on(lake: Lake) -> None:
    lake.create(A)
    with opened(lake) as upstream:
        assert list(upstream.every_table()) == [A]
        lake.stop()
        for _ in range(FAILURES + 1):
            with pytest.raises(UpstreamFailed):
                upstream.pointer(A)
        with pytest.raises(UpstreamFailed):
            list(upstream.every_table())


@pytest.mark.parametrize("lake", REMOTE, indirect=True)
def test_a_silent_catalog_is_waited_for_until_a_limit(lake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (glue, hive_connection, http_upstream, sql):
        monkeypatch.setattr(module, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(glue, "WHOLE_SECONDS", 0.5)
    monkeypatch.setattr(rest, "FAILED_SECONDS", 0.0)
    lake.create(A)
    with opened(lake) as upstream, lake.proxy.stalled():
        for _ in range(FAILURES):
            with pytest.raises(UpstreamTimedOut):
                upstream.pointer(A)
        with pytest.raises(UpstreamUnavailable, match="5 times in a row"):
            upstream.pointer(A)


ADDRESSES = pytest.mark.parametrize(
    "settings",
    [
        {"type": "hive", "uri": "thrift://127.0.0.1:PORT"},
        {"type": "rest", "uri": "http://127.0.0.1:PORT"},
        {"type": "glue", "glue.endpoint": "http://127.0.0.1:PORT", "glue.region": "us-east-1", "glue.max-retries": "1"},
        {"type": "paimon", "metastore": "rest", "uri": "http://127.0.0.1:PORT", "warehouse": "w"},
        {"type": "sql", "uri": "postgresql+psycopg2://u@127.0.0.1:PORT/db?sslmode=disable"},
    ],
    ids=lambda settings: settings["type"],
)


@ADDRESSES
def test_the_error_of_an_address_that_refuses_connections_has_the_reason(settings: dict[str, Any]) -> None:
    keys = ("glue.access-key-id", "glue.secret-access-key") if settings["type"] == "glue" else ()
    found = {name: str(value).replace("PORT", "1") for name, value in settings.items()} | dict.fromkeys(keys, "key")
    upstream = open_upstream("prod", CatalogSettings(**found), ObjectStore([], {}))
    with pytest.raises(UpstreamUnavailable) as told:
        upstream.pointer(A)
    assert told.value.message == "the catalog prod does not answer: connection refused"
    upstream.close()


@ADDRESSES
def test_a_catalog_that_talks_nonsense_fails(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("glue.access-key-id", "glue.secret-access-key") if settings["type"] == "glue" else ():
        settings = {**settings, name: "key"}
    random = Random(7)
    with _babbling(random) as port:
        told = {name: str(value).replace("PORT", str(port)) for name, value in settings.items()}
        for _ in range(8):
            upstream = open_upstream("prod", CatalogSettings(**told), ObjectStore([], {}))
            with pytest.raises(UpstreamFailed):
                upstream.pointer(A)
            with pytest.raises(UpstreamFailed):
                list(upstream.every_table())
            upstream.close()


@contextmanager
def _babbling(random: Random) -> Iterator[int]:
    """Yield a port where each connection receives random bytes, some of them framed as HTTP or Thrift."""

    def answer(client: socket.socket) -> None:
        with suppress(OSError), client:
            client.recv(65_536)
            body = random.randbytes(random.randrange(200))
            status = random.choice([200, 204, 302, 404, 500])
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            reply = b"\x80\x01\x00\x02" + (0).to_bytes(4, "big") + (0).to_bytes(4, "big")
            client.sendall(random.choice([b"", head, reply]) + body)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
