"""Sign-in at an identity provider: PyIceberg with a credential, both kinds of callers, and a provider that hangs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import ForbiddenError, NoSuchTableError, OAuthError, RESTError, UnauthorizedError

from lakemuster.api.identity.provider import DEADLINE_SECONDS
from lakemuster.api.identity.tokens import token_entry
from tests.journey.servers import Running, lakemuster, served
from tests.oidc_provider import AUDIENCE, OidcProvider, SigningKey, oidc_provider, rsa_key

TABLES = "/api/v1/tables"
CREDENTIAL = "reader:secret of the client"
ROWS = pa.table({"id": pa.array(range(10), pa.int64())})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table in each of two namespaces, and an index of both."""
    folder = tmp_path_factory.mktemp("oidc")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    for namespace, name in (("shop", "orders"), ("hr", "people")):
        catalog.create_namespace(namespace)
        catalog.create_table(f"{namespace}.{name}", ROWS.schema).append(ROWS)
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    return folder


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as found:
        found.clients["reader"] = ("secret of the client", {"roles": ["lakemuster:read:shop", "uma_authorization"]})
        found.clients["nobody"] = ("secret", {"roles": ["admin"]})
        yield found


@pytest.fixture(scope="module")
def server(lake: Path, provider: OidcProvider) -> Iterator[Running]:
    tokens = lake / "tokens.toml"
    tokens.write_text(token_entry("operator", "operator", "admin"), "utf-8")
    settings = {"OIDC_ISSUER": provider.issuer, "OIDC_AUDIENCE": AUDIENCE, "TOKENS": str(tokens)}
    with served(lake, **settings) as running:
        yield running


def ask(server: Running, token: str, path: str = TABLES) -> httpx.Response:
    return server.http.get(path, headers={"Authorization": f"Bearer {token}"})


def signed_in(server: Running, provider: OidcProvider, credential: str = CREDENTIAL) -> RestCatalog:
    endpoint = f"{provider.issuer}/token"
    return RestCatalog("muster", uri=f"{server.uri}/iceberg", credential=credential, **{"oauth2-server-uri": endpoint})


def test_pyiceberg_signs_in_with_a_credential(server: Running, provider: OidcProvider) -> None:
    catalog = signed_in(server, provider)
    assert catalog.list_namespaces() == [("shop",)]
    assert catalog.list_tables("shop") == [("shop", "orders")]
    assert catalog.load_table("shop.orders").scan(row_filter="id < 3").to_arrow().num_rows == 3
    with pytest.raises(NoSuchTableError):
        catalog.load_table("hr.people")
    with pytest.raises(OAuthError):
        signed_in(server, provider, "reader:wrong")
    with pytest.raises(ForbiddenError):
        signed_in(server, provider, "nobody:secret").list_namespaces()


def test_clients_are_told_where_to_exchange_a_credential(server: Running, provider: OidcProvider) -> None:
    endpoint = f"{provider.issuer}/token"
    config = ask(server, "operator", "/iceberg/v1/config").json()
    assert config["defaults"]["oauth2-server-uri"] == endpoint
    with pytest.raises(RESTError, match=f"oauth2-server-uri={endpoint}"):
        RestCatalog("muster", uri=f"{server.uri}/iceberg", credential=CREDENTIAL)


def test_both_kinds_of_callers_are_served_and_others_refused(server: Running, provider: OidcProvider) -> None:
    token = provider.token("ann", "lakemuster:read:hr")
    assert [table["name"] for table in ask(server, token).json()["tables"]] == ["hr.people"]
    assert len(ask(server, "operator").json()["tables"]) == 2
    for wrong in (
        provider.token("ann", aud="another"),
        provider.token("ann", iss="http://127.0.0.1:1/realm"),
        provider.token("ann", key=SigningKey("first", "RS256", rsa_key(7))),
        provider.token("ann", exp=1_700_000_000),
        token[:-4],
        "x",
    ):
        answer = ask(server, wrong)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_authenticated")
    with pytest.raises(UnauthorizedError):
        RestCatalog("muster", uri=f"{server.uri}/iceberg", token="wrong")
    log = server.log.read_text()
    assert token.rpartition(".")[2] not in log
    assert "secret of the client" not in log


def test_a_page_token_is_good_for_its_own_caller_only(server: Running, provider: OidcProvider) -> None:
    first, second = (provider.token(name, "lakemuster:read") for name in ("ann", "bob"))
    page = ask(server, first, f"{TABLES}?page_size=1").json()["next_page_token"]
    again = f"{TABLES}?page_size=1&page_token={page}"
    assert ask(server, first, again).status_code == 200
    assert ask(server, second, again).json()["error"]["code"] == "page_token_invalid"


def test_a_provider_in_trouble_stops_no_caller_of_the_tokens_file(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(token_entry("operator", "operator", "admin"), "utf-8")
    with oidc_provider() as provider:
        provider.hold.clear()
        settings = {"OIDC_ISSUER": provider.issuer, "OIDC_AUDIENCE": AUDIENCE, "TOKENS": str(tokens)}
        with served(tmp_path, **settings) as server:
            token = provider.token("ann", "lakemuster:read")
            with ThreadPoolExecutor(8) as threads:
                waiting = [threads.submit(ask, server, token) for _ in range(8)]
                assert all(ask(server, "operator").status_code == 200 for _ in range(20))
                answers = [each.result(timeout=10 * DEADLINE_SECONDS) for each in waiting]
            for answer in answers:
                assert (answer.status_code, answer.json()["error"]["code"]) == (503, "identity_unavailable")
                assert int(answer.headers["retry-after"]) > 0
        assert provider.asked.total() <= 2
