"""AWS Signature Version 4 for catalogs that require it, such as the REST endpoints of Glue and S3 Tables."""

from __future__ import annotations

from collections.abc import Generator, Mapping

import httpx


class SigV4(httpx.Auth):
    """Signs requests with the credentials of AWS's default chain, or with those that the properties give.

    Args:
        properties: PyIceberg's: ``rest.signing-region``, ``rest.signing-name``, ``client.access-key-id`` ….
    """

    requires_request_body = True

    def __init__(self, properties: Mapping[str, str]) -> None:
        # botocore takes a tenth of a second to import, and few catalogs need it.
        from botocore.auth import SigV4Auth  # noqa: PLC0415
        from botocore.credentials import Credentials  # noqa: PLC0415
        from botocore.session import Session  # noqa: PLC0415

        key, secret = properties.get("client.access-key-id"), properties.get("client.secret-access-key")
        session = Session()
        region = properties.get("rest.signing-region") or properties.get("client.region")
        self._region = region or session.get_config_variable("region") or "us-east-1"
        self._service = properties.get("rest.signing-name", "execute-api")
        if key and secret:
            self._credentials = Credentials(key, secret, properties.get("client.session-token"))
        else:
            self._credentials = session.get_credentials()
        self._signer = SigV4Auth

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the signature's headers to a request."""
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        signed = AWSRequest(request.method, str(request.url), data=request.content)
        if "content-type" in request.headers:
            signed.headers["Content-Type"] = request.headers["content-type"]
        frozen = self._credentials.get_frozen_credentials()
        self._signer(frozen, self._service, self._region).add_auth(signed)
        request.headers.update(dict(signed.headers.items()))
        yield request
