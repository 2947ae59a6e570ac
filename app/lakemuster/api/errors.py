"""Map errors to HTTP responses: a status for each error class, a body for each protocol, and no secrets."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from lakemuster import errors
from lakemuster.api.failures import Failure
from lakemuster.api.iceberg_rest import failures as iceberg_rest
from lakemuster.api.missing_tables import table_not_found
from lakemuster.api.paimon_rest import failures as paimon_rest
from lakemuster.api.parameter_names import suggestion
from lakemuster.failure_reasons import operator_message
from lakemuster.upstream.rest import TOKEN_REFUSED
from lakemuster.validation_messages import plain_message

LOG = logging.getLogger("lakemuster.api")
RETRY_SECONDS = 2
"""Value of ``Retry-After``: overload passes in seconds, and a failed dependency is retried at the next request."""

STATUS: dict[type[errors.CatalogError], int] = {
    errors.CatalogError: 500,  # the root class; every other class has its own status
    errors.ConfigInvalid: 500,  # settings are checked at the start: here it is a bug
    errors.RequestInvalid: 400,
    errors.PageTokenInvalid: 400,
    errors.FilterInvalid: 400,
    errors.NotAcceptable: 406,
    errors.LocationRefused: 400,
    errors.NotAuthenticated: 401,
    errors.IdentityUnavailable: 503,
    errors.NotAuthorised: 403,
    errors.LocationForbidden: 403,
    errors.NotFound: 404,
    errors.TableNotFound: 404,
    errors.SnapshotNotFound: 404,
    errors.RefNotFound: 404,
    errors.ManifestNotFound: 404,
    errors.SystemTableNotFound: 404,
    errors.NamespaceNotFound: 404,
    errors.ViewNotFound: 404,
    errors.CompanionNotFound: 404,
    errors.WarehouseNotFound: 404,
    errors.CatalogNotFound: 404,
    errors.WebhookNotFound: 404,
    errors.PlanNotFound: 404,
    errors.PlanTaskNotFound: 404,
    errors.OperationUnsupported: 406,  # as the Iceberg REST protocol specifies
    errors.ClientMustPlan: 406,
    errors.TableExists: 409,
    errors.NotATable: 400,
    errors.FormatUnsupported: 501,  # other programs may read it; repeating the request will not help
    errors.MetadataCorrupt: 502,  # storage returned invalid bytes
    errors.WrongLength: 502,
    errors.LimitExceeded: 502,
    errors.DecodeFailed: 502,
    errors.SnapshotQuarantined: 409,  # lasts until the table changes
    errors.SnapshotUnpublished: 503,  # temporary
    errors.SnapshotChanged: 503,
    errors.SnapshotsNotIndexed: 409,  # lasts until they are indexed
    errors.ReferencesUnknown: 409,  # lasts until its reasons are removed
    errors.UpstreamFailed: 502,
    errors.UpstreamUnavailable: 502,
    errors.UpstreamTimedOut: 504,
    errors.UpstreamRefused: 404,  # in the Iceberg protocol, the catalog's own response is returned
    errors.LookFailed: 503,
    errors.StorageError: 502,
    errors.ObjectMissing: 502,
    errors.ListingUnsupported: 400,
    errors.StorageDenied: 502,
    errors.StorageUnavailable: 503,
    errors.IndexUnavailable: 503,
    errors.RefreshBusy: 503,
    errors.Overloaded: 503,
    errors.RateLimited: 429,
    errors.DatabaseVersionMismatch: 503,
    errors.SegmentCorrupt: 503,  # derived data: it is decoded again
    errors.SegmentMissing: 503,
}

_MAX_TEXT, _MAX_ITEMS, _MAX_PROBLEMS, _MAX_DEPTH = 500, 20, 5, 4
_SAFE_INTEGER = 2**53
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed"}
_FORMS: dict[str, Callable[[str, Failure], Response]] = {
    iceberg_rest.PREFIX: iceberg_rest.answer,
    paimon_rest.PREFIX: paimon_rest.answer,
}
"""Response builders of the other protocols, by path prefix; other paths get the native form."""


def install(app: FastAPI) -> None:
    """Install exception handlers that respond in the form of the request's protocol."""
    app.add_exception_handler(errors.CatalogError, _catalog_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


def problem(error: errors.CatalogError, path: str, status: int | None = None) -> Response:
    """Return the response for a ``CatalogError``.

    Args:
        path: the request's path, which selects the protocol.
        status: replaces the status of the error's class.
    """
    status = STATUS[type(error)] if status is None else status
    headers: dict[str, str] = {}
    if status == 503:
        headers["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, errors.RateLimited):
        headers["Retry-After"] = str(max(1, math.ceil(error.seconds)))
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="lakemuster"'
    return _answer(path, Failure(status, error.code, type(error).__name__, error.message, error.context, headers))


def internal_problem(path: str) -> Response:
    """Return the response for an unexpected exception; it reveals nothing about the exception."""
    message = "internal server error; the server's log has the request id"
    return _answer(path, Failure(500, "internal", "Internal", message))


def log_unexpected(error: BaseException, request_id: str) -> None:
    """Log where an exception was raised; its text only if it is a CatalogError, since others may hold secrets."""
    chain: list[str] = []
    at: BaseException | None = error
    while at is not None and len(chain) < 5:
        frames = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(at.__traceback__)[-8:]]
        said = f" ({at.code}: {operator_message(at)})" if isinstance(at, errors.CatalogError) else ""
        chain.append(f"{type(at).__module__}.{type(at).__qualname__}{said} at " + " < ".join(reversed(frames)))
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    LOG.error("request %s failed: %s", request_id, " | from ".join(chain))


def _answer(path: str, failure: Failure) -> Response:
    for prefix, form in _FORMS.items():
        if path.startswith(prefix):
            return form(path, failure)
    return _native_form(path, failure)


def _native_form(_: str, failure: Failure) -> Response:
    shown = {str(key)[:_MAX_TEXT]: _bounded(value, 0) for key, value in failure.context.items()}
    error = {**shown, "code": failure.code, "type": failure.type, "message": failure.message[: 4 * _MAX_TEXT]}
    body = orjson.dumps({"error": dict(sorted(error.items(), key=_reading_order))})
    headers = {"Cache-Control": "no-store", **failure.headers}
    return Response(body, failure.status, media_type="application/json", headers=headers)


def _reading_order(item: tuple[str, object]) -> int:
    return {"code": 0, "type": 1, "message": 2}.get(item[0], 3)


def _bounded(value: object, depth: int) -> object:
    """Return a JSON value of limited size."""
    match value:
        case None | bool() | float():
            return value
        case int():
            return value if abs(value) <= _SAFE_INTEGER else str(value)
        case str():
            return value.encode("utf-8", "replace").decode()[:_MAX_TEXT]
        case Mapping() if depth < _MAX_DEPTH:
            return {str(k)[:_MAX_TEXT]: _bounded(v, depth + 1) for k, v in list(value.items())[:_MAX_ITEMS]}
        case Sequence() | frozenset() | set() if depth < _MAX_DEPTH and not isinstance(value, bytes):
            return [_bounded(item, depth + 1) for item in list(value)[:_MAX_ITEMS]]
        case _:
            return str(value)[:_MAX_TEXT]


def _catalog_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.CatalogError)
    if isinstance(error, errors.UpstreamRefused):
        if request.scope["path"].startswith(iceberg_rest.PREFIX):
            if not error.body:
                return problem(error, request.scope["path"], error.status)
            return Response(error.body, error.status, headers={"Cache-Control": "no-store", **error.headers})
        error = _refused(request, error)
    if isinstance(error, errors.TableNotFound):
        error = table_not_found(request, error)
    status = STATUS[type(error)]
    if isinstance(error, errors.NotATable) and "table" in request.path_params:
        # Files of a registered table are missing: the request is valid.
        status = STATUS[errors.ObjectMissing]
    if status >= 500:
        LOG.warning("request %s failed: %s: %s", request.state.request_id, error.code, operator_message(error))
    return problem(error, request.scope["path"], status)


