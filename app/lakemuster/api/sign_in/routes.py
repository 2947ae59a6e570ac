"""The routes below ``/session``: who a browser is signed in as, sign-in by token or at an OpenID provider, sign-out."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass
from typing import Literal

import orjson
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import RedirectResponse, Response

from lakemuster.api.identity.authenticator import caller_of_token
from lakemuster.api.identity.opening import Identity
from lakemuster.api.native.responses import ALWAYS
from lakemuster.api.sign_in.code_flow import Attempt, CodeFlow
from lakemuster.api.sign_in.cookies import STATE, clear_cookie, is_foreign, require_csrf, set_cookie
from lakemuster.api.sign_in.sessions import Sessions
from lakemuster.catalog.browser_sessions import Credentials, csrf_token_of
from lakemuster.catalog.services import Services
from lakemuster.catalog.token_signing import Audience, TokenRefused
from lakemuster.errors import CatalogError, NotAuthenticated, NotAuthorised, RequestInvalid
from lakemuster.wire.documents import dumps

ATTEMPT_COOKIE = "lakemuster_sign_in"
ATTEMPT_SECONDS = 600
MAX_BODY_BYTES = 20_000
Method = Literal["token", "oidc"]

_AUDIENCE = Audience(0, "sign-in", {}, "browser")
_FRAGMENT = re.compile(r"#/[^\s\\]{0,2000}")

router = APIRouter(tags=["session"])


class SessionOut(BaseModel):
    """Who a browser is signed in as."""

    is_open: bool = Field(description="Whether the server needs no sign-in.")
    caller: str | None = Field(description="Name of the signed-in caller; null: nobody is signed in.")
    methods: list[Method] = Field(description="Ways to sign in: `token` by `POST /session`, `oidc` at `/session/oidc`.")
    csrf: str | None = Field(description="Value of the header `X-Lakemuster-CSRF` for requests that change something.")


class SignInBody(BaseModel):
    """What a browser signs in with."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=1, description="A bearer token that the server accepts.")


@dataclass(frozen=True, slots=True)
class SignIn:
    """Dependencies of the routes.

    Attributes:
        flow: sign-in at the provider; None if there is no provider.
    """

    identity: Identity
    services: Services
    sessions: Sessions
    flow: CodeFlow | None

    @property
    def root_path(self) -> str:
        """The path prefix under which a proxy serves this server."""
        return self.services.settings.root_path

    def state(self, caller: str | None, cookie: str | None) -> Response:
        """Return the response that states who is signed in."""
        is_open = self.identity.authenticator is None
        methods: list[Method] = [] if is_open else ["token"] if self.flow is None else ["oidc", "token"]
        csrf = None if cookie is None or caller is None else csrf_token_of(cookie)
        told = SessionOut(is_open=is_open, caller=caller, methods=methods, csrf=csrf)
        headers = {"Cache-Control": "no-store"}
        return Response(dumps(told.model_dump()), media_type="application/json", headers=headers)

    async def caller(self, token: str, request: Request) -> str:
        """Return the name of a token's caller. Raises: RequestInvalid, and as ``caller_of_token``."""
        authenticator = self.identity.authenticator
        if authenticator is None:
            raise RequestInvalid("this server needs no sign-in")
        found = await caller_of_token(token, request.state.peer, authenticator, self.identity.limits)
        request.state.caller = found.name
        return found.name


def _sign_in(request: Request) -> SignIn:
    found: SignIn = request.app.state.sign_in
    return found


@router.get("/session", response_model=SessionOut, responses=ALWAYS)
async def show_session(request: Request) -> Response:
    """Tell who the browser is signed in as, by its cookie, and how it can sign in."""
    sign_in, cookie = _sign_in(request), getattr(request.state, STATE, None)
    if cookie is None or sign_in.identity.authenticator is None:
        return sign_in.state(None, None)
    token = await sign_in.sessions.token(cookie)
    try:
        if token is not None:
            return sign_in.state(await sign_in.caller(token, request), cookie)
    except NotAuthenticated:
        await sign_in.sessions.end(cookie)
    response = sign_in.state(None, None)
    clear_cookie(response, sign_in.root_path, is_secure=_is_secure(request))
    return response


@router.post(
    "/session",
    response_model=SessionOut,
    responses=ALWAYS,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": SignInBody.model_json_schema()}},
        }
    },
)
async def begin_session(request: Request) -> Response:
    """Sign a browser in with a bearer token: the answer sets a cookie that stands for it in requests of `/api/v1`."""
    sign_in, token = _sign_in(request), await _token_in(request)
    caller = await sign_in.caller(token, request)
    cookie = await sign_in.sessions.begin(Credentials(token))
    response = sign_in.state(caller, cookie)
    set_cookie(response, cookie, sign_in.root_path, is_secure=_is_secure(request))
    return response


