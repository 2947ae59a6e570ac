"""How requests reach S3: at the endpoint that the operator named, and nowhere else.

aiohttp follows a redirect to any host, unseen by botocore; so none is followed here. botocore has its own
answer to a bucket in another region: it asks HEAD bucket for the region and signs the request anew. Where
that question is redirected too (an http endpoint that wants https), it would be asked again without end.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import aiohttp
from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]
from aiobotocore.session import AioSession  # type: ignore[import-untyped]


class StayingSession(AIOHTTPSession):  # type: ignore[misc]
    """aiobotocore's HTTP session, without redirects."""

    async def _get_session(self, proxy_url: str | None) -> _Staying:
        return _Staying(await super()._get_session(proxy_url))


class _Staying:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    def request(self, method: str, **arguments: Any) -> Awaitable[aiohttp.ClientResponse]:
        return self._session.request(method, **{**arguments, "allow_redirects": False})


def new_session(profile: str | None) -> AioSession:
    """A session of botocore's that asks for a bucket's region once."""
    session = AioSession(profile=profile)
    session.register("before-call.s3.HeadBucket", _ask_once)
    return session


def _ask_once(context: dict[str, Any], **_: object) -> None:
    context.setdefault("s3_redirect", {})["redirected"] = True
