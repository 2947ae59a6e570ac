"""Faults of S3 raise the right error within the deadline, and leak no resources."""

from __future__ import annotations

import hashlib
import socket
import threading
import time

import pytest

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    LimitExceeded,
    MetadataCorrupt,
    ObjectMissing,
    StorageDenied,
    StorageError,
    StorageUnavailable,
)
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.contract.storage import faulty_server as faults
from tests.contract.storage.faulty_server import BODY, Behaviour, FaultyServer, answer, error

DEADLINE = 0.6
SLACK = 2.5
"""Seconds that a busy machine may take on top of the deadline."""

PLACE = "s3://lake/t/m0.avro"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.storage.attempts.PAUSES_SECONDS", (0.01,) * 5)


_STORES: dict[tuple[int, float], ObjectStore] = {}


def store_at(server: FaultyServer, deadline_seconds: float = DEADLINE) -> ObjectStore:
    """Return a store with an open session, since opening one is slow and not part of an operation's deadline."""
    key = (id(server), deadline_seconds)
    if key not in _STORES:
        _STORES[key] = ObjectStore(["s3://lake"], server.storage, deadline_seconds=deadline_seconds)
        _STORES[key].read(PLACE)
        server.start_over()
    return _STORES[key]


def failure_of(store: ObjectStore, expected_length: int | None = None) -> CatalogError:
    started = time.monotonic()
    with pytest.raises(CatalogError) as caught:
        store.read(PLACE, expected_length=expected_length)
    assert time.monotonic() - started < DEADLINE + SLACK
    failure = caught.value
    for secret in ("hunter2", "muster-secret", "muster-key", "127.0.0.1"):
        assert secret not in f"{failure} {failure.context}"
    assert PLACE in str(failure)
    return failure


@pytest.mark.parametrize(
    "behaviour",
    [
        faults.drip, faults.drip_head, faults.hang, faults.reset, faults.reset_midway, faults.garbage,
        answer(BODY, length=len(BODY) + 50), error("500 Internal Server Error", "InternalError"),
        error("503 Slow Down", "SlowDown"), error("502 Bad Gateway"), error("429 Too Many Requests"),
        error("400 Bad Request", "RequestTimeout"), answer(b"<not xml", "500 Oops"),
    ],
    ids=["drip", "drip_head", "hang", "reset", "reset_midway", "garbage", "truncated", "500", "503", "502", "429",
         "timeout", "not_xml"],
)  # fmt: skip
def test_a_broken_server_is_unavailable_within_the_deadline(faulty_server: FaultyServer, behaviour: Behaviour) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [behaviour]
    assert type(failure_of(store)) is StorageUnavailable


@pytest.mark.parametrize(
    "behaviour",
    [
        faults.reset, faults.reset_midway, faults.garbage, answer(BODY, length=len(BODY) + 50),
        error("503 Slow Down", "SlowDown"), error("500 Internal Server Error", "InternalError"), faults.hang,
    ],
    ids=["reset", "reset_midway", "garbage", "truncated", "503", "500", "hang"],
)  # fmt: skip
def test_one_retry_recovers_from_a_transient_fault(faulty_server: FaultyServer, behaviour: Behaviour) -> None:
    store = store_at(faulty_server, deadline_seconds=4)
    faulty_server.script = [behaviour, answer()]
    assert store.read(PLACE) == BODY
    assert len(faulty_server.requests) == 2


MD5 = hashlib.md5(BODY).hexdigest()
"""The ETag that S3 gives to the object."""


@pytest.mark.parametrize("data", [BODY[:-3], BODY.replace(b"m", b"n", 1), b""], ids=["short", "flipped", "empty"])
def test_bytes_that_do_not_match_the_etag_are_requested_again(faulty_server: FaultyServer, data: bytes) -> None:
    store = store_at(faulty_server, deadline_seconds=4)
    faulty_server.script = [answer(data, etag=MD5), answer(etag=MD5)]
    assert store.read(PLACE) == BODY
    assert len(faulty_server.requests) == 2


def test_bytes_that_never_match_the_etag_are_unavailable(faulty_server: FaultyServer) -> None:
    # A proxy has cached a truncated object, after the store has seen that the bucket's ETags are MD5 digests.
    store = store_at(faulty_server)
    faulty_server.script = [answer(etag=MD5), answer(BODY[:-3], etag=MD5)]
    assert store.read(PLACE) == BODY
    failure = failure_of(store)
    assert type(failure) is StorageUnavailable
    assert "ETag" in str(failure)


