"""The outermost ASGI middleware, which applies to every request.

It assigns a request id, begins the request's span, rejects foreign hosts and foreign browser origins, responds to
unexpected exceptions without details, sets security headers, counts requests, and writes one access log line without
query strings or secrets.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakemuster import tracing
from lakemuster.api.admission import SIGN_IN_PATHS, is_open
from lakemuster.api.errors import internal_problem, log_unexpected, problem
from lakemuster.api.identity.audit import log_request, shown_path
from lakemuster.api.metrics import Metrics
from lakemuster.api.sidecar.requests import UPSTREAM
from lakemuster.errors import CatalogError, NotAuthorised, RequestInvalid
from lakemuster.log_lines import REQUEST_ID, Fields

ACCESS = logging.getLogger("lakemuster.access")
QUIET = frozenset({"/healthz", "/readyz"})
"""Probe paths: successful probes are logged at level debug."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class ResponseBroken(Exception):
    """A response failed after its first byte; the connection is cut, so that no client considers it complete."""


@dataclass(frozen=True, slots=True)
class MiddlewareRules:
    """Settings of the middleware.

    Attributes:
        hosts: accepted names in the Host header; None for any.
        origins: browser origins that may use unsafe methods, besides the server's own; ``*`` for any.
        root_path: path below which a proxy exposes the server; the proxy may strip it from requests or not.
        is_audited, audits_filters: whether the audit log has a line for each request, and whether with its filter.
    """

    hosts: frozenset[str] | None
    origins: frozenset[str] = field(default_factory=frozenset)
    root_path: str = ""
    is_audited: bool = False
    audits_filters: bool = False


class Middleware:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, rules: MiddlewareRules, metrics: Metrics) -> None:
        self._app = app
        self._rules = rules
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._set_root(scope)
        headers = Headers(scope=scope)
        answer = _Answer(send, _request_id(headers))
        scope.setdefault("state", {})["request_id"] = answer.request_id
        started = time.perf_counter()
        self._metrics.in_flight.inc()
        belonging = REQUEST_ID.set(answer.request_id)
        try:
            with tracing.request(method_of(scope), headers) as span:
                try:
                    await self._handle(scope, headers, receive, answer)
                finally:
                    self._metrics.in_flight.dec()
                    self._record(scope, answer, time.perf_counter() - started)
                    if tracing.is_recording():
                        _describe(span, scope, answer)
        finally:
            REQUEST_ID.reset(belonging)

    def _set_root(self, scope: Scope) -> None:
        """Set a request's root path, and strip it from the request if the proxy has not."""
        root = self._rules.root_path
        if root:
            scope["root_path"] = root
        if root and scope["path"].startswith(root + "/"):
            scope["path"] = scope["path"][len(root) :]
            if scope.get("raw_path", b"").startswith(root.encode() + b"/"):
                scope["raw_path"] = scope["raw_path"][len(root) :]

    async def _handle(self, scope: Scope, headers: Headers, receive: Receive, answer: _Answer) -> None:
        try:
            try:
                self._admit(scope, headers)
                if self._rules.root_path and scope["path"] == self._rules.root_path:
                    # The console's own links are relative to a path that ends with a slash.
                    await RedirectResponse(f"{self._rules.root_path}/", 308)(scope, receive, answer.send)
                else:
                    await self._app(scope, receive, answer.send)
            except CatalogError as error:
                if answer.status is not None:
                    raise
                await problem(error, scope["path"])(scope, receive, answer.send)
        except ClientDisconnect:
            answer.disconnected = True
        except Exception as error:  # noqa: BLE001 - the outermost handler
            log_unexpected(error, answer.request_id)
            if answer.status is not None:
                self._metrics.broken.record(1)
                answer.broken = True
                raise ResponseBroken(answer.request_id) from None
            await internal_problem(scope["path"])(scope, receive, answer.send)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if self._rules.hosts is not None and (len(hosts) != 1 or _host_name(hosts[0]) not in self._rules.hosts):
            raise RequestInvalid("the Host header does not name this server")
        origin = headers.get("origin")
        if origin is not None and scope["method"] not in _SAFE_METHODS and not self._rules.origins & {origin, "*"}:
            own = {f"http://{host}" for host in hosts} | {f"https://{host}" for host in hosts}
            if origin not in own:
                raise NotAuthorised("requests from this origin are not allowed; see the setting CORS_ORIGINS")

    def _record(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        route, method = _route(scope), method_of(scope)
        status = answer.status or 0
        self._metrics.requests.record(seconds, method, route, str(status))
        if (upstream := scope["state"].get(UPSTREAM)) is not None:
            self._metrics.upstream.record(upstream[1], upstream[0])
        level = logging.DEBUG if scope["path"] in QUIET and 0 < status < 400 else logging.INFO
        if ACCESS.isEnabledFor(level):
            ACCESS.log(level, _line(scope, answer, route, method, seconds))
        if self._rules.is_audited and (scope["path"] in SIGN_IN_PATHS or not is_open(scope["path"])):
            log_request(scope, status, broken=answer.broken, with_filter=self._rules.audits_filters)


class _Answer:
    """Wraps ``send``: records the status and size, and adds the common headers."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status: int | None = None
        self.bytes = 0
        self.broken = self.disconnected = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.request_id
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-cache")
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)


def method_of(scope: Scope) -> str:
    """Return a request's method; ``OTHER`` for methods that HTTP does not define."""
    method: str = scope["method"]
    return method if method in _METHODS else "OTHER"


def _route(scope: Scope) -> str:
    """Return the route template of a request's path."""
    return getattr(scope.get("route"), "path", "unmatched")


def _line(scope: Scope, answer: _Answer, route: str, method: str, seconds: float) -> Fields:
    """Return the fields of a request's line in the access log."""
    line = Fields(
        request_id=answer.request_id,
        method=method,
        path=shown_path(scope["path"]),
        route=route,
        status=answer.status or 0,
        milliseconds=round(seconds * 1000, 1),
        bytes=answer.bytes,
    )
    state = scope["state"]
    if (upstream := state.get(UPSTREAM)) is not None:
        line["upstream_milliseconds"] = round(upstream[1] * 1000, 1)
    if (caller := state.get("caller")) is not None:
        line["caller"] = caller
    if answer.broken:
        line["broken"] = True
    if answer.disconnected:
        line["disconnected"] = True
    return line


def _describe(span: tracing.Span, scope: Scope, answer: _Answer) -> None:
    """Describe a request's span. Its name is the route, since paths contain names and filters."""
    route, status = _route(scope), answer.status or 0
    span.rename(f"{method_of(scope)} {route}")
    found: tracing.Attributes = {
        "http.request.method": method_of(scope),
        "http.route": route,
        "http.response.status_code": status,
        "lakemuster.request_id": answer.request_id,
    }
    span.set(**found)
    if status >= 500 or answer.broken:
        span.fail(str(status) if not answer.broken else "broken")


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _host_name(host: str) -> str | None:
    match = _HOST.fullmatch(host)
    return match[1].lower() if match else None
