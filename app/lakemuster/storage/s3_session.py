"""botocore sessions for S3 that send requests only to the operator's endpoint and do not follow redirects.

By default aiohttp follows a redirect to any host without botocore noticing. botocore handles a bucket in another region
itself: it requests the region with HEAD bucket and signs the request again. If that request is redirected too (an
http endpoint that requires https), botocore would repeat it forever.
"""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from functools import cache
from typing import Any

import aiohttp
from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]
from aiobotocore.session import AioSession  # type: ignore[import-untyped]
from botocore.exceptions import ProfileNotFound
from botocore.loaders import Loader, create_loader


class NoRedirectSession(AIOHTTPSession):  # type: ignore[misc]
    """aiobotocore's HTTP session, without redirects."""

    async def _get_session(self, proxy_url: str | None) -> _NoRedirects:
        return _NoRedirects(await super()._get_session(proxy_url))


class _NoRedirects:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    def request(self, method: str, **arguments: Any) -> Awaitable[aiohttp.ClientResponse]:
        return self._session.request(method, **{**arguments, "allow_redirects": False})


def new_session(profile: str | None) -> AioSession:
    """Return a botocore session that requests a bucket's region only once.

    All sessions read botocore's models of services once: parsing them takes longer than the rest of a client's start,
    and each bucket and each vended credential has a session.
    """
    session = AioSession(profile=profile)
    with suppress(ProfileNotFound):  # raised again when the client is created
        session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    session.register("before-call.s3.HeadBucket", _ask_once)
    return session


@cache
def _loader(data_path: str | None) -> Loader:
    return create_loader(data_path)


def _ask_once(context: dict[str, Any], **_: object) -> None:
    context.setdefault("s3_redirect", {})["redirected"] = True
