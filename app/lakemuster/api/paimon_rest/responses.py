"""The responses of each kind of Paimon REST route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from lakemuster.api.error_responses import error_response
from lakemuster.api.native.responses import Responses
from lakemuster.wire.paimon_rest.catalog import PaimonErrorResponse

_TEXT = {
    400: "The request is invalid; the message names the cause.",
    401: "The bearer token is missing or not accepted.",
    403: "The caller's role does not permit the request.",
    404: "The warehouse, database, table, snapshot, tag, view or function does not exist, or the "
    "caller may not see it.",
    429: "Too many requests from this caller; Retry-After says when to try again.",
    500: "Internal error; the server's log has the request id.",
    501: "The operation is not supported: the catalog is read-only, does not vend credentials, and does not list "
    "partitions that are in another branch; clients then list them from the table's files.",
    502: "Object storage denied access, or the table's files are missing or corrupt.",
    503: "The server is overloaded, or a dependency does not respond; `Retry-After` has the delay in seconds.",
}


def _failures(*statuses: int) -> Responses:
    return {status: error_response(PaimonErrorResponse, _TEXT[status]) for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
CONFIG: Responses = _failures(*_ALWAYS, 404)
LISTED: Responses = _failures(*_ALWAYS, 404)
TABLE: Responses = _failures(*_ALWAYS, 404, 501, 502)
REFUSED: Responses = _failures(*_ALWAYS, 501)
MARK_REFUSED: Responses = _failures(*_ALWAYS)
