"""Faults of object stores other than S3 raise the right error within the deadline, and leak no resources."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LocationRefused,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
    WrongLength,
)
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.certificates import write_certificate
from tests.contract.storage import faulty_server as faults
from tests.contract.storage.faulty_server import BODY, Behaviour, FaultyServer, answer, error
from tests.raw_catalog import answer as raw_answer
from tests.raw_catalog import raw_catalog

DEADLINE = 1.0
SLACK = 3.0
"""Seconds that a busy machine may take on top of the deadline."""
SECRET = base64.b64encode(b"hunter2-key").decode()


@dataclass(frozen=True)
class Store:
    """The options that direct one kind of store to the faulty server."""

    root: Callable[[str], str]
    storage: Callable[[str], dict[str, dict[str, Any]]]
    whole: Callable[[bytes], Behaviour] = answer


def _azure(url: str) -> dict[str, dict[str, Any]]:
    return {"abfs": {"connection_string": f"AccountName=lake;AccountKey={SECRET};BlobEndpoint={url}/lake"}}


def _of_azure(data: bytes) -> str:
    return f"Content-Range: bytes 0-{len(data) - 1}/{len(data)}\r\nx-ms-blob-type: BlockBlob\r\n"


def _ranged(data: bytes) -> Behaviour:
    return answer(data, "206 Partial Content", more=_of_azure(data))


STORES = {
    "http": Store(lambda url: f"{url}/lake", lambda url: {"http": {"headers": {"Authorization": "Bearer hunter2"}}}),
    "google": Store(lambda url: "gs://lake", lambda url: {"gs": {"endpoint_url": url, "token": "anon"}}),
    "azure": Store(lambda url: "abfs://lake", _azure, _ranged),
    "hdfs": Store(lambda url: "hdfs://name:8020/lake", lambda url: {"hdfs": {"webhdfs": url, "token": "hunter2"}}),
}
_XML = "Content-Type: application/xml\r\n"
BROKEN = {
    "drip": faults.drip,
    "drip_head": faults.drip_head,
    "hang": faults.hang,
    "reset": faults.reset,
    "reset_midway": faults.reset_midway,
    "garbage": faults.garbage,
    "truncated": answer(length=len(BODY) + 50),
    "500": error("500 Internal Server Error", "InternalError"),
    "503": error("503 Slow Down", "SlowDown"),
    "502": error("502 Bad Gateway"),
    "429": error("429 Too Many Requests"),
    "no message": answer(b"<Error><Code>SlowDown</Code></Error>", "503 Slow Down", more=_XML),
}


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of store."""
    return str(request.param)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.storage.attempts.PAUSES_SECONDS", (0.01,) * 5)


_OPENED: dict[tuple[str, str, float], ObjectStore] = {}


def opened(kind: str, server: FaultyServer, deadline_seconds: float = DEADLINE) -> tuple[ObjectStore, str]:
    """Return a store that has already read the object, and the object's location."""
    store, key = STORES[kind], (kind, server.url, deadline_seconds)
    place = f"{store.root(server.url)}/t/m0.avro"
    if key not in _OPENED:
        server.script = [store.whole(BODY)]
        _OPENED[key] = ObjectStore(
            [store.root(server.url)], store.storage(server.url), deadline_seconds=deadline_seconds
        )
        assert _OPENED[key].read(place) == BODY
        server.start_over()
    return _OPENED[key], place


def failure_of(store: ObjectStore, place: str, expected_length: int | None = None) -> CatalogError:
    started = time.monotonic()
    with pytest.raises(CatalogError) as caught:
        store.read(place, expected_length=expected_length)
    assert time.monotonic() - started < DEADLINE + SLACK
    told = f"{caught.value} {caught.value.context}"
    assert "hunter2" not in told
    assert SECRET not in told
    assert place in told
    return caught.value


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_server_is_unavailable_within_the_deadline(kind: str, faulty_server: FaultyServer, fault: str) -> None:
    store, place = opened(kind, faulty_server)
    faulty_server.script = [BROKEN[fault]]
    assert type(failure_of(store, place)) is StorageUnavailable