def test_etags_that_are_not_digests_are_ignored(faulty_server: FaultyServer) -> None:
    store = ObjectStore(["s3://lake"], faulty_server.storage, deadline_seconds=4)
    faulty_server.script = [answer(etag="0" * 32)]
    assert store.read(PLACE) == BODY
    assert len(faulty_server.requests) == 2
    faulty_server.script = [answer(etag=f"{MD5}-7")]
    assert store.read(PLACE) == BODY
    assert len(faulty_server.requests) == 3


def test_one_layer_retries_a_bounded_number_of_times(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server, deadline_seconds=30)
    faulty_server.script = [error("503 Slow Down", "SlowDown")]
    with pytest.raises(StorageUnavailable, match="SlowDown"):
        store.read(PLACE)
    assert len(faulty_server.requests) == 6


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (error("403 Forbidden", "AccessDenied"), StorageDenied),
        (error("403 Forbidden", "InvalidAccessKeyId"), StorageDenied),
        (error("403 Forbidden", "SignatureDoesNotMatch"), StorageDenied),
        (error("400 Bad Request", "ExpiredToken"), StorageDenied),
        (error("401 Unauthorized"), StorageDenied),
        (error("403 Forbidden"), StorageDenied),
        (error("404 Not Found", "NoSuchKey"), ObjectMissing),
        (error("404 Not Found", "NoSuchBucket"), ObjectMissing),
        (error("404 Not Found"), ObjectMissing),
        (error("400 Bad Request", "AuthorizationHeaderMalformed"), StorageError),
        (error("400 Bad Request", "hunter2 <script>"), StorageError),
        (error("405 Method Not Allowed"), StorageError),
    ],
)
def test_a_final_answer_is_not_retried(
    faulty_server: FaultyServer, behaviour: Behaviour, kind: type[CatalogError]
) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [behaviour]
    assert type(failure_of(store)) is kind
    assert len(faulty_server.requests) == 1


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent"])
def test_no_redirect_is_followed(faulty_server: FaultyServer, status: str) -> None:
    with FaultyServer() as elsewhere:
        store = store_at(faulty_server)
        faulty_server.script = [faults.redirect(status, f"{elsewhere.storage['s3']['endpoint_url']}/secret")]
        assert type(failure_of(store)) is StorageError
        assert elsewhere.requests == []
        assert len(faulty_server.requests) <= 2


