"""Keycloak as the identity provider: PyIceberg and Spark sign in, unsuitable tokens are refused, its keys rotate."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchTableError, OAuthError

from tests.journey.servers import Running, lakemuster, served
from tests.keycloak import CONSOLE, SECRET, Keycloak, keycloak
from tests.oidc_provider import AUDIENCE
from tests.spark import Spark, SparkFailed

pytestmark = pytest.mark.full
TABLES = "/api/v1/tables"
SECONDS = 120.0
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keycloak]:
    with keycloak(tmp_path_factory.mktemp("keycloak")) as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: Keycloak, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a table in each of two namespaces, whose callers are Keycloak's."""
    folder: Path = tmp_path_factory.mktemp("server")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    for namespace in ("shop", "hr"):
        catalog.create_namespace(namespace)
        catalog.create_table(f"{namespace}.orders", ROWS.schema).append(ROWS)
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    claim = "realm_access.roles"
    settings = {"OIDC_ISSUER": provider.issuer, "OIDC_AUDIENCE": AUDIENCE, "OIDC_ROLES_CLAIM": claim}
    settings |= {"OIDC_CLIENT_ID": CONSOLE, "OIDC_CLIENT_SECRET": SECRET}
    with served(folder, **settings) as running:
        yield running


def status(server: Running, token: str) -> int:
    return server.http.get(TABLES, headers={"Authorization": f"Bearer {token}"}).status_code


def soon(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.25)


def signed_in(server: Running, provider: Keycloak, credential: str) -> RestCatalog:
    options = {"oauth2-server-uri": provider.token_endpoint, "scope": "openid"}
    return RestCatalog("muster", uri=f"{server.uri}/iceberg", credential=credential, **options)


def test_pyiceberg_signs_in_with_a_credential(server: Running, provider: Keycloak) -> None:
    catalog = signed_in(server, provider, f"reader:{SECRET}")
    assert catalog.list_namespaces() == [("shop",)]
    assert catalog.load_table("shop.orders").scan(row_filter="id < 3").to_arrow().num_rows == 3
    with pytest.raises(NoSuchTableError):
        catalog.load_table("hr.orders")
    with pytest.raises(OAuthError):
        signed_in(server, provider, "reader:wrong")


def test_spark_signs_in_with_a_credential(server: Running, provider: Keycloak, spark: Spark) -> None:
    for name, credential in (("keycloak", f"reader:{SECRET}"), ("stranger", "reader:wrong")):
        catalog = f"spark.sql.catalog.{name}"
        settings = {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "rest",
            f"{catalog}.uri": f"{server.uri}/iceberg",
            f"{catalog}.credential": credential,
            f"{catalog}.oauth2-server-uri": provider.token_endpoint,
            f"{catalog}.scope": "openid",
        }
        spark.ask("configure", settings=settings)
    assert spark.sql("SHOW NAMESPACES IN keycloak") == [["shop"]]
    assert spark.sql("SELECT id FROM keycloak.shop.orders WHERE id < 3") == [[0], [1], [2]]
    with pytest.raises(SparkFailed, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.sql("SELECT id FROM keycloak.hr.orders")
    with pytest.raises(SparkFailed, match=r"(?i)unauthorized|invalid.client"):
        spark.sql("SELECT id FROM stranger.shop.orders")


def test_a_browser_signs_in_and_its_token_is_renewed(server: Running, provider: Keycloak) -> None:
    # The lifetime is shorter than the time before expiry at which a token is renewed.
    provider.administer("PUT", "/lake", {"accessTokenLifespan": 5})
    try:
        with httpx.Client(base_url=server.uri, timeout=60) as browser:
            led = browser.get("/session/oidc", params={"next": "#/tables"})
            back = provider.sign_in(led.headers["location"])
            assert back.startswith(f"{server.uri}/session/callback?")
            assert browser.get(back).headers["location"] == "../#/tables"
            tables = [browser.get(TABLES).json()["tables"] for _ in range(3)]
            assert [[table["name"] for table in one] for one in tables] == [["shop.orders"]] * 3
            assert browser.get("/session").json()["caller"].startswith(f"{provider.issuer}#")
            assert browser.get(back).headers["location"] == "../#/sign-in?error=not_authenticated"
    finally:
        provider.administer("PUT", "/lake", {"accessTokenLifespan": 300})


def test_other_tokens_of_the_same_provider_are_refused(server: Running, provider: Keycloak) -> None:
    tokens = provider.tokens("reader")
    assert status(server, tokens["access_token"]) == 200
    assert status(server, tokens["id_token"]) == 401, "an ID token"
    assert status(server, provider.tokens("elsewhere")["access_token"]) == 401, "another audience"
    assert status(server, tokens["access_token"]) == 200, "used again before its end"
    assert status(server, provider.admin_token()) == 401, "another realm"
    assert status(server, unsigned(tokens["access_token"])) == 401, "the algorithm none"


def unsigned(token: str) -> str:
    """Return a token's claims without its signature."""
    head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    return f"{head}.{token.split('.')[1]}."


def test_a_token_is_refused_after_its_end(server: Running, provider: Keycloak) -> None:
    provider.administer("PUT", "/lake", {"accessTokenLifespan": 1})
    try:
        token = provider.tokens("reader")["access_token"]
    finally:
        provider.administer("PUT", "/lake", {"accessTokenLifespan": 300})
    assert status(server, token) == 200
    # Clocks may differ by a minute.
    soon(lambda: status(server, token) == 401)


def test_a_rotated_key_is_followed_and_the_old_one_refused(server: Running, provider: Keycloak) -> None:
    old = provider.tokens("reader")["access_token"]
    assert status(server, old) == 200
    provider.rotate()
    new = provider.tokens("reader")["access_token"]
    soon(lambda: status(server, new) == 200)
    assert status(server, old) == 401
