"""The responses of each kind of Paimon REST route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from lakemuster.api.native.responses import Responses
from lakemuster.wire.paimon_rest.catalog import PaimonErrorResponse

_TEXT = {
    400: "The request is off; the message says where.",
    401: "A bearer token is missing or unknown.",
    403: "The token's scope does not cover the request.",
    404: "No such warehouse, database, table, snapshot, tag, view or function, or none that the token may see.",
    429: "Too many requests of this caller; Retry-After says when to try again.",
    500: "A fault of ours.",
    501: "Not done here: this catalog is for reading, and vends no credentials.",
    502: "Object storage answered with what cannot be accepted: missing, denied or corrupt.",
    503: "Overload, or a dependency does not answer; Retry-After says when to try again.",
}


def _failures(*statuses: int) -> Responses:
    return {status: {"model": PaimonErrorResponse, "description": _TEXT[status]} for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
CONFIG: Responses = _failures(*_ALWAYS, 404)
LISTED: Responses = _failures(*_ALWAYS, 404)
TABLE: Responses = _failures(*_ALWAYS, 404, 501, 502)
REFUSED: Responses = _failures(*_ALWAYS, 501)
MARK_REFUSED: Responses = _failures(*_ALWAYS)
