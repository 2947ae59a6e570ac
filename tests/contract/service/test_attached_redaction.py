"""Whatever form a catalog's response has, a caller gets it without what the caller may not see."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from tests.contract.service.attached_lake import ORDERS, TABLES, TOKENS, Lake, attached, bearer, serving
from tests.fake_catalog import Asked, Reply, fake_catalog

PROD = "/iceberg/v1/prod"
SHOP = bearer("reads-the-shop")
LOADED = {
    "metadata-location": "x",
    "metadata": {},
    "config": {"s3.secret-access-key": "of-storage"},
    "storage-credentials": [{"prefix": "s3://lake", "config": {"s3.secret-access-key": "of-storage"}}],
    "remote-signing-config": {"headers": {"X-Key": "of-storage"}},
}


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


@pytest.fixture
def guarded(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """A server whose callers have its own tokens; the catalog sees the server's principal."""
    (tmp_path / "tokens.toml").write_text(TOKENS)
    with attached(lake, tmp_path, tokens=f"{tmp_path}/tokens.toml") as services:
        yield from serving(services)


@pytest.mark.parametrize(
    "name",
    [
        "fs.azure.account.key.lake.dfs.core.windows.net",
        "fs.s3a.access.key",
        "oss.accessKeyId",
        "adls.auth.shared-key.account.key",
        "adls.sas-token.lake",
        "gcs.oauth2.token",
        "S3.Signer.uri",
        "header.Authorization",
    ],
)
def test_secrets_of_any_spelling_are_left_out(guarded: TestClient, lake: Lake, name: str) -> None:
    properties = {name: "secret", "s3.region": "here"}
    lake.fake.config = {"defaults": properties, "overrides": properties}
    lake.fake.fault = lambda asked: Reply(200, {**LOADED, "config": properties}) if "/orders" in asked.path else None
    assert guarded.get(f"{TABLES}/orders", headers=SHOP).json()["config"] == {"s3.region": "here"}
    config = guarded.get("/iceberg/v1/config", params={"warehouse": "prod"}, headers=SHOP).json()
    assert config["defaults"] == {"s3.region": "here", "scan-planning-mode": "server"}
    assert config["overrides"] == {"s3.region": "here", "prefix": "prod"}


@pytest.mark.parametrize("status", [200, 203, 206])
def test_a_successful_response_of_any_status_is_filtered(guarded: TestClient, lake: Lake, status: int) -> None:
    names = {"namespaces": [["shop"], ["hidden"]]}
    lake.fake.fault = lambda asked: (
        None if "/config" in asked.path else Reply(status, LOADED if "/orders" in asked.path else names)
    )
    assert guarded.get(f"{PROD}/namespaces", headers=SHOP).json() == {"namespaces": [["shop"]]}
    found = guarded.get(f"{TABLES}/orders", headers=SHOP)
    assert found.json() == {**LOADED, "config": {}, "storage-credentials": [], "remote-signing-config": None}


def test_a_part_of_a_response_that_is_changed_is_not_requested(guarded: TestClient, lake: Lake) -> None:
    given = {"Range": "bytes=0-", "If-Range": '"x"', "If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT"}
    guarded.get(f"{TABLES}/orders", headers={**SHOP, **given})
    assert {name for name in given if name.lower() in lake.fake.asked[-1].headers} == set()


def test_the_head_of_a_filtered_list_does_not_depend_on_hidden_names(guarded: TestClient, lake: Lake) -> None:
    def listed(asked: Asked) -> Reply | None:
        names = [["shop"], *([f"hidden{number}"] for number in range(asked.path.count("many") * 9))]
        tag = f'"{len(names)}"'
        return Reply(200, {"namespaces": names}, {"ETag": tag, "Last-Modified": tag})

    lake.fake.fault = listed
    for method in ("GET", "HEAD"):
        few, many = (
            {**guarded.request(method, f"{PROD}/namespaces{query}", headers=SHOP).headers, "x-request-id": ""}
            for query in ("", "?many")
        )
        assert few == many
        assert "etag" not in few