def test_the_region_of_a_bucket_is_requested_once(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [error("301 Moved Permanently", "PermanentRedirect")]
    assert "not in the region" in str(failure_of(store))
    assert [request.split()[0] for request in faulty_server.requests] == ["GET", "HEAD"]


def test_a_missing_bucket_is_reported_as_such(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [error("404 Not Found", "NoSuchBucket")]
    for probe in (store.read, store.list, store.stat):
        with pytest.raises(ObjectMissing, match="no such bucket"):
            probe(PLACE)


def test_a_length_other_than_expected_is_corrupt_before_the_body_is_read(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [faults.drip]
    started = time.monotonic()
    assert isinstance(failure_of(store, expected_length=5), MetadataCorrupt)
    assert time.monotonic() - started < DEADLINE


def test_a_response_without_length_has_the_same_limits(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [faults.without_length(BODY)]
    assert store.read(PLACE, expected_length=len(BODY)) == BODY
    assert isinstance(failure_of(store, expected_length=5), MetadataCorrupt)
    faulty_server.script = [faults.endless]
    with pytest.raises(LimitExceeded):
        store.read(PLACE, max_bytes=1_000_000)


def test_stat_and_list_end_in_time_too(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    for behaviour in (faults.drip_head, faults.hang, error("500 Internal Server Error")):
        faulty_server.script = [behaviour]
        for probe in (store.stat, store.list, store.exists):
            started = time.monotonic()
            with pytest.raises(StorageUnavailable):
                probe(PLACE)
            assert time.monotonic() - started < DEADLINE + SLACK
    faulty_server.script = [faults.drip]
    with pytest.raises(StorageUnavailable):
        store.list(PLACE)


def _page(names: list[str], token: str | None) -> Behaviour:
    contents = "".join(f"<Contents><Key>t/{name}</Key><Size>1</Size></Contents>" for name in names)
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return answer(f"<ListBucketResult>{contents}{more}</ListBucketResult>".encode())


def test_every_page_of_a_listing_is_fetched_and_retried_alone(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server, deadline_seconds=4)
    faulty_server.script = [_page(["b", "a"], "1"), error("503 Slow Down"), _page(["c"], "2"), _page(["d"], None)]
    assert [child.name for child in store.list("s3://lake/t")] == ["a", "b", "c", "d"]
    assert len(faulty_server.requests) == 4


def test_a_listing_that_stops_is_an_error_not_a_short_list(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [_page(["a"], "1")]
    with pytest.raises(StorageError, match="does not continue"):
        store.list("s3://lake/t")


def test_a_refused_connection(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host, port = unused.getsockname()
        storage = {"s3": {**faulty_server.storage["s3"], "endpoint_url": f"http://{host}:{port}"}}
        store = ObjectStore(["s3://lake"], storage, deadline_seconds=DEADLINE)
        store.check_options()
        assert type(failure_of(store)) is StorageUnavailable


def test_one_hanging_object_does_not_delay_the_others(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server)
    faulty_server.script = [faults.drip, answer()]
    started = time.monotonic()
    outcomes = [outcome for _, outcome in store.read_many([ReadRequest(f"{PLACE}{n}") for n in range(20)])]
    assert time.monotonic() - started < DEADLINE + SLACK
    assert outcomes[:19] == [BODY] * 19
    assert isinstance(outcomes[19], StorageUnavailable)


@pytest.mark.parametrize("behaviour", [faults.drip, faults.hang, faults.drip_head])
def test_no_connection_and_no_thread_outlives_its_failure(faulty_server: FaultyServer, behaviour: Behaviour) -> None:
    store = store_at(faulty_server)
    threads = threading.active_count() - faulty_server.open
    faulty_server.script = [behaviour]
    outcomes = [outcome for _, outcome in store.read_many([ReadRequest(f"{PLACE}{n}") for n in range(40)])]
    assert all(isinstance(outcome, StorageUnavailable) for outcome in outcomes)
    _wait_until(lambda: faulty_server.open == 0)
    _wait_until(lambda: threading.active_count() <= threads + 1)


def test_closing_the_iterator_early_ends_the_transfers(faulty_server: FaultyServer) -> None:
    store = store_at(faulty_server, deadline_seconds=60)
    faulty_server.script = [answer(), faults.drip]
    reading = store.read_many([ReadRequest(f"{PLACE}{n}") for n in range(10)])
    assert next(reading)[1] == BODY
    reading.close()  # type: ignore[attr-defined]
    _wait_until(lambda: faulty_server.open == 0)


def _wait_until(holds: object, seconds: float = 5) -> None:
    assert callable(holds)
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_no_credentials_are_denied(faulty_server: FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    storage = {"s3": {"endpoint_url": faulty_server.storage["s3"]["endpoint_url"]}}
    with pytest.raises(StorageDenied, match="no credentials"):
        ObjectStore(["s3://lake"], storage, deadline_seconds=DEADLINE).read(PLACE)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"endpoint": "http://hunter2"}, "endpoint"),
        ({"use_listings_cache": True}, "use_listings_cache"),
        ({"asynchronous": True}, "asynchronous"),
        ({"key": "hunter2", "username": "hunter2"}, "s3"),
        ({"endpoint_url": "hunter2"}, "s3"),
        ({"profile": "hunter2"}, "s3"),
        ({"client_kwargs": "hunter2"}, "STORAGE: the options for s3"),
        ({"config_kwargs": {"nonsense": "hunter2"}}, "s3"),
    ],
)
def test_an_invalid_option_is_an_invalid_setting(options: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigInvalid, match=named) as caught:
        ObjectStore(["s3://lake"], {"s3": options}).check_options()
    assert "hunter2" not in f"{caught.value} {caught.value.context}"


def test_storage_unknown_to_fsspec_is_an_invalid_setting() -> None:
    with pytest.raises(ConfigInvalid, match="nosuch"):
        ObjectStore(["nosuch://lake"], {}).check_options()


def test_a_store_never_shows_its_options() -> None:
    store = ObjectStore(["s3://lake"], {"s3": {"key": "hunter2", "secret": "hunter2"}})
    store.check_options()
    assert "hunter2" not in repr(store)
    assert "s3://lake" in repr(store)


def test_a_bucket_that_hangs_leaves_connections_to_others(faulty_server: FaultyServer) -> None:
    store = ObjectStore(["s3://lake", "s3://other"], faulty_server.storage, deadline_seconds=4)
    assert store.read(PLACE) == BODY
    places = store._remote.get("s3")._places["other"]  # type: ignore[attr-defined]
    while places.acquire(blocking=False):
        pass
    assert store.read(PLACE) == BODY
    places.release()
    assert store.read("s3://other/t/m0.avro") == BODY
