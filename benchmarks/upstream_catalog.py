"""An Iceberg REST catalog with constant responses, to measure the cost of forwarding.

Its settings are environment variables: ``UPSTREAM_METADATA``, the location of the metadata of all tables;
``UPSTREAM_TABLES``, the number of tables in a list; ``UPSTREAM_DELAY``, the seconds before each response.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

_LOCATION = os.environ["UPSTREAM_METADATA"]
_TABLES = int(os.environ.get("UPSTREAM_TABLES", "1"))
_DELAY = float(os.environ.get("UPSTREAM_DELAY", "0"))
_PAGE = 1000
_PART = b"x" * 2**16

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
_LOADED = (
    b'{"metadata-location":' + json.dumps(_LOCATION).encode() + b',"metadata":' + Path(_LOCATION).read_bytes() + b"}"
)


@app.get("/v1/config")
async def config() -> Response:
    """Return an empty configuration."""
    return await _answer({"defaults": {}, "overrides": {}})


@app.get("/v1/namespaces")
async def namespaces(parent: str = "") -> Response:
    """Return one namespace without children."""
    return await _answer({"namespaces": [] if parent else [["b"]]})


@app.get("/v1/namespaces/b/tables")
async def tables(pageToken: str = "") -> Response:  # noqa: N803 - the protocol's name
    """Return the names of tables in pages of a thousand."""
    first = int(pageToken or 0)
    last = min(first + _PAGE, _TABLES)
    names = ["t", *(f"t{number}" for number in range(1, _TABLES))][first:last]
    found = [{"namespace": ["b"], "name": name} for name in names]
    return await _answer({"identifiers": found, "next-page-token": str(last) if last < _TABLES else None})


@app.get("/v1/namespaces/b/tables/{table}")
@app.post("/v1/namespaces/b/tables/{table}")
async def table(request: Request, table: str) -> Response:
    """Return the same metadata for loads and commits of any table."""
    del table
    await request.body()
    if _DELAY:
        await asyncio.sleep(_DELAY)
    return Response(_LOADED, media_type="application/json")


@app.get("/v1/large/{parts}")
async def large(parts: int) -> Response:
    """Return a body of ``parts`` parts of 64 KiB."""

    async def given() -> object:
        for _ in range(parts):
            yield _PART

    headers = {"Content-Length": str(parts * len(_PART))}
    return StreamingResponse(given(), media_type="application/octet-stream", headers=headers)  # type: ignore[arg-type]


async def _answer(document: object) -> Response:
    if _DELAY:
        await asyncio.sleep(_DELAY)
    return Response(json.dumps(document).encode(), media_type="application/json")
