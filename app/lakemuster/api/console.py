"""The console's page at ``/`` and its files below ``/assets``."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from lakemuster.api import media
from lakemuster.console.assets import Asset, load

router = APIRouter()

ASSETS = "/assets/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
IMMUTABLE = "public, max-age=31536000, immutable"
MISSING = "no such file; the console was updated if its page named it"


@router.get("/", include_in_schema=False)
def page(request: Request) -> Response:
    """The console; for a client that asks for JSON alone, the documentation of the API."""
    if media.choose(request.headers.get("accept"), (media.HTML, media.JSON)) == media.JSON:
        return RedirectResponse("docs")
    found = load()
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
        "ETag": found.etag,
        "Vary": "Accept",
    }
    if found.etag in [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(found.page.content, media_type=found.page.media_type, headers=headers)


@router.get(ASSETS + "{digest}/{name:path}", include_in_schema=False)
def asset(digest: str, name: str, request: Request) -> Response:
    """A file of the console, which never changes below its digest."""
    found = load()
    file = found.files.get(name) if digest == found.digest else None
    if file is None:
        # Another server version behind the same address has other digests: a missing file must not be cached.
        return Response(MISSING, 404, media_type="text/plain", headers={"Cache-Control": "no-store"})
    return _sent(file, request)


def _sent(file: Asset, request: Request) -> Response:
    headers = {"Cache-Control": IMMUTABLE, "Vary": "Accept-Encoding"}
    accepted = dict(media.ranges(request.headers.get("accept-encoding", "")))
    if accepted.get("gzip", 0) > 0:
        return Response(file.compressed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(file.content, media_type=file.media_type, headers=headers)