@pytest.mark.parametrize("fault", ["reset", "reset_midway", "garbage", "503", "500", "429"])
def test_one_retry_recovers_from_a_transient_fault(kind: str, faulty_server: FaultyServer, fault: str) -> None:
    store, place = opened(kind, faulty_server, 10)
    faulty_server.script = [BROKEN[fault], STORES[kind].whole(BODY)]
    assert store.read(place) == BODY
    assert len(faulty_server.requests) == 2


def test_one_layer_retries_a_bounded_number_of_times(kind: str, faulty_server: FaultyServer) -> None:
    store, place = opened(kind, faulty_server, 30)
    faulty_server.script = [BROKEN["503"]]
    with pytest.raises(StorageUnavailable):
        store.read(place)
    assert len(faulty_server.requests) == 6


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        (error("403 Forbidden", "AuthorizationFailure"), StorageDenied),
        (error("401 Unauthorized"), StorageDenied),
        (error("404 Not Found", "BlobNotFound"), ObjectMissing),
        (answer(b"<Error><Code>NoSuchKey</Code></Error>", "404 Not Found", more=_XML), ObjectMissing),
        (error("400 Bad Request", "hunter2 <script>"), StorageError),
        (error("405 Method Not Allowed"), StorageError),
    ],
    ids=["403", "401", "404", "no message", "400", "405"],
)
def test_a_final_answer_is_not_retried(
    kind: str, faulty_server: FaultyServer, behaviour: Behaviour, expected: type[CatalogError]
) -> None:
    store, place = opened(kind, faulty_server)
    faulty_server.script = [behaviour]
    assert type(failure_of(store, place)) is expected
    assert len(faulty_server.requests) == 1


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
def test_no_redirect_is_followed(kind: str, faulty_server: FaultyServer, status: str) -> None:
    with FaultyServer() as elsewhere:
        store, place = opened(kind, faulty_server)
        # Only HDFS's protocol redirects to the data, but not to a URL of another scheme.
        there = f"file://{elsewhere.url}/secret" if kind == "hdfs" else f"{elsewhere.url}/secret?sig=hunter2"
        faulty_server.script = [faults.redirect(status, there)]
        assert type(failure_of(store, place)) is StorageError
        assert elsewhere.requests == []
        assert len(faulty_server.requests) == 1


def test_a_length_other_than_expected_is_told_from_other_failures(kind: str, faulty_server: FaultyServer) -> None:
    store, place = opened(kind, faulty_server)
    faulty_server.script = [STORES[kind].whole(BODY)]
    assert isinstance(failure_of(store, place, expected_length=5), WrongLength)
    assert len(faulty_server.requests) == 1


def test_stat_ends_in_time_too(kind: str, faulty_server: FaultyServer) -> None:
    store, place = opened(kind, faulty_server)
    for fault in ("drip_head", "hang", "500"):
        faulty_server.script = [BROKEN[fault]]
        started = time.monotonic()
        with pytest.raises(StorageUnavailable):
            store.stat(place)
        assert time.monotonic() - started < DEADLINE + SLACK


def test_a_listing_ends_in_time_too(kind: str, faulty_server: FaultyServer) -> None:
    store, place = opened(kind, faulty_server)
    expected = StorageError if kind == "http" else StorageUnavailable
    for fault in ("drip_head", "hang", "500"):
        faulty_server.script = [BROKEN[fault]]
        started = time.monotonic()
        with pytest.raises(expected):
            store.list(place)
        assert time.monotonic() - started < DEADLINE + SLACK


