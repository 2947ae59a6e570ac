"""A small OpenID provider over HTTP, which can rotate its keys, hang, fail and return wrong values."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.loopback_http import listening

AUDIENCE = "lakemuster-tests"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@cache
def rsa_key(number: int, bits: int = 2048) -> rsa.RSAPrivateKey:
    """Return a key for a number, cached, since generating one takes a tenth of a second."""
    del number
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def new_key(algorithm: str, number: int = 0) -> PrivateKey:
    """Generate a private key for a signature algorithm."""
    if algorithm.startswith(("RS", "PS")):
        return rsa_key(number)
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    curves = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}
    return ec.generate_private_key(curves[algorithm])


@dataclass
class SigningKey:
    """A signing key of the provider."""

    key_id: str
    algorithm: str
    private: PrivateKey

    @property
    def jwk(self) -> dict[str, Any]:
        """The public key as a JWK."""
        algorithm = jwt.get_algorithm_by_name(self.algorithm)
        document = algorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**document, "kid": self.key_id, "use": "sig"}


@dataclass
class BrowserGrants:
    """The authorization code and refresh token grants; each code and token is valid once.

    Attributes:
        client: the client's id and secret.
        roles: the roles of all users.
        seconds: the lifetime of a token.
        codes: the query of the authorization request, by code.
        refuses: whether access is denied to all users.
    """

    client: tuple[str, str] = ("muster", "a secret/+")
    roles: tuple[str, ...] = ("lakemuster:read:shop",)
    seconds: int = 300
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refresh_tokens: set[str] = field(default_factory=set)
    refreshed: int = 0
    refuses: bool = False

    def sign_in(self, address: str) -> dict[str, str]:
        """Sign a user in for an authorization URL; return the redirect's parameters."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def leads_back(self, address: str) -> str:
        """Return the redirect's URL after the user signed in, or was denied access."""
        back = self.sign_in(address)
        asked = self.codes[back["code"]]
        answer = {"error": "access_denied", "state": back["state"]} if self.refuses else back
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def exchange(
        self, form: dict[str, str], basic: tuple[str, str], token: Callable[..., str]
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and token response for a code or a refresh token."""
        if basic != self.client:
            return 401, {"error": "invalid_client"}
        if form["grant_type"] == "authorization_code":
            asked = self.codes.pop(form["code"], {})
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            is_good = (asked.get("code_challenge"), asked.get("redirect_uri")) == (challenge, form["redirect_uri"])
        else:
            is_good = form["refresh_token"] in self.refresh_tokens
            self.refresh_tokens.discard(form["refresh_token"])
            self.refreshed += is_good
        if not is_good:
            return 400, {"error": "invalid_grant"}
        refresh_token = f"refresh-{time.monotonic_ns()}"
        self.refresh_tokens.add(refresh_token)
        granted = token("ann", *self.roles, exp=int(time.time()) + self.seconds)
        answer = {"access_token": granted, "token_type": "Bearer", "expires_in": self.seconds}
        return 200, {**answer, "refresh_token": refresh_token}


@dataclass
class OidcProvider:
    """The provider's state.

    Attributes:
        named: the issuer in the discovery document, if not the provider's.
        opaque: introspection responses by token.
        hold: requests wait until it is set.
        status: the status of every response.
        asked: the number of requests by path.
    """

    port: int
    keys: list[SigningKey] = field(default_factory=lambda: [SigningKey("first", "RS256", rsa_key(0))])
    named: str | None = None
    opaque: dict[str, dict[str, Any]] = field(default_factory=dict)
    clients: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    hold: threading.Event = field(default_factory=threading.Event)
    status: int = 200
    asked: Counter[str] = field(default_factory=Counter)
    browsers: BrowserGrants = field(default_factory=BrowserGrants)

    @property
    def issuer(self) -> str:
        """The issuer's URL."""
        return f"http://127.0.0.1:{self.port}/realm"

    def rotate(self, algorithm: str = "RS256") -> SigningKey:
        """Replace all keys with a new one."""
        number = len(self.asked) + len(self.keys) + int(self.keys[-1].key_id == "first")
        self.keys = [SigningKey(f"rotated-{time.monotonic_ns()}", algorithm, new_key(algorithm, number))]
        return self.keys[0]

    def claims(self, subject: str = "someone", *roles: str, **changes: Any) -> dict[str, Any]:
        """Return the claims of a valid access token; a change to None removes a claim."""
        now = int(time.time())
        found = {
            "iss": self.issuer,
            "aud": [AUDIENCE, "account"],
            "sub": subject,
            "iat": now,
            "exp": now + 300,
            "roles": list(roles),
            **changes,
        }
        return {name: value for name, value in found.items() if value is not None}

    def token(self, subject: str = "someone", *roles: str, key: SigningKey | None = None, **changes: Any) -> str:
        """Return a signed access token; ``headers`` extends its JOSE header."""
        headers = changes.pop("headers", {})
        key = key or self.keys[0]
        return jwt.encode(
            self.claims(subject, *roles, **changes),
            key.private,
            key.algorithm,
            {"kid": key.key_id, **headers},
        )

    def answer(self, path: str, form: dict[str, list[str]], basic: tuple[str, str]) -> tuple[int, object]:
        """Return the status and document of a response."""
        match path:
            case "/realm/.well-known/openid-configuration":
                return self.status, {
                    "issuer": self.named or self.issuer,
                    "jwks_uri": f"{self.issuer}/keys",
                    "token_endpoint": f"{self.issuer}/token",
                    "introspection_endpoint": f"{self.issuer}/introspect",
                    "authorization_endpoint": f"{self.issuer}/authorize",
                }
            case "/realm/keys":
                return self.status, {"keys": [key.jwk for key in self.keys]}
            case "/realm/introspect":
                if basic != ("muster", "a secret/+"):
                    return 401, {"error": "invalid_client"}
                return self.status, self.opaque.get(form["token"][0], {"active": False})
            case "/realm/token":
                return self._exchange(form, basic)
        return 404, {}

    def _exchange(self, form: dict[str, list[str]], basic: tuple[str, str]) -> tuple[int, object]:
        if form["grant_type"] != ["client_credentials"]:
            return self.browsers.exchange({name: values[0] for name, values in form.items()}, basic, self.token)
        client = form.get("client_id", [""])[0]
        secret, changes = self.clients.get(client, (None, {}))
        if form.get("client_secret") != [secret]:
            return 401, {"error": "invalid_client", "error_description": "who is that?"}
        token = self.token(client, **changes)
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 300}


@contextmanager
def oidc_provider() -> Iterator[OidcProvider]:
    """Run a provider on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("content-length", 0))
            form = parse_qs(self.rfile.read(length).decode())
            provider.asked[self.path] += 1
            provider.hold.wait()
            scheme, _, given = self.headers.get("authorization", "").partition(" ")
            user, _, password = base64.b64decode(given).decode().partition(":") if scheme == "Basic" else ("", "", "")
            if self.path.startswith("/realm/authorize?"):
                self.send_response(302)
                self.send_header("location", provider.browsers.leads_back(self.path))
                self.send_header("content-length", "0")
                self.end_headers()
                return
            status, document = provider.answer(self.path, form, (unquote(user), unquote(password)))
            body = json.dumps(document).encode()
            # The client may have disconnected.
            with suppress(OSError):
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: object) -> None: ...

    with listening(Handler) as port:
        provider = OidcProvider(port)
        provider.hold.set()
        try:
            yield provider
        finally:
            provider.hold.set()
