"""An empty app with the same framework, to measure the cost of a request without our work.

``/ready`` responds in the event loop, ``/thread`` in a worker thread as plans do, ``/stream`` with constant parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from starlette.responses import Response, StreamingResponse

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
_READY = b'{"ready":"' + b"x" * 3000 + b'"}'


@app.post("/ready")
async def ready() -> Response:
    """Return constant bytes."""
    return Response(_READY, media_type="application/json")


@app.post("/thread")
def thread() -> Response:
    """Return constant bytes from a worker thread."""
    return Response(_READY, media_type="application/json")


@app.post("/stream")
def stream(parts: int, part_bytes: int) -> Response:
    """Return ``parts`` constant parts of ``part_bytes`` bytes."""
    part = b"x" * part_bytes

    def given() -> Iterator[bytes]:
        for _ in range(parts):
            yield part

    return StreamingResponse(given(), media_type="application/octet-stream")