def test_no_connection_outlives_its_failure(kind: str, faulty_server: FaultyServer) -> None:
    store, place = opened(kind, faulty_server)
    faulty_server.script = [faults.hang]
    outcomes = [outcome for _, outcome in store.read_many([ReadRequest(f"{place}{n}") for n in range(20)])]
    assert all(isinstance(outcome, StorageUnavailable) for outcome in outcomes)
    limit = time.monotonic() + 10
    while faulty_server.open:
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_bytes_that_do_not_match_the_md5_of_google_are_requested_again(faulty_server: FaultyServer) -> None:
    store, place = opened("google", faulty_server, 10)
    md5 = base64.b64encode(hashlib.md5(BODY).digest()).decode()
    more = f"x-goog-hash: crc32c=Nks/tw==,md5={md5}\r\n"
    flipped = BODY.replace(b"m", b"n", 1)
    faulty_server.script = [answer(flipped, more=more), answer(more=more)]
    assert store.read(place) == BODY
    assert len(faulty_server.requests) == 2


def test_an_answer_of_azure_that_is_cut_is_requested_again(faulty_server: FaultyServer) -> None:
    # The SDK requests the rest, whose response is wrong too; then the store requests the whole object.
    store, place = opened("azure", faulty_server, 10)
    cut = answer(BODY[:5], "206 Partial Content", more=_of_azure(BODY))
    faulty_server.script = [cut, _ranged(BODY), _ranged(BODY)]
    assert store.read(place, expected_length=len(BODY)) == BODY
    assert len(faulty_server.requests) == 3


def test_a_listing_without_a_length_is_read_to_its_end(faulty_server: FaultyServer) -> None:
    google = {"items": [{"name": "t/a", "size": "1"}, {"name": "t/b", "size": "2"}]}
    entry = {"type": "FILE", "length": 1, "modificationTime": 0}
    hdfs = {"FileStatuses": {"FileStatus": [{"pathSuffix": name, **entry} for name in "ab"]}}
    for kind, listing in (("google", google), ("hdfs", hdfs)):
        store, _ = opened(kind, faulty_server, 10)
        faulty_server.script = [faults.in_parts(json.dumps(listing).encode())]
        assert [info.name for info in store.list(f"{STORES[kind].root(faulty_server.url)}/t")] == ["a", "b"]


