"""Unsupported requests are refused, and every error has the protocol's form."""

from __future__ import annotations

from typing import cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pyiceberg.catalog.rest.response import ErrorResponse, OAuthErrorResponse

from lakemuster import errors
from lakemuster.api.errors import STATUS
from tests.unit.api.conftest import FakeServices

V1 = "/iceberg/v1"
pytestmark = pytest.mark.usefixtures("store")

TYPES = {
    errors.TableNotFound: (404, "NoSuchTableException"),
    errors.NamespaceNotFound: (404, "NoSuchNamespaceException"),
    errors.ViewNotFound: (404, "NoSuchViewException"),
    errors.PlanNotFound: (404, "NoSuchPlanIdException"),
    errors.PlanTaskNotFound: (404, "NoSuchPlanTaskException"),
    errors.NotAuthenticated: (401, "NotAuthorizedException"),
    errors.NotAuthorised: (403, "ForbiddenException"),
    errors.FilterInvalid: (400, "BadRequestException"),
    errors.SnapshotNotFound: (400, "BadRequestException"),
    errors.SnapshotQuarantined: (502, "ServiceFailureException"),
    errors.FormatUnsupported: (501, "UnsupportedOperationException"),
    errors.Overloaded: (503, "ServiceUnavailableException"),
    errors.SegmentCorrupt: (503, "ServiceUnavailableException"),
}


@pytest.mark.parametrize("kind", list(STATUS), ids=lambda kind: kind.__name__)
def test_every_error_has_the_protocols_form(
    client: TestClient, services: FakeServices, kind: type[errors.CatalogError]
) -> None:
    services.failure = kind("why it failed", secret="not shown")
    answer = client.get(f"{V1}/namespaces")
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "code"}
    assert body["error"]["code"] == answer.status_code
    assert ErrorResponse.model_validate_json(answer.content).error.type.endswith("Exception")
    assert "not shown" not in answer.text
    assert (answer.status_code in (429, 503)) == ("retry-after" in answer.headers)
    assert answer.status_code != 409 or kind is errors.TableExists, "clients take 409 for a commit conflict"
    if kind in TYPES:
        assert (answer.status_code, body["error"]["type"]) == TYPES[kind]


def test_an_unexpected_error_reveals_nothing(client: TestClient, services: FakeServices) -> None:
    services.failure = ValueError("secret")
    answer = client.get(f"{V1}/namespaces")
    error = ErrorResponse.model_validate_json(answer.content).error
    assert (answer.status_code, error.code, error.type) == (500, 500, "ServiceFailureException")
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/iceberg/v2/config", "NotFoundException"),
        (f"{V1}/namespaces/shop/tables/a%2Fb", "NoSuchTableException"),
        (f"{V1}/namespaces/shop/views/a%2Fb", "NoSuchViewException"),
        (f"{V1}/namespaces/a%2Fb", "NoSuchNamespaceException"),
    ],
)
def test_unknown_paths_have_the_protocols_form(client: TestClient, path: str, kind: str) -> None:
    answer = client.get(path)
    error = ErrorResponse.model_validate_json(answer.content).error
    assert (answer.status_code, error.code, error.type) == (404, 404, kind)


def test_unknown_methods_and_invalid_bodies_have_the_protocols_form(client: TestClient) -> None:
    answer = client.put(f"{V1}/namespaces")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, 405)
    for body in (b"", b"{", b"[]", b"{}", b'{"report-type": 7}', b"[" * 100_000):
        answer = client.post(
            f"{V1}/namespaces/shop/tables/orders/metrics", content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 400
        assert ErrorResponse.model_validate_json(answer.content).error.type == "BadRequestException"


def test_errors_of_the_middleware_have_the_protocols_form(client: TestClient) -> None:
    large = client.post(f"{V1}/namespaces/shop/tables/orders/metrics", content=b"x" * (2**20 + 1))
    foreign = client.get(f"{V1}/config", headers={"Host": "evil.example"})
    for answer in (large, foreign):
        error = ErrorResponse.model_validate_json(answer.content).error
        assert (answer.status_code, error.code, error.type) == (400, 400, "BadRequestException")


def test_every_write_fails_with_the_protocols_error(client: TestClient, services: FakeServices) -> None:
    writes = [
        (verb, path)
        for path, operations in cast("FastAPI", client.app).openapi()["paths"].items()
        for verb, operation in operations.items()
        if path.startswith(V1) and "406" in operation["responses"] and "200" not in operation["responses"]
    ]
    assert len(writes) == 16
    assert ("post", f"{V1}/namespaces/{{namespace}}/tables/{{table}}") in writes
    for verb, path in writes:
        for table in ("orders", "none"):
            answer = client.request(verb, path.format(namespace="shop", table=table, view="v"))
            error = ErrorResponse.model_validate_json(answer.content).error
            assert (answer.status_code, error.type, error.code) == (406, "UnsupportedOperationException", 406)
    assert services.calls == []


def test_credentials_are_not_exchanged_for_tokens(with_tokens: TestClient) -> None:
    form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": "hush", "scope": "catalog"}
    answer = with_tokens.post(f"{V1}/oauth/tokens", data=form)
    refusal = OAuthErrorResponse.model_validate_json(answer.content)
    assert (answer.status_code, refusal.error) == (400, "unsupported_grant_type")
    assert "token" in (refusal.error_description or "")
    assert "hush" not in answer.text
