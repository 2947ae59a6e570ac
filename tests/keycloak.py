"""Keycloak for tests: a realm with clients and rotatable keys.

Maven downloads the distribution (``requirements-keycloak.jars``) on first use. It needs Java 17.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx

from tests.beside import jars_of
from tests.journey.servers import free_port
from tests.oidc_provider import AUDIENCE

START_SECONDS = 240.0
REALM, SECRET, ADMIN = "lake", "secret-of-the-client", "admin-of-the-tests"
CONSOLE, PERSON = "console", "ann"
ROLE = "lakemuster:read:shop"
_KEYS = "org.keycloak.keys.KeyProvider"


def _client(name: str, audience: str | None) -> dict[str, Any]:
    """Return a client with the client credentials grant, whose tokens have an audience."""
    config = {"included.custom.audience": audience, "access.token.claim": "true", "id.token.claim": "false"}
    mapper = {"name": "audience", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper"}
    return {
        "clientId": name,
        "secret": SECRET,
        "serviceAccountsEnabled": True,
        "standardFlowEnabled": False,
        "protocolMappers": [] if audience is None else [{**mapper, "config": config}],
    }


def _browser_client(name: str, audience: str) -> dict[str, Any]:
    """Return a client with the authorization code grant."""
    flows = {"standardFlowEnabled": True, "serviceAccountsEnabled": False}
    return {**_client(name, audience), **flows, "redirectUris": ["http://127.0.0.1/*"]}


def _service_account(client: str) -> dict[str, Any]:
    user = {"username": f"service-account-{client}", "enabled": True}
    return {**user, "serviceAccountClientId": client, "realmRoles": [ROLE]}


_REALM = {
    "realm": REALM,
    "enabled": True,
    "sslRequired": "none",
    "roles": {"realm": [{"name": ROLE}]},
    "clients": [
        _client("reader", AUDIENCE),
        _client("elsewhere", "another service"),
        _browser_client(CONSOLE, AUDIENCE),
    ],
    "users": [
        _service_account("reader"),
        _service_account("elsewhere"),
        {
            "username": PERSON,
            "enabled": True,
            "email": "ann@example.com",
            "firstName": "Ann",
            "lastName": "Other",
            "credentials": [{"type": "password", "value": SECRET, "temporary": False}],
            "realmRoles": [ROLE],
        },
    ],
}


@dataclass
class Keycloak:
    """A running Keycloak."""

    uri: str
    http: httpx.Client

    @property
    def issuer(self) -> str:
        """The issuer of the realm."""
        return f"{self.uri}/realms/{REALM}"

    @property
    def token_endpoint(self) -> str:
        """The URL of the token endpoint."""
        return f"{self.issuer}/protocol/openid-connect/token"

    def tokens(self, client: str, scope: str = "openid") -> dict[str, str]:
        """Return the token response for a client's credentials: ``access_token``, ``id_token``."""
        form = {"grant_type": "client_credentials", "client_id": client, "client_secret": SECRET, "scope": scope}
        found: dict[str, str] = self.http.post(self.token_endpoint, data=form).raise_for_status().json()
        return found

    def sign_in(self, address: str) -> str:
        """Sign the user in on the page at ``address``; return the redirect's location."""
        with httpx.Client(timeout=60, follow_redirects=True) as browser:
            page = browser.get(address).raise_for_status()
            found = re.search(r'<form[^>]*action="([^"]+)"', page.text)
            assert found is not None, page.text[:2000]
            form = {"username": PERSON, "password": SECRET}
            # The cookies are ``Secure``; browsers send them to 127.0.0.1 nevertheless.
            cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar)
            answer = browser.post(unescape(found[1]), data=form, headers={"Cookie": cookies}, follow_redirects=False)
            assert answer.status_code == 302, answer.text[:2000]
            return answer.headers["location"]

    def admin_token(self) -> str:
        """Return an access token of the administration realm."""
        form = {"grant_type": "password", "client_id": "admin-cli", "username": ADMIN, "password": SECRET}
        answer = self.http.post(f"{self.uri}/realms/master/protocol/openid-connect/token", data=form)
        token: str = answer.raise_for_status().json()["access_token"]
        return token

    def administer(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the administration API."""
        headers = {"Authorization": f"Bearer {self.admin_token()}"}
        answer = self.http.request(method, f"{self.uri}/admin/realms{path}", json=body, headers=headers)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def rotate(self) -> None:
        """Replace the realm's signing keys with a new one."""
        old = self.administer("GET", f"/{REALM}/components?type={_KEYS}")
        parent = self.administer("GET", f"/{REALM}")["id"]
        config = {"priority": ["200"], "algorithm": ["RS256"], "keySize": ["2048"]}
        new = {"name": "rotated", "providerId": "rsa-generated", "providerType": _KEYS, "parentId": parent}
        self.administer("POST", f"/{REALM}/components", {**new, "config": config})
        for component in old:
            if component["providerId"] == "rsa-generated":
                self.administer("DELETE", f"/{REALM}/components/{component['id']}")


@contextmanager
def keycloak(folder: Path) -> Iterator[Keycloak]:
    """Run Keycloak with one realm, in a copy of its distribution, to which it writes."""
    [distribution] = jars_of("requirements-keycloak.jars")
    home = folder / "keycloak"
    shutil.copytree(distribution, home)
    port, management = free_port(), free_port()
    command = ["sh", "bin/kc.sh", "start-dev", "--http-host=127.0.0.1", f"--http-port={port}", "--db=dev-mem"]
    command += [f"--http-management-port={management}", "--cache=local"]
    options = {"KC_BOOTSTRAP_ADMIN_USERNAME": ADMIN, "KC_BOOTSTRAP_ADMIN_PASSWORD": SECRET}
    memory = {"JAVA_OPTS_KC_HEAP": "-Xms64m -Xmx768m"}
    log = folder / "keycloak.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, **options, **memory},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        with httpx.Client(timeout=60) as client:
            running = Keycloak(f"http://127.0.0.1:{port}", client)
            _await(running, process, log)
            running.administer("POST", "", _REALM)
            yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        shutil.rmtree(home, ignore_errors=True)


def _await(running: Keycloak, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        with suppress(httpx.TransportError):
            if running.http.get(f"{running.uri}/realms/master").status_code == 200:
                return
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"Keycloak did not start:\n{log.read_text('utf-8', 'replace')[-4000:]}")
        time.sleep(0.25)
