"""The responses of each kind of Iceberg REST route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from lakemuster.api.error_responses import error_response
from lakemuster.api.native.responses import Responses
from lakemuster.wire.iceberg_rest.catalog import IcebergErrorResponse, OAuthError

_TEXT = {
    400: "The request is invalid; the message names the cause.",
    401: "The bearer token is missing or not accepted.",
    403: "The caller's role does not permit the request.",
    404: "The warehouse, namespace, table, view, plan or plan task does not exist, or the caller may not see it.",
    406: "The operation is not supported: the catalog is read-only.",
    429: "Too many requests from this caller; Retry-After says when to try again.",
    500: "Internal error; the server's log has the request id.",
    501: "The table's format version is not supported.",
    502: "Object storage denied access, or the table's files are missing or corrupt.",
    503: "The server is overloaded, or a dependency does not respond; `Retry-After` has the delay in seconds.",
}
_ETAG = {
    "ETag": {
        "description": "Strong entity tag; it differs for each value of `snapshots`.",
        "schema": {"type": "string"},
    }
}


def _failures(*statuses: int) -> Responses:
    return {status: error_response(IcebergErrorResponse, _TEXT[status]) for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
CATALOG: Responses = _failures(*_ALWAYS, 404)
EXISTS: Responses = {204: {"description": "It exists."}, **CATALOG}
TABLE: Responses = _failures(*_ALWAYS, 404, 501, 502)
LOAD_TABLE: Responses = {
    200: {"description": "The table's metadata.", "headers": _ETAG},
    304: {"description": "Not modified: `If-None-Match` has the current ETag."},
    **TABLE,
}
NOTED: Responses = {204: {"description": "The report was accepted."}, **TABLE}
PLAN: Responses = {
    **TABLE,
    406: error_response(
        IcebergErrorResponse, "The client would misread the server's plan of this scan, and must plan it itself."
    ),
}
CANCELLED: Responses = {204: {"description": "The plan was cancelled."}, **CATALOG}
NO_VIEW: Responses = _failures(*_ALWAYS, 404)
WRITE: Responses = _failures(*_ALWAYS, 406)
TOKENS: Responses = {
    400: {"model": OAuthError, "description": "This server does not issue tokens."},
    **_failures(500, 503),
}
