"""The responses of each kind of native route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from typing import Any

from lakemuster.api import media
from lakemuster.wire.problem import Problem

Responses = dict[int | str, dict[str, Any]]

_TEXT = {
    400: "The request is off; the message says where.",
    401: "A bearer token is missing or unknown.",
    403: "The token's scope does not cover the request.",
    404: "No such table, snapshot, ref or manifest, or none that the token may see.",
    406: "No media type that the caller takes.",
    409: "The name is taken; or the snapshot was read and refused, which only a new snapshot changes.",
    429: "Too many requests of this caller; Retry-After says when to try again.",
    500: "A fault of ours.",
    501: "The table's metadata is of a version that is not served.",
    502: "Object storage answered with what cannot be accepted: missing, denied or corrupt.",
    503: "Overload, or a dependency does not answer; Retry-After says when to try again.",
}
_STREAMS = {
    media.NDJSON: {
        "schema": {"type": "string"},
        "example": '{"…": "a row"}\n{"end": {"count": 1, "snapshot_id": "3051729675574597004"}}\n',
    },
    media.ARROW: {"schema": {"type": "string", "format": "binary"}},
}
_LISTED = {
    "description": "A page; or the whole list as a stream, whose last record says how many rows it had.",
    "content": _STREAMS,
}
_STALE = {
    "Lakemuster-Stale": {
        "description": "Why this is not the newest state.",
        "schema": {"type": "string"},
    }
}
_ETAG = {"ETag": {"description": "Strong.", "schema": {"type": "string"}}}


def _problems(*statuses: int) -> Responses:
    return {status: {"model": Problem, "description": _TEXT[status]} for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
ALWAYS: Responses = _problems(*_ALWAYS)
LIST_OF_TABLES: Responses = {200: _LISTED, **_problems(*_ALWAYS, 406)}
READ: Responses = _problems(*_ALWAYS, 404, 501, 502)
READ_ONE: Responses = {200: {"headers": _ETAG}, 304: {"description": "As the caller's If-None-Match has it."}, **READ}
LIST: Responses = {200: {**_LISTED, "headers": _STALE}, **_problems(*_ALWAYS, 404, 406, 501, 502)}
LIST_OF_SNAPSHOT: Responses = {
    200: {**_LISTED, "headers": {**_STALE, **_ETAG}},
    304: {"description": "As the caller's If-None-Match has it."},
    **_problems(*_ALWAYS, 404, 406, 409, 501, 502),
}
PLAN: Responses = {
    200: {
        "description": "A page; or the whole plan as a stream, whose last record says how many rows it had.",
        "content": {
            **_STREAMS,
            media.NDJSON: {
                "schema": {"type": "string"},
                "example": '{"plan": {"snapshot_id": "3051729675574597004", "counts": {"files": 1}}}\n'
                '{"delete": {"content": "position-deletes"}}\n{"file": {"content": "data", "deletes": [0]}}\n'
                '{"end": {"count": 2, "snapshot_id": "3051729675574597004"}}\n',
            },
        },
        "headers": _STALE,
    },
    **_problems(*_ALWAYS, 404, 406, 409, 501, 502),
}
PLAN_TASKS: Responses = {200: {"headers": _STALE}, **_problems(*_ALWAYS, 404, 409, 501, 502)}
EXPLAIN: Responses = {200: {"headers": _STALE}, **_problems(*_ALWAYS, 404, 409, 501, 502)}
CREATE: Responses = _problems(*_ALWAYS, 409, 501, 502)
REFRESH: Responses = _problems(*_ALWAYS, 404, 501, 502)
REMOVE: Responses = {204: {"description": "Forgotten."}, **_problems(*_ALWAYS, 404)}
