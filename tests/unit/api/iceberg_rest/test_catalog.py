"""Configuration, namespaces and lists of the Iceberg REST catalog."""

from __future__ import annotations

from typing import cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pyiceberg.catalog.rest.response import ErrorResponse

from tests.unit.api.conftest import FakeServices
from tests.unit.api.iceberg_rest.conftest import FakeStore

V1 = "/iceberg/v1"
pytestmark = pytest.mark.usefixtures("store")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_the_configuration_lists_every_supported_endpoint_and_no_other(client: TestClient) -> None:
    advertised = set(client.get(f"{V1}/config").json()["endpoints"])
    served = {
        f"{verb.upper()} {path.replace(V1, '/v1/{prefix}').replace('plan_id', 'plan-id')}"
        for path, operations in cast("FastAPI", client.app).openapi()["paths"].items()
        for verb, operation in operations.items()
        if path.startswith(f"{V1}/namespaces") and {"200", "204"} & operation["responses"].keys()
    }
    assert advertised == served
    assert "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}" in advertised


@pytest.mark.parametrize("path", [f"{V1}/config", "/paimon/v1/config"])
@pytest.mark.parametrize(
    ("named", "warehouse", "status"),
    [
        (None, None, 200),
        (None, "", 200),
        (None, "lakemuster", 200),
        (None, "s3://bucket/any", 200),
        ("lake", None, 200),
        ("lake", "", 200),
        ("lake", "lake", 200),
        ("lake", "lakemuster", 404),
    ],
)
def test_a_warehouse_has_any_name_or_the_configured_one(
    client: TestClient, services: FakeServices, path: str, named: str | None, warehouse: str | None, status: int
) -> None:
    services.settings = services.settings.model_copy(update={"warehouse": named})
    answer = client.get(path, params={} if warehouse is None else {"warehouse": warehouse})
    assert answer.status_code == status
    if status == 404:
        assert "lake" in answer.text
        assert path != f"{V1}/config" or answer.json()["error"]["type"] == "NoSuchWarehouseException"


def test_the_server_plans_scans_by_default(client: TestClient) -> None:
    config = client.get(f"{V1}/config").json()
    assert config["defaults"] == {"scan-planning-mode": "server"}
    assert "scan-planning-mode" not in config["overrides"]
    assert client.get(f"{V1}/namespaces/shop/tables/orders").json()["config"] == {}


def namespaces(client: TestClient, parent: str | None = None) -> list[list[str]]:
    answer = client.get(f"{V1}/namespaces", params={} if parent is None else {"parent": parent})
    assert answer.status_code == 200
    assert answer.json()["next-page-token"] is None
    found: list[list[str]] = answer.json()["namespaces"]
    return found


def test_namespaces_follow_from_the_names_of_iceberg_tables(client: TestClient) -> None:
    assert namespaces(client) == namespaces(client, "") == [["a.b"], ["lake"], ["shop"]]
    assert namespaces(client, "lake") == [["lake", "raw"]]
    assert namespaces(client, "lake\x1fraw") == namespaces(client, "shop") == []


def test_a_parent_that_is_percent_encoded_twice_is_understood(client: TestClient, services: FakeServices) -> None:
    services.names["`a b`.inner.t"] = services.names["shop.orders"].__class__(
        **vars(services.names["shop.orders"]) | {"name": "a b.inner.t"}
    )
    assert namespaces(client, "a b") == namespaces(client, "a%20b") == [["a b", "inner"]]