@router.delete("/session", status_code=204, response_model=None, responses=ALWAYS)
async def end_session(request: Request) -> Response:
    """Sign a browser out."""
    sign_in, cookie = _sign_in(request), getattr(request.state, STATE, None)
    response = Response(status_code=204)
    if cookie is not None:
        require_csrf(request.method, request.headers, cookie)
        await sign_in.sessions.end(cookie)
        clear_cookie(response, sign_in.root_path, is_secure=_is_secure(request))
    return response


@router.get("/session/oidc", include_in_schema=False)
async def begin_at_provider(request: Request, next: str = "") -> Response:
    """Lead a browser to the provider's page.

    Args:
        next: the fragment of the page to show afterwards.
    """
    sign_in = _sign_in(request)
    if sign_in.flow is None:
        raise RequestInvalid("this server has no OpenID provider to sign in at: set OIDC_ISSUER and OIDC_CLIENT_ID")
    attempt = Attempt.new()
    response = RedirectResponse(await sign_in.flow.address(attempt, _redirect_uri(request)), 303)
    kept = {
        **asdict(attempt),
        "next": next if _FRAGMENT.fullmatch(next) else "",
        "until": time.time() + ATTEMPT_SECONDS,
    }
    signed = request.app.state.api.token_signer.sign(orjson.dumps(kept), _AUDIENCE)
    _set_attempt(response, request, signed, ATTEMPT_SECONDS)
    return response


@router.get("/session/callback", include_in_schema=False)
async def finish_at_provider(request: Request) -> Response:
    """Take a browser back from the provider: redeem the code, start the session, and show the page."""
    sign_in, given = _sign_in(request), request.query_params
    if sign_in.flow is None:
        raise RequestInvalid("this server has no OpenID provider to sign in at")
    cookie = ""
    try:
        attempt, fragment = _attempt_of(request, sign_in.flow.issuer)
        credentials = await sign_in.flow.redeem(given.get("code", ""), attempt, _redirect_uri(request))
        await sign_in.caller(credentials.token, request)
        cookie = await sign_in.sessions.begin(credentials)
    except CatalogError as failure:
        # The page explains the error, and offers to begin again.
        fragment = f"#/sign-in?error={failure.code}"
    response = RedirectResponse(f"../{fragment}", 303)
    if cookie:
        set_cookie(response, cookie, sign_in.root_path, is_secure=_is_secure(request))
    _set_attempt(response, request, "", 0)
    return response


async def _token_in(request: Request) -> str:
    """Return the token of a sign-in. Raises: RequestInvalid, NotAuthorised."""
    if is_foreign(request.headers):
        raise NotAuthorised("sign-in is for this server's own pages")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise RequestInvalid(f"the body of a sign-in has at most {MAX_BODY_BYTES} bytes")
    try:
        return SignInBody.model_validate_json(bytes(body)).token
    except ValidationError:
        raise RequestInvalid('the body of a sign-in is {"token": "…"}') from None


def _attempt_of(request: Request, issuer: str) -> tuple[Attempt, str]:
    """Return the sign-in that this browser began and the provider responds to, and the fragment to show afterwards.

    Raises:
        NotAuthenticated: there is no such sign-in, it took too long, or the response is a refusal or for another one.
    """
    given = request.query_params
    try:
        signed = request.cookies.get(ATTEMPT_COOKIE, "")
        kept = orjson.loads(request.app.state.api.token_signer.verify(signed, _AUDIENCE))
    except (TokenRefused, orjson.JSONDecodeError):
        raise NotAuthenticated("this browser has not begun a sign-in; begin again") from None
    is_answer = given.get("state") == kept["state"] and given.get("iss", issuer) == issuer and given.get("code")
    if not is_answer or kept["until"] < time.time():
        raise NotAuthenticated("the provider's answer is not for this browser's sign-in, or too late; begin again")
    return Attempt(kept["state"], kept["verifier"]), kept["next"]


def _set_attempt(response: Response, request: Request, value: str, seconds: int) -> None:
    # Lax: browsers do not send Strict cookies when the provider's page redirects here.
    path = f"{_sign_in(request).root_path}/session"
    secure = _is_secure(request)
    response.set_cookie(ATTEMPT_COOKIE, value, seconds, path=path, secure=secure, httponly=True, samesite="lax")


def _redirect_uri(request: Request) -> str:
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}{_sign_in(request).root_path}/session/callback"


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