def test_the_page_token_of_a_filtered_list_does_not_hold_the_last_name(guarded: TestClient, lake: Lake) -> None:
    asked: list[str] = []

    def listed(one: Asked) -> Reply | None:
        if "/namespaces" not in one.path:
            return None
        asked.append(one.path.partition("?")[2])
        return Reply(200, {"namespaces": [["shop"], ["hidden"]], "next-page-token": "after hidden"})

    def page(who: dict[str, str], token: str) -> str:
        found = guarded.get(f"{PROD}/namespaces", params={"pageToken": token, "pageSize": "2"}, headers=who).json()
        return str(found["next-page-token"])

    lake.fake.fault = listed
    token = page(SHOP, "")
    assert b"hidden" not in base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert page(SHOP, token) != token
    assert page(bearer("whole-catalog"), token) == "after hidden"
    assert asked == [
        "pageToken=&pageSize=2",
        "pageToken=after+hidden&pageSize=2",
        f"pageToken={token}&pageSize=2",
    ]


def test_the_head_of_a_changed_table_is_not_that_of_the_catalogs(guarded: TestClient) -> None:
    head, whole = (guarded.request(method, f"{TABLES}/orders", headers=SHOP).headers for method in ("HEAD", "GET"))
    assert head["etag"] == whole["etag"] != '"theirs"'
    assert "content-length" not in head


def test_storage_credentials_are_not_reached_by_the_spelling_of_a_path(guarded: TestClient, lake: Lake) -> None:
    (lake.folder.parent / "tokens.toml").write_text(TOKENS.replace("catalog:prod/shop", "catalog:prod/"))
    guarded.get(f"{TABLES}/orders", headers=SHOP)
    asked = len(lake.fake.asked)
    for path in (
        "namespaces/shop/tables/orders/credentials",
        "namespaces/shop/tables/orders/credentials;x",
        "namespaces/shop/tables/orders/credentials%2F",
        "namespaces/shop/tables/orders/later/credentials",
        "namespaces/shop/tables/orders%2Fcredentials",
        "namespaces/shop%2Ftables%2Forders%2Fcredentials",
        "namespaces/shop/tables/orders/sign;x",
        "namespaces/shop/views/orders/credentials",
        "s3-sign;x/of-orders",
        "aws/s3/sign;x",
    ):
        request = httpx.Request("GET", "http://127.0.0.1/", headers=SHOP)
        request.url = httpx.URL(scheme="http", host="127.0.0.1", raw_path=f"{PROD}/{path}".encode())
        assert guarded.send(request).status_code == 403, path
    assert len(lake.fake.asked) == asked
    assert guarded.get(f"{PROD}/namespaces/credentials/tables/sign", headers=SHOP).status_code == 404


def test_an_unchanged_response_is_not_that_of_another_form(lake: Lake, tmp_path: Path) -> None:
    plain = {"metadata-location": lake.fake.tables[ORDERS], "metadata": {}, "config": {}}
    lake.fake.fault = lambda asked: (
        Reply(304, None, {"ETag": '"theirs"'})
        if '"theirs"' in asked.headers.get("if-none-match", "")
        else Reply(200, plain, {"ETag": '"theirs"'})
        if "/orders" in asked.path
        else None
    )
    given: dict[str, str] = {}
    for exclude, mode in (([], None), (["shop.*"], "client")):
        with attached(lake, tmp_path, properties={"exclude": exclude}) as services:
            for client in serving(services):
                found = client.get(f"{TABLES}/orders", headers=given)
                assert (found.status_code, found.json()["config"].get("scan-planning-mode")) == (200, mode)
                given = {"If-None-Match": found.headers["etag"]}
                assert client.get(f"{TABLES}/orders", headers=given).status_code == 304


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({"signer.endpoint": "v1/main/sign"}, {"signer.endpoint": "v1/prod/sign"}),
        ({"s3.signer.endpoint": "v1/main/sign"}, {"s3.signer.endpoint": "v1/prod/sign"}),
        ({"signer.uri": "CATALOG", "signer.endpoint": "/v1/main/sign"}, {"signer.endpoint": "v1/prod/sign"}),
        *(({"signer.uri": "http://elsewhere", "signer.endpoint": "v1/main/sign"},) * 2,),
        *(({"signer.endpoint": "http://elsewhere/v1/main/sign"},) * 2,),
    ],
)
def test_a_signer_of_the_catalog_is_reached_through_here(
    lake: Lake, tmp_path: Path, given: dict[str, str], seen: dict[str, str]
) -> None:
    lake.fake.config = {"overrides": {"prefix": "main"}}
    loaded = {**LOADED, "config": {name: value.replace("CATALOG", lake.fake.uri) for name, value in given.items()}}
    lake.fake.fault = lambda asked: Reply(200, loaded) if "/orders" in asked.path else None
    with attached(lake, tmp_path) as services:
        for client in serving(services):
            assert client.get(f"{TABLES}/orders").json()["config"] == seen
