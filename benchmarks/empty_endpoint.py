"""An empty app of the same framework: it shows what a request costs without any work of ours.

``/ready`` answers in the event loop, ``/thread`` in a worker thread as plans do, ``/stream`` with ready parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from starlette.responses import Response, StreamingResponse

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
_READY = b'{"ready":"' + b"x" * 3000 + b'"}'


@app.post("/ready")
async def ready() -> Response:
    """Ready bytes."""
    return Response(_READY, media_type="application/json")


@app.post("/thread")
def thread() -> Response:
    """Ready bytes, by way of a thread."""
    return Response(_READY, media_type="application/json")


@app.post("/stream")
def stream(parts: int, part_bytes: int) -> Response:
    """So many ready parts."""
    part = b"x" * part_bytes

    def given() -> Iterator[bytes]:
        for _ in range(parts):
            yield part

    return StreamingResponse(given(), media_type="application/octet-stream")
