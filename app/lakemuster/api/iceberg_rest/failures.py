"""Error responses in the protocol's form: ``{"error": {"message", "type", "code"}}``, where code is the HTTP status.

Clients choose the exception they raise by status and ``type``, so both follow the names and the error handlers of
the Java client. An unknown snapshot in a plan request is a 400, since 404 means that the table is missing. A snapshot
that is quarantined or not indexed is a 502, since 409 means that a commit failed because of a conflict.

Source: the Iceberg REST catalog OpenAPI document, "IcebergErrorResponse"; Iceberg Java, ``ErrorHandlers``.
"""

from __future__ import annotations

import orjson
from starlette.responses import Response

from lakemuster.api.failures import Failure

PREFIX = "/iceberg/"
_MAX_TEXT = 2000

_STATUS = {
    "snapshot_not_found": 400,
    "ref_not_found": 400,
    "snapshot_quarantined": 502,
    "snapshots_not_indexed": 502,
    "references_unknown": 502,
}
_TYPES = {
    "table_not_found": "NoSuchTableException",
    "companion_not_found": "NoSuchTableException",
    "upstream_refused": "NoSuchTableException",
    "namespace_not_found": "NoSuchNamespaceException",
    "view_not_found": "NoSuchViewException",
    "warehouse_not_found": "NoSuchWarehouseException",
    "plan_not_found": "NoSuchPlanIdException",
    "plan_task_not_found": "NoSuchPlanTaskException",
}
_TYPES_OF_STATUS = {
    400: "BadRequestException",
    401: "NotAuthorizedException",
    403: "ForbiddenException",
    404: "NotFoundException",
    405: "UnsupportedOperationException",
    406: "UnsupportedOperationException",
    501: "UnsupportedOperationException",
    429: "TooManyRequestsException",
    503: "ServiceUnavailableException",
}


def answer(path: str, failure: Failure) -> Response:
    """Return the protocol's response to a failed request for ``path``."""
    status = _STATUS.get(failure.code, failure.status)
    kind = _TYPES.get(failure.code) or _TYPES_OF_STATUS.get(status, "ServiceFailureException")
    if failure.code == "not_found":
        kind = _missing(path)
    message = failure.message.encode("utf-8", "replace").decode()[:_MAX_TEXT]
    body = orjson.dumps({"error": {"message": message, "type": kind, "code": status}})
    headers = {"Cache-Control": "no-store", **failure.headers}
    return Response(body, status, media_type="application/json", headers=headers)


def _missing(path: str) -> str:
    """Return the exception type for a path without a route, such as a path with an encoded slash in a name."""
    for part, kind in (
        ("/tables/", "NoSuchTableException"),
        ("/views/", "NoSuchViewException"),
        ("/namespaces/", "NoSuchNamespaceException"),
    ):
        if part in path:
            return kind
    return "NotFoundException"
