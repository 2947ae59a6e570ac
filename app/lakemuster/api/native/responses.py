"""The responses of each kind of native route, as documented in ``openapi.yaml``."""

from __future__ import annotations

from typing import Any

from lakemuster.api import media
from lakemuster.api.error_responses import error_response
from lakemuster.wire.native.timeline import IndexingOut
from lakemuster.wire.problem import Problem

Responses = dict[int | str, dict[str, Any]]

_TEXT = {
    400: "The request is invalid; the message names the cause.",
    401: "The bearer token is missing or not accepted.",
    403: "The caller's role does not permit the request.",
    404: "The table, snapshot, ref or manifest does not exist, or the caller may not see it.",
    406: "The response is not available in an accepted media type.",
    409: "The name is already registered; or the snapshot is quarantined, which lasts until the table changes; or the "
    "response needs snapshots that are not indexed, or references that are not known.",
    429: "Too many requests from this caller; Retry-After says when to try again.",
    500: "Internal error; the server's log has the request id.",
    501: "The table's format version is not supported.",
    502: "Object storage denied access, or the table's files are missing or corrupt.",
    504: "An attached catalog has not answered in time.",
    503: "The server is overloaded, or a dependency does not respond; `Retry-After` has the delay in seconds.",
}
_STREAMS = {
    media.NDJSON: {
        "schema": {"type": "string"},
        "example": '{"…": "a row"}\n{"end": {"count": 1, "snapshot_id": "3051729675574597004"}}\n',
    },
    media.ARROW: {"schema": {"type": "string", "format": "binary"}},
}
_LISTED = {
    "description": "A page; or the whole list as a stream, which ends with a record of its row count, if not CSV.",
    "content": {
        **_STREAMS,
        media.CSV: {"schema": {"type": "string"}, "example": 'name,partition\r\na,"{""day"":""x""}"\r\n'},
    },
}
_STALE = {
    "Lakemuster-Stale": {
        "description": "Why the response is not of the table's newest state; absent if it is.",
        "schema": {"type": "string"},
    }
}
_ETAG = {"ETag": {"description": "Strong entity tag; each encoding has its own.", "schema": {"type": "string"}}}


def _problems(*statuses: int) -> Responses:
    return {status: error_response(Problem, _TEXT[status]) for status in statuses}


_ALWAYS = (400, 401, 403, 429, 500, 503)
ALWAYS: Responses = _problems(*_ALWAYS)
LIST_OF_TABLES: Responses = {200: _LISTED, **_problems(*_ALWAYS, 406)}
READ: Responses = _problems(*_ALWAYS, 404, 501, 502)
READ_ONE: Responses = {
    200: {"headers": _ETAG},
    304: {"description": "Not modified: `If-None-Match` has the current ETag."},
    **READ,
}
LIST: Responses = {200: {**_LISTED, "headers": _STALE}, **_problems(*_ALWAYS, 404, 406, 409, 501, 502)}
HEALTH: Responses = _problems(*_ALWAYS, 404, 501, 502)
_INDEXING: Responses = {
    202: {
        "model": IndexingOut,
        "description": "With `index=true`: snapshots are still being indexed; `Retry-After` has the delay in seconds.",
    }
}
TIMELINE: Responses = {**LIST, **_INDEXING}
EXPIRY: Responses = {**_problems(*_ALWAYS, 404, 409, 501, 502), **_INDEXING}
REFERENCES: Responses = {
    200: {
        **_LISTED,
        "description": "The whole list as a stream; it ends with its row count, if not CSV.",
    },
    **_problems(*_ALWAYS, 406, 409, 502, 504),
    **_INDEXING,
}
LIST_OF_SNAPSHOT: Responses = {
    200: {**_LISTED, "headers": {**_STALE, **_ETAG}},
    304: {"description": "Not modified: `If-None-Match` has the current ETag."},
    **_problems(*_ALWAYS, 404, 406, 409, 501, 502),
}
FIGURES: Responses = {
    200: {"headers": {**_STALE, **_ETAG}},
    304: {"description": "Not modified: `If-None-Match` has the current ETag."},
    **_problems(*_ALWAYS, 404, 409, 501, 502),
}
PLAN: Responses = {
    200: {
        "description": "A page; or the whole plan as a stream, which ends with a record of its row count.",
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
EVENTS: Responses = {
    200: {
        "description": "Events as they come, as server-sent events; or a page of the log as JSON.",
        "content": {
            media.EVENTS: {
                "schema": {"type": "string"},
                "example": 'id: 17\nevent: table.committed\ndata: {"specversion":"1.0","id":"17",…}\n\n',
            }
        },
    },
    **_problems(*_ALWAYS, 406),
}
WEBHOOK: Responses = _problems(*_ALWAYS, 404)
SYNC: Responses = _problems(*_ALWAYS, 404, 502, 504)
CREATE: Responses = _problems(*_ALWAYS, 409, 501, 502)
REFRESH: Responses = _problems(*_ALWAYS, 404, 501, 502)
REMOVE: Responses = {204: {"description": "The table was unregistered."}, **_problems(*_ALWAYS, 404)}