@pytest.mark.parametrize("kind", ["google", "hdfs"])
def test_a_listing_is_read_up_to_a_limit(
    kind: str, faulty_server: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = {"google": "gcs", "hdfs": "webhdfs"}[kind]
    monkeypatch.setattr(f"lakemuster.storage.{module}._MOST_PAGE_BYTES", 1 << 20)
    store, _ = opened(kind, faulty_server, 10)
    faulty_server.script = [faults.endless]
    with pytest.raises(StorageError, match="longer than the limit of 1048576 bytes"):
        store.list(f"{STORES[kind].root(faulty_server.url)}/t")


def test_a_name_node_on_standby_is_passed_over_however_its_answer_arrives(faulty_server: FaultyServer) -> None:
    faulty_server.script = [faults.in_parts(b'{"RemoteException": {"exception": "StandbyException"}}', "403 Forbidden")]
    with FaultyServer() as active:
        storage = {"hdfs": {"webhdfs": [faulty_server.url, active.url]}}
        store = ObjectStore(["hdfs://cluster/lake"], storage, deadline_seconds=10)
        assert store.read("hdfs://cluster/lake/x") == BODY


def test_name_nodes_take_turns(faulty_server: FaultyServer) -> None:
    standby = b'{"RemoteException": {"exception": "StandbyException", "message": "hunter2"}}'
    with FaultyServer() as active:
        faulty_server.script = [answer(standby, "403 Forbidden")]
        storage = {"hdfs": {"webhdfs": [faulty_server.url, active.url]}}
        store = ObjectStore(["hdfs://cluster/lake"], storage, deadline_seconds=10)
        assert store.read("hdfs://cluster/lake/x") == BODY
        assert store.read("hdfs://cluster/lake/y") == BODY
        assert (len(faulty_server.requests), len(active.requests)) == (1, 2)


def test_the_data_node_is_told_no_password(faulty_server: FaultyServer) -> None:
    with FaultyServer() as data_node:
        faulty_server.script = [faults.redirect("307 Temporary Redirect", f"{data_node.url}/data")]
        storage = {"hdfs": {"webhdfs": faulty_server.url, "user": "me", "password": "hunter2"}}
        store = ObjectStore(["hdfs://cluster/lake"], storage, deadline_seconds=10)
        assert store.read("hdfs://cluster/lake/x") == BODY
        assert [request.split()[1] for request in data_node.requests] == ["/data"]
        data_node.script = [error("404 Not Found")]
        with pytest.raises(ObjectMissing):
            store.read("hdfs://cluster/lake/x")


@pytest.mark.parametrize("trusted", ["its own", "all", "the system's"])
def test_the_certificate_of_a_name_node_is_checked(tmp_path: Path, trusted: str) -> None:
    certificate = write_certificate(tmp_path)
    verify = {"its own": str(certificate[0]), "all": False, "the system's": True}[trusted]
    with raw_catalog(certificate) as node:
        node.answers = lambda _: raw_answer(BODY)
        storage = {"hdfs": {"webhdfs": node.uri, "session_verify": verify}}
        store = ObjectStore(["hdfs://cluster/lake"], storage, deadline_seconds=10)
        if trusted == "the system's":
            with pytest.raises(StorageUnavailable, match="its TLS certificate is not trusted"):
                store.read("hdfs://cluster/lake/x")
        else:
            assert store.read("hdfs://cluster/lake/x") == BODY


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"user": "me"}, "user.name=me"),
        ({"user": "me", "proxy_to": "you"}, "user.name=me&doas=you"),
        ({"token": "hunter2"}, "delegation=hunter2"),
        ({}, "user.name=lake"),
    ],
    ids=["user", "proxy_to", "token", "HADOOP_USER_NAME"],
)
def test_the_name_node_is_told_who_asks(
    faulty_server: FaultyServer, options: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_USER_NAME", "lake")
    storage = {"hdfs": {"webhdfs": faulty_server.url, **options}}
    assert ObjectStore(["hdfs://cluster/lake"], storage, deadline_seconds=10).read("hdfs://cluster/lake/x") == BODY
    assert faulty_server.requests == [f"GET /webhdfs/v1/lake/x?op=OPEN&{told} HTTP/1.1"]


def test_a_secret_of_one_account_opens_no_other() -> None:
    storage = _azure("http://127.0.0.1:9")
    store = ObjectStore(["abfs://box@other.dfs.core.windows.net"], storage, deadline_seconds=DEADLINE)
    with pytest.raises(LocationRefused, match="another's credentials"):
        store.read("abfs://box@other.dfs.core.windows.net/x")


@pytest.mark.parametrize(
    ("storage", "named"),
    [
        ({"gs": {"bearer": "hunter2"}}, "bearer"),
        ({"gs": {"token": {"hunter2": 1}}}, "gs"),
        ({"abfs": {"acount_name": "hunter2"}}, "acount_name"),
        ({"abfs": {"connection_string": "hunter2"}}, "abfs"),
        ({"hdfs": {"webhdfs": "hunter2"}}, "webhdfs"),
        ({"hdfs": {"webhdfs": "http://me:hunter2@name:9870"}}, "webhdfs"),
        ({"hdfs": {"webhdfs": "http://name:9870", "usr": "hunter2"}}, "usr"),
        ({"https": {"header": "hunter2"}}, "header"),
        ({"https": {"headers": "hunter2"}}, "must be objects"),
        ({"http": {"client_kwargs": "hunter2"}}, "must be objects"),
        ({"nosuch": {}}, "ROOTS, STORAGE: no storage driver is known for nosuch://"),
        ({"https": {"headers": {"Authorization": ["hunter2"]}}}, "headers"),
        ({"oss": {"endpont_url": "hunter2"}}, "endpont_url"),
    ],
)
def test_an_invalid_option_is_an_invalid_setting(storage: dict[str, dict[str, object]], named: str) -> None:
    with pytest.raises(ConfigInvalid, match=named) as caught:
        ObjectStore([], storage).check_options()
    assert "hunter2" not in f"{caught.value} {caught.value.context}"
