"""Sign-in in the browser: by token, at an OpenID provider, and the end of a session."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from lakemuster.api.identity.tokens import token_entry
from tests.journey.servers import served
from tests.oidc_provider import AUDIENCE, oidc_provider
from tests.polling import until

ROWS = "a.row"
TABLES = (
    "shop.customers",
    "shop.orders",
    "shop.prices",
    "shop.returns",
    "shop.stock",
    "web.clicks",
    "web.events",
    "web.sessions",
)


@pytest.fixture(scope="module")
def provider():
    with oidc_provider() as found:
        found.browsers.roles = ("lakemuster:read",)
        yield found


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    path = tmp_path_factory.mktemp("console-tokens") / "tokens.toml"
    path.write_text(token_entry("reader", "secret"), "utf-8")
    return path


@pytest.fixture(scope="module")
def guarded(provider, tokens, tmp_path_factory):
    """A server of the demo lake that requires sign-in."""
    client, secret = provider.browsers.client
    settings = {"OIDC_ISSUER": provider.issuer, "OIDC_AUDIENCE": AUDIENCE, "TOKENS": str(tokens)}
    settings |= {"OIDC_CLIENT_ID": client, "OIDC_CLIENT_SECRET": secret}
    with served(tmp_path_factory.mktemp("console-guarded"), "--demo", **settings) as running:
        yield running


def asked_to_sign_in(one):
    expect(one.page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(one.page.locator(ROWS)).to_have_count(0)


def by_token(one, token):
    one.page.get_by_label("Token").fill(token)
    one.page.get_by_role("button", name="Sign in").click()


def test_a_token_signs_in_and_the_page_never_has_it_again(guarded, visit):
    one = visit(guarded.uri, "#/tables/shop.orders")
    asked_to_sign_in(one)
    assert one.violations() == []
    one.may_fail.append("/session")
    by_token(one, "wrong")
    expect(one.page.get_by_role("alert")).to_have_text("This token is not valid.")
    by_token(one, "secret")
    expect(one.page.get_by_role("heading", name="shop.orders")).to_be_visible()
    expect(one.page.get_by_text("reader", exact=True)).to_be_visible()
    one.page.reload()
    expect(one.page.get_by_role("heading", name="shop.orders")).to_be_visible()
    assert one.page.evaluate("document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)") in (
        "{}{}",
        '{"scheme":"auto"}{}',
    )
    [cookie] = one.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    one.page.get_by_role("button", name="Sign out").click()
    asked_to_sign_in(one)
    assert one.context.cookies() == []


def test_requests_of_a_view_end_before_its_session_does(guarded, visit):
    one = visit(guarded.uri, "#/tables/shop.orders")
    by_token(one, "secret")
    expect(one.page.get_by_role("heading", name="Timeline")).to_be_visible()
    held = []

    def hold(route):
        held.append(route)

    one.page.route("**/timeline?*", hold)
    with one.page.expect_request("**/timeline?*"):
        one.page.reload()

    def release(route):
        # Release the held requests after the session has ended: they are refused now.
        while route.request.method == "GET" and held:
            held.pop().continue_()
        route.continue_()

    one.page.route("**/session", release)
    one.page.get_by_role("button", name="Sign out").click()
    asked_to_sign_in(one)


def test_a_sign_out_that_fails_is_told_and_the_next_try_succeeds(guarded, visit):
    one = visit(guarded.uri)
    by_token(one, "secret")
    expect(one.page.locator(ROWS)).to_have_count(len(TABLES))
    with one.unreachable("/session"):
        one.page.get_by_role("button", name="Sign out").click()
        expect(one.page.get_by_role("alert")).to_contain_text("The sign-out failed")
    one.page.get_by_role("button", name="Try again").click()
    asked_to_sign_in(one)


def test_the_provider_signs_in_and_leads_back(guarded, provider, visit):
    one = visit(guarded.uri, "#/tables/web.events")
    one.also.append(provider.issuer)
    asked_to_sign_in(one)
    one.page.get_by_role("link", name="Sign in with your organisation").click()
    expect(one.page.get_by_role("heading", name="web.events")).to_be_visible()
    expect(one.page.get_by_text(f"{provider.issuer}#ann")).to_be_visible()


def test_a_provider_that_refuses_is_told_and_the_next_try_succeeds(guarded, provider, visit):
    one = visit(guarded.uri)
    one.also.append(provider.issuer)
    asked_to_sign_in(one)
    provider.browsers.refuses = True
    try:
        one.page.get_by_role("link", name="Sign in with your organisation").click()
        expect(one.page.get_by_role("alert")).to_contain_text("refused")
    finally:
        provider.browsers.refuses = False
    assert one.violations() == []
    one.page.get_by_role("link", name="Sign in with your organisation").click()
    expect(one.page.locator(ROWS)).to_have_count(len(TABLES))


@contextmanager
def withdrawn(guarded, tokens):
    """Remove the reader's token from the server until the block ends."""
    before = tokens.read_text("utf-8")
    tokens.write_text(token_entry("other", "another"), "utf-8")
    try:
        yield
    finally:
        tokens.write_text(before, "utf-8")
        bearer = {"Authorization": "Bearer secret"}
        until(lambda: guarded.http.get("/api/v1/tables", headers=bearer).status_code == 200)


def test_a_session_whose_token_is_withdrawn_asks_to_sign_in(guarded, tokens, visit):
    one = visit(guarded.uri)
    by_token(one, "secret")
    expect(one.page.locator(ROWS)).to_have_count(len(TABLES))
    one.may_fail.append("/api/v1/")
    with withdrawn(guarded, tokens):
        asked_to_sign_in(one)


def test_signing_in_again_leads_back_to_the_same_state(guarded, tokens, visit):
    one = visit(guarded.uri, "#/tables/shop.orders/why?filter=amount%20%3E%20490&column=amount")
    by_token(one, "secret")
    expect(one.page.locator(".answer-line")).to_be_visible()
    address = one.page.url
    one.may_fail += ["/api/v1/", "/session"]
    with withdrawn(guarded, tokens):
        asked_to_sign_in(one)
    assert one.page.url == address
    by_token(one, "secret")
    expect(one.page.locator(".answer-line")).to_be_visible()
    expect(one.page.locator("#filter")).to_have_value("amount > 490")
    assert one.page.url == address


def test_a_tab_goes_on_after_another_tab_has_begun_a_new_session(guarded, visit):
    """The CSRF token of the first session does not belong to the second one."""
    one = visit(guarded.uri, "#/tables/shop.orders/why")
    by_token(one, "secret")
    expect(one.page.locator(".answer-line")).to_be_visible()
    other = one.context.new_page()
    other.goto(f"{guarded.uri}/#/catalogs")
    other.get_by_role("button", name="Sign out").click()
    other.get_by_label("Token").fill("secret")
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="Catalogs")).to_be_visible()
    one.may_fail += ["/plan", "/explain"]
    one.page.get_by_label("Rows where").fill("amount > 490")
    expect(one.page.get_by_text("dropped by").first).to_be_visible()
    expect(one.page.locator(".failure")).to_have_count(0)