@pytest.mark.parametrize(
    "namespace", ["none", "lake%1Fnone", "shop%1Forders", "shop%1F", "%1F", "solo", "a%00b", "a%2Fb"]
)
@pytest.mark.parametrize("rest", ["", "/tables", "/views"])
def test_a_namespace_without_tables_is_missing(client: TestClient, namespace: str, rest: str) -> None:
    answer = client.get(f"{V1}/namespaces/{namespace}{rest}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == 404
    if namespace != "a%2Fb":
        assert answer.json()["error"]["type"] == "NoSuchNamespaceException"
    assert client.get(f"{V1}/namespaces", params={"parent": "none"}).status_code == 404


def test_a_namespace_has_no_properties(client: TestClient) -> None:
    answer = client.get(f"{V1}/namespaces/lake%1Fraw")
    assert answer.json() == {"namespace": ["lake", "raw"], "properties": {}}
    assert client.head(f"{V1}/namespaces/lake").status_code == 204
    assert client.head(f"{V1}/namespaces/none").status_code == 404


def tables(client: TestClient, namespace: str, **query: str) -> tuple[list[str], str | None]:
    answer = client.get(f"{V1}/namespaces/{namespace}/tables", params=query)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return [".".join([*item["namespace"], item["name"]]) for item in body["identifiers"]], body["next-page-token"]


def test_only_iceberg_tables_directly_in_a_namespace_are_listed(client: TestClient) -> None:
    assert tables(client, "shop") == (["shop.orders"], None)
    assert tables(client, "lake") == ([], None)
    assert tables(client, "lake%1Fraw") == (["lake.raw.events"], None)


def test_pages_together_are_the_list(client: TestClient, services: FakeServices) -> None:
    for number in range(5):
        services.names[f"many.t{number}"] = services.names["shop.orders"].__class__(
            **vars(services.names["shop.orders"]) | {"name": f"many.t{number}"}
        )
    everything, _ = tables(client, "many")
    assert tables(client, "many", pageSize="2") == (everything, None)
    assert tables(client, "many", pageSize=str(2**31 - 1), pageToken="") == (everything, None)
    found, token = tables(client, "many", pageSize="2", pageToken="")
    while token is not None:
        page, token = tables(client, "many", pageSize="2", pageToken=token)
        assert 1 <= len(page) <= 2
        found += page
    assert found == everything
    _, token = tables(client, "many", pageSize="2", pageToken="")
    assert client.get(f"{V1}/namespaces", params={"pageToken": token}).status_code == 400
    assert client.get(f"{V1}/namespaces/shop/tables", params={"pageToken": token}).status_code == 400
    assert (
        client.get(f"{V1}/namespaces", params={"pageToken": "x" * 20}).json()["error"]["type"] == "BadRequestException"
    )


@pytest.mark.parametrize("size", ["0", "-1", "x"])
def test_page_sizes_are_positive(client: TestClient, size: str) -> None:
    answer = client.get(f"{V1}/namespaces", params={"pageSize": size})
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "BadRequestException"


def test_there_are_no_views(client: TestClient) -> None:
    answer = client.get(f"{V1}/namespaces/shop/views")
    assert answer.json() == {"identifiers": [], "next-page-token": None}
    answer = client.get(f"{V1}/namespaces/shop/views/v")
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NoSuchViewException")
    assert client.head(f"{V1}/namespaces/shop/views/v").status_code == 404


def test_callers_see_the_namespaces_of_their_tables_only(with_tokens: TestClient) -> None:
    found = with_tokens.get(f"{V1}/namespaces", headers=bearer("r")).json()
    assert found["namespaces"] == [["shop"]]
    hidden = with_tokens.get(f"{V1}/namespaces/lake%1Fraw/tables", headers=bearer("r"))
    missing = with_tokens.get(f"{V1}/namespaces/none%1Fraw/tables", headers=bearer("r"))
    assert hidden.status_code == missing.status_code == 404
    assert hidden.content == missing.content.replace(b"none.raw", b"lake.raw")


def test_without_a_token_every_request_gets_401(with_tokens: TestClient, store: FakeStore) -> None:
    for path in ("config", "namespaces", "namespaces/shop/tables/orders", "namespaces/none", "namespaces/shop/views/v"):
        answer = with_tokens.get(f"{V1}/{path}")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert ErrorResponse.model_validate_json(answer.content).error.type == "NotAuthorizedException"
    assert with_tokens.post(f"{V1}/namespaces", json={}).status_code == 401
    assert store.reads == 0
