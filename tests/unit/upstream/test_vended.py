"""Vended credentials apply to their prefixes, are renewed before they expire, and are refused if invalid."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from lakemuster.errors import StorageDenied, UpstreamFailed
from lakemuster.storage.locations import Location
from lakemuster.storage.prefix_credentials import find_credentials
from lakemuster.upstream.vended import EARLY, LIFE_SECONDS, VendedCredentials
from tests.clocks import SteppedClock

ORDERS = ("shop", "orders")
KEYS = {"s3.access-key-id": "ASIA", "s3.secret-access-key": "secret", "s3.session-token": "session"}


class Catalog:
    """A catalog that vends numbered credentials with a given lifetime."""

    def __init__(self, clock: SteppedClock, life: float | None = 1000.0, skew: float = 0.0) -> None:
        self.asked = 0
        self.life, self.skew = life, skew
        self.vended = VendedCredentials(self.load, clock)

    def load(self, levels: object) -> None:
        self.asked += 1
        config: dict[str, object] = {**KEYS, "s3.access-key-id": f"ASIA{self.asked}"}
        answered_at = 1_700_000_000 + self.skew
        if self.life is not None:
            config["s3.session-token-expires-at-ms"] = str(int((answered_at + self.life) * 1000))
        document = {"metadata": {"location": "s3://lake/shop/orders"}, "config": config}
        self.vended.note(ORDERS, orjson.dumps(document), answered_at)

    def key(self) -> object:
        [vended] = self.vended.credentials(ORDERS)
        return vended.signing["key"]


@pytest.mark.parametrize(("life", "skew"), [(1000.0, 0.0), (1000.0, 86_400.0), (None, 0.0)])
def test_credentials_are_renewed_before_they_end_by_the_catalogs_clock(life: float | None, skew: float) -> None:
    clock = SteppedClock()
    catalog = Catalog(clock, life, skew)
    assert [catalog.key(), catalog.key()] == ["ASIA1", "ASIA1"]
    clock.pass_seconds((LIFE_SECONDS if life is None else life) * EARLY - 1)
    assert catalog.key() == "ASIA1"
    clock.pass_seconds(2)
    assert catalog.key() == "ASIA2"


def test_credentials_that_have_ended_are_not_used() -> None:
    with pytest.raises(UpstreamFailed, match="vends no credentials"):
        Catalog(SteppedClock(), life=-1.0).key()


def test_threads_that_need_the_same_credentials_ask_once() -> None:
    catalog = Catalog(SteppedClock())
    begin = threading.Barrier(8)

    def key() -> object:
        begin.wait()
        return catalog.key()

    with ThreadPoolExecutor(8) as pool:
        assert {future.result() for future in [pool.submit(key) for _ in range(8)]} == {"ASIA1"}
    assert catalog.asked == 1


def test_each_set_of_credentials_opens_its_prefix_alone() -> None:
    vended = VendedCredentials(lambda _: None)
    stated = [
        {"prefix": "s3://lake/shop/orders", "config": {**KEYS, "s3.access-key-id": "wide"}},
        {"prefix": "s3://lake/shop/orders/metadata/", "config": {**KEYS, "s3.access-key-id": "narrow"}},
        {"prefix": "gs://lake/", "config": {"gcs.oauth2.token": "x"}},
    ]
    document = {"config": {"s3.endpoint": "http://s3", "client.region": "r"}, "storage-credentials": stated}
    vended.note(ORDERS, orjson.dumps(document), 0.0)
    credentials = vended.credentials(ORDERS)
    for path, key in (("orders/data/1.parquet", "wide"), ("orders/metadata/1.avro", "narrow")):
        chosen = find_credentials(credentials, Location.parse(f"s3://lake/shop/{path}"))
        assert chosen.signing["key"] == key
        assert chosen.merged({"key": "operator", "secret": "operator", "profile": "p", "anon": True}) == {
            "endpoint_url": "http://s3",
            "client_kwargs": {"region_name": "r"},
            "key": key,
            "secret": "secret",
            "token": "session",
        }
    assert credentials[0].merged({"endpoint_url": "http://operators"})["endpoint_url"] == "http://operators"
    for other in ("s3://lake/shop/orders2/x", "s3://lake/shop", "s3://other/shop/orders/x", "gs://lake/x"):
        with pytest.raises(StorageDenied):
            find_credentials(credentials, Location.parse(other))


def test_credentials_are_not_shown() -> None:
    catalog = Catalog(SteppedClock())
    catalog.key()
    assert "secret" not in repr(catalog.vended.credentials(ORDERS))


@pytest.mark.parametrize(
    "document",
    [
        b"[]",
        b'{"config": 1}',
        b'{"storage-credentials": {"prefix": "s3://lake/"}}',
        b'{"storage-credentials": [{"prefix": "s3://lake/"}]}',
        b'{"storage-credentials": [{"prefix": "s3://lake/../x", "config": {"s3.access-key-id": "x"}}]}',
        b'{"storage-credentials": [{"prefix": "s3://", "config": {"s3.access-key-id": "x"}}]}',
        b'{"config": {"s3.access-key-id": "x"}, "metadata": {}}',
    ],
)
def test_odd_credentials_are_the_catalogs_failure(document: bytes) -> None:
    with pytest.raises(UpstreamFailed):
        VendedCredentials(lambda _: None).note(ORDERS, document, 0.0)


def test_nothing_is_kept_of_a_table_that_the_catalog_does_not_load() -> None:
    def fail(_: object) -> None:
        raise UpstreamFailed("the catalog does not answer")

    vended = VendedCredentials(fail, SteppedClock())
    with pytest.raises(UpstreamFailed):
        vended.credentials(ORDERS)
    assert not vended._asking
