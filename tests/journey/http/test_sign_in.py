"""Browsers sign in with a token or at an OpenID provider; the cookie is accepted only from the server's own pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.api.identity.tokens import token_entry
from tests.journey.servers import Running, lakemuster, served
from tests.oidc_provider import AUDIENCE, OidcProvider, oidc_provider
from tests.polling import until

TABLES = "/api/v1/tables"
CSRF = "X-Lakemuster-CSRF"
NAMES = ["hr.people", "shop.orders"]


@dataclass
class Place:
    """A server, its tokens file and its provider."""

    running: Running
    tokens: Path
    provider: OidcProvider

    def browser(self, **options: object) -> httpx.Client:
        """Return a client that stores cookies."""
        return httpx.Client(base_url=self.running.uri, timeout=60, **options)  # type: ignore[arg-type]

    def give_tokens(self, *names: str) -> None:
        """Write a tokens file in which each token equals its name."""
        text = "".join(token_entry(name, name, "admin") for name in names)
        self.tokens.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("signin")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    for name in NAMES:
        catalog.create_namespace(name.partition(".")[0])
        catalog.create_table(name, pa.schema([("id", pa.int64())])).append(pa.table({"id": [1]}))
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    tokens = folder / "tokens.toml"
    with oidc_provider() as provider:
        client, secret = provider.browsers.client
        settings = {"OIDC_ISSUER": provider.issuer, "OIDC_AUDIENCE": AUDIENCE, "TOKENS": str(tokens)}
        settings |= {"OIDC_CLIENT_ID": client, "OIDC_CLIENT_SECRET": secret, "LOG_LEVEL": "debug"}
        tokens.write_text(token_entry("operator", "operator", "admin"), "utf-8")
        with served(folder, **settings) as running:
            yield Place(running, tokens, provider)


def names(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return sorted(table["name"] for table in answer.json()["tables"])


def test_a_browser_signs_in_with_a_token_and_out(place: Place) -> None:
    with place.browser() as browser:
        before = browser.get("/session").json()
        assert before == {"is_open": False, "caller": None, "methods": ["oidc", "token"], "csrf": None}
        assert browser.get(TABLES).status_code == 401
        signed_in = browser.post("/session", json={"token": "operator"})
        state = signed_in.json()
        assert (signed_in.status_code, state["caller"]) == (200, "operator")
        assert browser.get("/session").json() == state
        listed = browser.get(TABLES)
        assert names(listed) == NAMES
        assert "Cookie" in listed.headers["vary"]
        left = browser.delete("/session")
        assert (left.status_code, left.json()["error"]["code"]) == (403, "not_authorised")
        assert browser.delete("/session", headers={CSRF: state["csrf"]}).status_code == 204
        assert not browser.cookies
        assert browser.get(TABLES).status_code == 401


def test_the_cookie_is_for_this_server_and_not_for_scripts(place: Place) -> None:
    with place.browser() as browser:
        answer = browser.post("/session", json={"token": "operator"})
        said = answer.headers["set-cookie"]
        assert re.fullmatch(
            r"lakemuster_session=[\w-]{43}; HttpOnly; Max-Age=43200; Path=/; SameSite=strict", said, re.IGNORECASE
        )
        assert "operator" not in said
        assert answer.headers["cache-control"] == "no-store"
        proxied = browser.post("/session", json={"token": "wrong"})
        assert (proxied.status_code, "set-cookie" in proxied.headers) == (401, False)


def test_a_signed_out_cookie_is_worth_nothing(place: Place) -> None:
    with place.browser() as browser:
        csrf = browser.post("/session", json={"token": "operator"}).json()["csrf"]
        copied = dict(browser.cookies)
        assert browser.delete("/session", headers={CSRF: csrf}).status_code == 204
    with place.browser(cookies=copied) as other:
        assert other.get(TABLES).status_code == 401
        assert other.get("/session").json()["caller"] is None


def test_what_changes_something_needs_the_csrf_token(place: Place) -> None:
    with place.browser() as browser:
        csrf = browser.post("/session", json={"token": "operator"}).json()["csrf"]
        path = f"{TABLES}/shop.orders/refresh"
        for wrong in ({}, {CSRF: ""}, {CSRF: csrf[:-1]}, {CSRF: f"{csrf}x"}):
            answer = browser.post(path, headers=wrong)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_authorised")
        assert browser.post(path, headers={CSRF: csrf}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Authorization": "Bearer wrong"},
    ],
    ids=["other site", "same site", "other origin", "no origin", "own token"],
)
def test_requests_that_are_not_of_our_pages_do_not_use_the_cookie(place: Place, headers: dict[str, str]) -> None:
    with place.browser() as browser:
        browser.post("/session", json={"token": "operator"})
        assert browser.get(TABLES).status_code == 200
        assert browser.get(TABLES, headers=headers).status_code == 401


def test_other_apis_do_not_know_the_cookie(place: Place) -> None:
    with place.browser() as browser:
        browser.post("/session", json={"token": "operator"})
        for path in ("/iceberg/v1/config", "/paimon/v1/config", "/metrics"):
            assert browser.get(path).status_code == 401


def test_a_session_ends_with_its_token(place: Place) -> None:
    place.give_tokens("operator", "leaving")
    with place.browser() as browser, place.browser() as other:
        until(lambda: browser.post("/session", json={"token": "leaving"}).status_code == 200)
        other.post("/session", json={"token": "operator"})
        assert names(browser.get(TABLES)) == NAMES
        place.give_tokens("operator")
        until(lambda: browser.get(TABLES).status_code == 401)
        assert browser.get("/session").json()["caller"] is None
        assert not browser.cookies
        assert names(other.get(TABLES)) == NAMES


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[1]", b'{"token": ""}', b'{"token": 5}', b'{"token": "operator", "x": 1}', b"x" * 30_000]
)
def test_a_malformed_sign_in_is_refused(place: Place, body: bytes) -> None:
    answer = place.running.http.post("/session", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request_invalid")


def test_another_sites_page_cannot_sign_a_browser_in(place: Place) -> None:
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = place.running.http.post("/session", json={"token": "operator"}, headers=headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def at_provider(place: Place, browser: httpx.Client, fragment: str = "") -> dict[str, str]:
    """Sign in at the provider; return the parameters of its redirect."""
    led = browser.get("/session/oidc", params={"next": fragment})
    assert led.status_code == 303
    assert led.headers["location"].startswith(f"{place.provider.issuer}/authorize?")
    assert "SameSite=lax" in led.headers["set-cookie"]
    return place.provider.browsers.sign_in(led.headers["location"])


def test_a_browser_signs_in_at_the_provider(place: Place) -> None:
    with place.browser() as browser:
        back = at_provider(place, browser, "#/tables/shop.orders")
        done = browser.get("/session/callback", params=back)
        assert (done.status_code, done.headers["location"]) == (303, "../#/tables/shop.orders")
        assert names(browser.get(TABLES)) == ["shop.orders"]
        assert browser.get("/session").json()["caller"] == f"{place.provider.issuer}#ann"
        # The code and the attempt are valid once.
        again = browser.get("/session/callback", params=back)
        assert again.headers["location"] == "../#/sign-in?error=not_authenticated"


def test_answers_of_other_sign_ins_are_refused(place: Place) -> None:
    with place.browser() as browser, place.browser() as victim:
        of_attacker = at_provider(place, browser)
        own = at_provider(place, victim)
        for wrong in (
            of_attacker,
            {**own, "state": of_attacker["state"]},
            {**own, "iss": "https://elsewhere.example"},
            {"state": own["state"]},
            {"state": own["state"], "error": "access_denied"},
            {},
        ):
            answer = victim.get("/session/callback", params=wrong)
            assert answer.headers["location"] == "../#/sign-in?error=not_authenticated"
            assert "lakemuster_session" not in victim.cookies
            own = at_provider(place, victim)
        assert victim.get(TABLES).status_code == 401


@pytest.mark.parametrize("fragment", ["https://elsewhere.example", "//elsewhere.example", "#x", "#/a b", "#/\\x"])
def test_a_browser_is_led_to_this_servers_pages_only(place: Place, fragment: str) -> None:
    with place.browser() as browser:
        back = at_provider(place, browser, fragment)
        assert browser.get("/session/callback", params=back).headers["location"] == "../"


def test_a_token_is_renewed_before_it_ends_and_once(place: Place) -> None:
    grants = place.provider.browsers
    grants.seconds = 20
    with place.browser() as browser:
        browser.get("/session/callback", params=at_provider(place, browser))
        before, grants.seconds = grants.refreshed, 300
        for _ in range(5):
            assert names(browser.get(TABLES)) == ["shop.orders"]
        assert grants.refreshed == before + 1
        # A session whose token cannot be renewed ends.
    grants.seconds = 20
    with place.browser() as browser:
        browser.get("/session/callback", params=at_provider(place, browser))
        grants.refresh_tokens.clear()
        assert browser.get(TABLES).status_code == 401
        assert browser.get("/session").json()["caller"] is None
    grants.seconds = 300


def test_a_provider_in_trouble_is_said(place: Place) -> None:
    with place.browser() as browser:
        back = at_provider(place, browser)
        client, place.provider.browsers.client = place.provider.browsers.client, ("another", "client")
        try:
            answer = browser.get("/session/callback", params=back)
        finally:
            place.provider.browsers.client = client
        assert answer.headers["location"] == "../#/sign-in?error=identity_unavailable"


def test_neither_logs_nor_answers_have_secrets(place: Place) -> None:
    with place.browser() as browser:
        answer = browser.post("/session", json={"token": "operator"})
        cookie = browser.cookies["lakemuster_session"]
        assert cookie not in answer.text
        back = at_provider(place, browser)
        browser.get("/session/callback", params=back)
        browser.get(TABLES)
    log = place.running.log.read_text()
    for secret in (cookie, back["code"], back["state"], answer.json()["csrf"], "refresh-"):
        assert secret not in log
    signed_in = [line for line in log.splitlines() if '"action":"begin_session"' in line]
    assert json.loads(signed_in[-1][signed_in[-1].index("{") :])["caller"] == "operator"


def test_a_server_without_callers_needs_no_sign_in(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        assert running.http.get("/session").json() == {"is_open": True, "caller": None, "methods": [], "csrf": None}
        assert running.http.post("/session", json={"token": "x"}).status_code == 400
        assert running.http.delete("/session").status_code == 204
        assert running.http.get("/session/oidc").status_code == 400


def test_behind_a_proxy_the_cookie_has_its_path_and_is_secure(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(token_entry("operator", "operator", "admin"), "utf-8")
    settings = {"TOKENS": str(tokens), "ROOT_PATH": "/lake", "FORWARDED_ALLOW_IPS": "127.0.0.1"}
    with served(tmp_path, **settings) as running:
        headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.0.0.1"}
        said = running.http.post("/lake/session", json={"token": "operator"}, headers=headers).headers["set-cookie"]
        assert "Path=/lake/;" in said
        assert "Secure" in said
