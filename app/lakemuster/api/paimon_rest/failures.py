"""Error responses in the protocol's form: ``{"resourceType", "resourceName", "message", "code"}``, code is the status.

Clients choose the exception they raise by the code, and for a 404 by the resource's type. SNAPSHOT means that a table
has no snapshot yet, and clients treat the table as empty, so the type is used for nothing else. A quarantined snapshot
is a 502, since 409 means that an object already exists.

Source: Paimon ``ErrorResponse``, ``DefaultErrorHandler``, ``RESTCatalog``.
"""

from __future__ import annotations

import orjson
from starlette.responses import Response

from lakemuster.api.failures import Failure

PREFIX = "/paimon/"
_MAX_TEXT, _MAX_NAME = 2000, 500

_STATUS = {
    "operation_unsupported": 501,
    "snapshot_quarantined": 502,
}
_TYPES = {
    "namespace_not_found": "DATABASE",
    "table_not_found": "TABLE",
    "snapshot_not_found": "SNAPSHOT",
    "ref_not_found": "TAG",
    "view_not_found": "VIEW",
}
_FOLDERS = {
    "databases": "DATABASE",
    "tables": "TABLE",
    "views": "VIEW",
    "functions": "FUNCTION",
    "tags": "TAG",
    "branches": "BRANCH",
    "snapshots": "SNAPSHOT",
}


def answer(path: str, failure: Failure) -> Response:
    """Return the protocol's response to a failed request for ``path``."""
    status = _STATUS.get(failure.code, failure.status)
    named = _named(path) if status == 404 else {}
    kind = _TYPES.get(failure.code) if status == 404 else None
    if failure.code == "not_found":
        kind = next(reversed([kind for kind in named if kind != "SNAPSHOT"]), None)
    name = named.get(kind or "", named.get("TABLE"))
    body = orjson.dumps(
        {
            "resourceType": kind,
            "resourceName": None if kind is None or name is None else _clean(name, _MAX_NAME),
            "message": _clean(failure.message, _MAX_TEXT),
            "code": status,
        }
    )
    headers = {"Cache-Control": "no-store", **failure.headers}
    return Response(body, status, media_type="application/json", headers=headers)


def _named(path: str) -> dict[str, str]:
    """Return the names in a path, by resource type, in path order."""
    words = path.split("/")
    at = words.index("databases") if "databases" in words else len(words)
    pairs = zip(words[at::2], words[at + 1 :: 2], strict=False)
    return {_FOLDERS[folder]: name for folder, name in pairs if folder in _FOLDERS}


def _clean(text: str, length: int) -> str:
    return text.encode("utf-8", "replace").decode()[:length]