def _refused(request: Request, refused: errors.UpstreamRefused) -> errors.CatalogError:
    """Return the native API's error for a catalog's refusal; it does not distinguish forbidden from missing tables."""
    if refused.status in TOKEN_REFUSED:
        return errors.NotAuthenticated("the catalog does not know this caller: sign in there")
    if refused.status in {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}:
        return errors.TableNotFound("the table is not registered", table=request.path_params.get("table"))
    return errors.UpstreamFailed(refused.message)


def _validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if not _says_json(request) and any(p["type"] == "model_attributes_type" and p["loc"] == ("body",) for p in found):
        return problem(
            errors.RequestInvalid("the request body must be JSON: send Content-Type: application/json"),
            request.scope["path"],
        )
    problems = [
        {"where": ".".join(str(part) for part in p["loc"])[:100], "message": _message(request, p)[:200]}
        for p in found[:_MAX_PROBLEMS]
    ]
    message = "; ".join(f"{p['where']}: {p['message']}" for p in problems)
    if len(found) > _MAX_PROBLEMS:
        message += f"; and {len(found) - _MAX_PROBLEMS} more"
    return problem(errors.RequestInvalid(message, problems=problems), request.scope["path"])


def _message(request: Request, problem: Mapping[str, Any]) -> str:
    if problem["type"] == "extra_forbidden":
        where = problem["loc"]
        return ("unknown query parameter" if where[0] == "query" else "unknown key") + suggestion(request, where)
    return plain_message(problem)


def _says_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _allowed(request: Request) -> str:
    """Return all methods of the path; the framework lists only the methods of its first route."""
    route = request.scope.get("route")
    described = request.app.openapi()["paths"].get(getattr(route, "path", None), {})
    return ", ".join(sorted({*(getattr(route, "methods", None) or ()), *(method.upper() for method in described)}))


def _http_error(request: Request, error: Exception) -> Response:
    """Respond to errors of the framework: unknown paths and methods, invalid bodies."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, errors.CatalogError):
        return _catalog_error(request, error.__cause__)
    code = _HTTP_CODES.get(error.status_code, "request_invalid")
    phrase = HTTPStatus(error.status_code).phrase
    message = {
        400: "the request body is not valid JSON",
        404: "no such path",
        405: f"{request.method} is not allowed for this path",
    }.get(error.status_code, phrase.lower())
    if isinstance(error.__cause__, RecursionError):
        message = "the request body is nested too deeply"
    kind = phrase.title().replace(" ", "")
    headers = {**(error.headers or {}), **({"Allow": _allowed(request)} if error.status_code == 405 else {})}
    failure = Failure(error.status_code, code, kind, message, headers=headers)
    return _answer(request.scope["path"], failure)
