"""The responses of each kind of Iceberg REST route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from lakemuster.api.native.responses import Responses
from lakemuster.wire.iceberg_rest.catalog import IcebergErrorResponse, OAuthError

_TEXT = {
    400: "The request is off; the message says where.",
    401: "A bearer token is missing or unknown.",
    403: "The token's scope does not cover the request.",
    404: "No such warehouse, namespace, table, view, plan or plan task, or none that the token may see.",
    406: "This server changes no tables.",
    429: "Too many requests of this caller; Retry-After says when to try again.",
    500: "A fault of ours.",
    501: "The table's metadata is of a version that is not served.",
    502: "Object storage answered with what cannot be accepted: missing, denied or corrupt.",
    503: "Overload, or a dependency does not answer; Retry-After says when to try again.",
}
_ETAG = {"ETag": {"description": "Strong; of its own for each value of `snapshots`.", "schema": {"type": "string"}}}


def _failures(*statuses: int) -> Responses:
    return {status: {"model": IcebergErrorResponse, "description": _TEXT[status]} for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
CATALOG: Responses = _failures(*_ALWAYS, 404)
EXISTS: Responses = {204: {"description": "It exists."}, **CATALOG}
TABLE: Responses = _failures(*_ALWAYS, 404, 501, 502)
LOAD_TABLE: Responses = {
    200: {"description": "The table.", "headers": _ETAG},
    304: {"description": "As the caller's If-None-Match has it."},
    **TABLE,
}
NOTED: Responses = {204: {"description": "Noted."}, **TABLE}
PLAN: Responses = {
    **TABLE,
    406: {
        "model": IcebergErrorResponse,
        "description": "The client would misread a plan of this scan: it is to plan it itself.",
    },
}
CANCELLED: Responses = {204: {"description": "Nothing is kept of it."}, **CATALOG}
NO_VIEW: Responses = _failures(*_ALWAYS, 404)
WRITE: Responses = _failures(*_ALWAYS, 406)
TOKENS: Responses = {
    400: {"model": OAuthError, "description": "This server issues no tokens."},
    **_failures(500, 503),
}
