"""An Iceberg REST catalog: pointers, lists, authentication, and invalid responses."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import cycle
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa
import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import TableNotFound, UpstreamFailed, UpstreamUnavailable
from lakemuster.upstream import http_upstream, rest
from lakemuster.upstream.breaker import FAILURES, PAUSE_SECONDS
from lakemuster.upstream.rest import CONFIG_SECONDS, RestCatalog
from tests.clocks import SteppedClock
from tests.fake_catalog import Asked, FakeCatalog, Reply, error, fake_catalog

ORDERS = ("shop", "orders")
WHERE = "s3://lake/shop/orders/metadata/7.metadata.json"


@pytest.fixture
def fake() -> Iterator[FakeCatalog]:
    with fake_catalog() as running:
        running.tables[ORDERS] = WHERE
        yield running


def attached(fake: FakeCatalog, clock: SteppedClock | None = None, **properties: Any) -> RestCatalog:
    settings = CatalogSettings.model_validate({"type": "rest", "uri": fake.uri, **properties})
    return RestCatalog("prod", settings, clock or SteppedClock())


def test_a_pointer_is_the_metadata_location(fake: FakeCatalog) -> None:
    catalog = attached(fake, None, warehouse="w", **{"header.X-Own": "1"})
    assert catalog.pointer(ORDERS) == WHERE
    config, table = fake.asked
    assert config.path == "/v1/config?warehouse=w"
    assert table.path == "/v1/namespaces/shop/tables/orders?snapshots=refs"
    assert table.headers["x-own"] == "1"


@pytest.mark.parametrize(
    "reply",
    [error(400, "IllegalArgumentException"), Reply(200, {"metadata-location": None, "metadata": {}})],
    ids=["refused", "without the location"],
)
def test_a_catalog_that_cannot_choose_snapshots_is_asked_for_all(fake: FakeCatalog, reply: Reply) -> None:
    fake.fault = lambda asked: reply if "snapshots=refs" in asked.path else None
    assert attached(fake).pointer(ORDERS) == WHERE
    assert [asked.path for asked in fake.asked[1:]] == [
        "/v1/namespaces/shop/tables/orders?snapshots=refs",
        "/v1/namespaces/shop/tables/orders",
    ]


def test_the_catalogs_prefix_and_separator_are_followed(fake: FakeCatalog) -> None:
    fake.config = {"overrides": {"prefix": "ws/a b", "namespace-separator": "%2E", "uri": "http://127.0.0.1:1/other"}}
    fake.fault = lambda asked: None if "config" in asked.path else Reply(200, {"metadata-location": "m"})
    assert attached(fake).pointer(("a.b", "c/d", "t")) == "m"
    # A ``uri`` of another host is ignored.
    assert fake.asked[-1].path == "/v1/ws/a%20b/namespaces/a.b%2Ec%2Fd/tables/t?snapshots=refs"


def test_the_configuration_is_asked_for_again_after_a_while(fake: FakeCatalog) -> None:
    clock = SteppedClock()
    catalog = attached(fake, clock)
    for _ in range(3):
        catalog.pointer(ORDERS)
    assert sum("config" in asked.path for asked in fake.asked) == 1
    clock.pass_seconds(CONFIG_SECONDS + 1)
    catalog.pointer(ORDERS)
    assert sum("config" in asked.path for asked in fake.asked) == 2


@pytest.mark.parametrize("status", [401, 419])
def test_a_credential_is_exchanged_once_and_again_when_its_token_is_refused(fake: FakeCatalog, status: int) -> None:
    fake.rights, fake.unauthorized = {}, status
    clock = SteppedClock()
    catalog = attached(fake, clock, credential="me:secret", scope="s")
    for _ in range(3):
        assert catalog.pointer(ORDERS) == WHERE
    assert fake.issued == 1
    del fake.rights["issued-1"]
    assert catalog.pointer(ORDERS) == WHERE
    assert fake.issued == 2
    clock.pass_seconds(3000)
    assert catalog.pointer(ORDERS) == WHERE
    assert fake.issued == 3


def test_a_wrong_credential_fails_without_naming_it(fake: FakeCatalog) -> None:
    fake.rights = {}
    with pytest.raises(UpstreamFailed) as failure:
        attached(fake, credential="me:hunter2").pointer(ORDERS)
    assert "hunter2" not in str(failure.value)
    assert "hunter2" not in repr(attached(fake, credential="me:hunter2").settings)


def test_only_the_catalogs_own_word_makes_a_table_missing(fake: FakeCatalog) -> None:
    catalog = attached(fake)
    for missing in (("shop", "other"), ("no", "orders")):
        with pytest.raises(TableNotFound):
            catalog.pointer(missing)
    for reply in (
        Reply(404, b"<html>no such page</html>"),
        Reply(404, {"error": "no"}),
        error(404, "NotFoundException"),
    ):
        fake.fault = lambda asked, reply=reply: None if "config" in asked.path else reply  # type: ignore[misc]
        with pytest.raises(UpstreamFailed):
            catalog.pointer(ORDERS)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500, b"oops"),
        Reply(200, b"not json"),
        Reply(200, {"metadata": {}}),
        Reply(200, {"metadata-location": 5}),
        Reply(302, None, {"Location": "http://127.0.0.1:1/"}),
        Reply(302, None, {"Location": "http://xn--a.com/"}),
        Reply(200, {"metadata-location": "m"}, breaks="within"),
        Reply(breaks="before"),
    ],
)
def test_what_is_no_answer_is_the_catalogs_fault(fake: FakeCatalog, reply: Reply) -> None:
    fake.fault = lambda asked: None if "config" in asked.path else reply
    with pytest.raises(UpstreamFailed):
        attached(fake).pointer(ORDERS)


def test_a_catalog_that_does_not_answer_is_not_asked_for_a_while(fake: FakeCatalog) -> None:
    clock = SteppedClock()
    catalog = attached(fake, clock)
    catalog.pointer(ORDERS)
    fake.fault = lambda _: Reply(breaks="before")
    for _ in range(FAILURES):
        with pytest.raises(UpstreamUnavailable):
            catalog.pointer(ORDERS)
    before = len(fake.asked)
    for _ in range(10):
        with pytest.raises(UpstreamUnavailable):
            catalog.pointer(ORDERS)
    assert len(fake.asked) == before
    fake.fault = lambda _: None
    clock.pass_seconds(PAUSE_SECONDS + 1)
    assert catalog.pointer(ORDERS) == WHERE
    assert catalog.pointer(ORDERS) == WHERE


def test_lists_go_through_all_pages_and_namespaces(fake: FakeCatalog) -> None:
    def paged(asked: Asked) -> Reply | None:
        if "/tables" in asked.path:
            second = "pageToken=2" in asked.path
            names = [{"namespace": ["a"], "name": "y" if second else "x"}]
            return Reply(200, {"identifiers": names, "next-page-token": None if second else "2"})
        if "namespaces" in asked.path:
            return Reply(
                200,
                {"namespaces": [["a", "b"]] if "parent=a&" in asked.path else [["a"]] * ("parent" not in asked.path)},
            )
        return None

    fake.fault = paged
    catalog = attached(fake)
    assert list(catalog.namespaces()) == [("a",), ("a", "b")]
    assert list(catalog.tables(("a",))) == [("a", "x"), ("a", "y")]
    fake.fault = lambda asked: None if "config" in asked.path else Reply(200, {"namespaces": [["a"]]})
    with pytest.raises(UpstreamFailed, match="not a child"):
        list(catalog.namespaces())
    fake.fault = lambda asked: None if "config" in asked.path else Reply(200, {"identifiers": 5})
    with pytest.raises(UpstreamFailed):
        list(catalog.tables(("a",)))


NO_LISTS: tuple[object, ...] = (
    {"identifiers": None},
    {"identifiers": {}},
    {"identifiers": [{"name": "x"}]},
    {"identifiers": [{"namespace": "shop", "name": "x"}]},
    {"identifiers": [{"namespace": [], "name": "x"}]},
    {"identifiers": [{"namespace": ["shop"], "name": None}]},
    {"identifiers": [None]},
    {"identifiers": [], "next-page-token": 5},
)


@pytest.mark.parametrize("body", NO_LISTS)
def test_a_list_of_another_form_is_the_catalogs_fault(fake: FakeCatalog, body: object) -> None:
    fake.fault = lambda asked: Reply(200, body) if "/tables" in asked.path else None
    with pytest.raises(UpstreamFailed, match="a list does not follow the protocol"):
        list(attached(fake).every_table())


@pytest.mark.parametrize("body", [{"namespaces": {}}, {"namespaces": [None]}, {"namespaces": ["a"]}])
def test_namespaces_of_another_form_are_no_empty_list(fake: FakeCatalog, body: object) -> None:
    fake.fault = lambda asked: Reply(200, body) if "/namespaces?" in asked.path else None
    with pytest.raises(UpstreamFailed):
        list(attached(fake).every_table())


@pytest.mark.parametrize("kind", ["NoSuchNamespaceException", "NoSuchTableException"])
@pytest.mark.parametrize("path", ["/config", "/namespaces?"])
def test_a_catalog_without_a_list_or_a_configuration_fails(fake: FakeCatalog, kind: str, path: str) -> None:
    fake.fault = lambda asked: error(404, kind) if path in f"{asked.path}?" else None
    with pytest.raises(UpstreamFailed):
        list(attached(fake).every_table())


def test_a_namespace_that_goes_before_its_children_are_listed_has_none(fake: FakeCatalog) -> None:
    fake.tables["gone", "t"] = WHERE
    fake.fault = lambda asked: error(404, "NoSuchNamespaceException") if "gone" in asked.path else None
    assert list(attached(fake).every_table()) == [ORDERS]


@pytest.mark.parametrize("status", [400, 406, 501])
def test_a_catalog_that_lists_no_children_has_no_nested_namespaces(fake: FakeCatalog, status: int) -> None:
    fake.tables["other", "t"] = WHERE
    fake.fault = lambda asked: error(status, "UnsupportedOperationException") if "parent=" in asked.path else None
    assert sorted(attached(fake).every_table()) == [("other", "t"), ORDERS]


@pytest.mark.parametrize(
    ("refused", "reply"),
    [
        ("parent=other", error(400, "BadRequestException")),
        ("parent=shop", error(400, "BadRequestException")),
        ("parent=", Reply(400, b"<html>bad request</html>")),
        ("parent=", error(403, "ForbiddenException")),
        ("parent=", error(500, "ServerError")),
    ],
)
def test_a_list_without_some_children_fails(fake: FakeCatalog, refused: str, reply: Reply) -> None:
    fake.tables["other", "t"] = WHERE
    fake.fault = lambda asked: reply if refused in asked.path else None
    with pytest.raises(UpstreamFailed, match=f"it answers with status {reply.status}"):
        list(attached(fake).every_table())


@pytest.mark.parametrize("separator", ["%1F", "%2E", ".", "::"])
def test_a_parent_has_the_decoded_separator(fake: FakeCatalog, separator: str) -> None:
    def listed(asked: Asked) -> Reply | None:
        if urlsplit(asked.path).path != "/v1/namespaces":
            return None if "config" in asked.path else Reply(200, {"identifiers": []})
        parent = parse_qs(urlsplit(asked.path).query).get("parent", [""])[0]
        children = {"": ["a"], "a": ["a", "b"], f"a{unquote(separator)}b": ["a", "b", "c"]}
        return Reply(200, {"namespaces": [children[parent]] if parent in children else []})

    fake.config = {"defaults": {"namespace-separator": separator}}
    fake.fault = listed
    assert list(attached(fake).namespaces()) == [("a",), ("a", "b"), ("a", "b", "c")]


def test_pages_that_repeat_and_namespaces_without_end_are_given_up(
    fake: FakeCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = cycle("AB")
    fake.fault = lambda asked: (
        Reply(200, {"identifiers": [], "next-page-token": next(turns)}) if "/tables" in asked.path else None
    )
    with pytest.raises(UpstreamFailed, match="do not end"):
        list(attached(fake).every_table())
    assert len(fake.asked) < 10
    monkeypatch.setattr(rest, "MAX_NAMESPACES", 5)
    monkeypatch.setattr(rest, "MAX_TABLES", 5)
    fake.fault = lambda asked: (
        Reply(200, {"namespaces": [[str(number)] for number in range(9)]})
        if asked.path.endswith("namespaces?pageToken=")
        else Reply(200, {"namespaces": [], "identifiers": []})
    )
    with pytest.raises(UpstreamFailed, match="more than 5 namespaces"):
        list(attached(fake, prefix="").every_table())
    names = [{"namespace": ["shop"], "name": str(number)} for number in range(9)]
    fake.fault = lambda asked: Reply(200, {"identifiers": names}) if "/tables" in asked.path else None
    with pytest.raises(UpstreamFailed, match="more than 5 tables"):
        list(attached(fake).every_table())


@pytest.mark.parametrize("config", [{"defaults": None, "overrides": None}, {"defaults": {"prefix": None, "x": None}}])
def test_a_null_in_a_configuration_is_nothing(fake: FakeCatalog, config: dict[str, object]) -> None:
    fake.config = config
    assert attached(fake).pointer(ORDERS) == WHERE


def test_a_token_is_requested_with_the_catalogs_own_headers(fake: FakeCatalog) -> None:
    own: dict[str, Any] = {"credential": "me:secret", "header.Realm": "ours", "header.Authorization": "Bearer x"}
    assert attached(fake, **own).pointer(ORDERS) == WHERE
    asked = fake.asked[0]
    assert (asked.path, asked.headers["realm"], "authorization" in asked.headers) == ("/v1/oauth/tokens", "ours", False)
    with fake_catalog() as elsewhere:
        server: dict[str, Any] = {"oauth2-server-uri": f"{elsewhere.uri}/v1/oauth/tokens"}
        assert attached(fake, **own, **server).pointer(ORDERS) == WHERE
        assert "realm" not in elsewhere.asked[0].headers


def test_a_token_of_any_length_is_not_read(fake: FakeCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_upstream, "MAX_BYTES", 1000)
    fake.fault = lambda asked: Reply(200, b" " * 1001) if "oauth" in asked.path else None
    with pytest.raises(UpstreamFailed, match="more than 1000 bytes"):
        attached(fake, credential="me:secret").pointer(ORDERS)


@pytest.mark.parametrize(("coding", "is_read"), [("gzip", True), ("gzip", False), ("zstd", False)])
def test_a_compressed_answer_is_decoded_up_to_a_limit(
    fake: FakeCatalog, monkeypatch: pytest.MonkeyPatch, coding: str, is_read: bool
) -> None:
    monkeypatch.setattr(http_upstream, "MAX_BYTES", 10_000)
    text = b'{"metadata-location":"m"}' + b" " * (0 if is_read else 10_000)
    body = gzip.compress(text) if coding == "gzip" else pa.compress(text, "zstd", asbytes=True)
    fake.fault = lambda asked: Reply(200, body, {"Content-Encoding": coding}) if "/orders" in asked.path else None
    if is_read:
        assert attached(fake).pointer(ORDERS) == "m"
    else:
        with pytest.raises(UpstreamFailed, match="cannot be decoded"):
            attached(fake).pointer(ORDERS)
    assert "zstd" not in fake.asked[-1].headers["accept-encoding"]
