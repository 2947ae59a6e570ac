"""Repeat requests to S3 without the costs of botocore's service model.

For each request botocore validates parameters, resolves the endpoint by rules, serializes the request, and parses the
response by its model; this takes most of the CPU time of a listing. Requests to one bucket differ in the key or prefix
only. So the first one goes through botocore; later ones reuse its address, headers and context, with botocore's signer,
which refreshes credentials, and aiobotocore's connections. If such a request is refused, or its response has another
form, it is made again through botocore, which handles redirects and all errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl, unquote_plus
from xml.etree import ElementTree as ET

from botocore.awsrequest import create_request_object
from botocore.exceptions import ClientError
from botocore.utils import percent_encode, percent_encode_sequence

_PREFIX, _TOKEN = "prefix", "continuation-token"
_Seen = list[Mapping[str, Any]]
_seen: ContextVar[_Seen | None] = ContextVar("s3_requests", default=None)


def _see(params: Mapping[str, Any], request_signer: Any, **_: object) -> None:
    if (seen := _seen.get()) is not None:
        seen.append({"params": params, "signer": request_signer})


@contextmanager
def watching(client: Any) -> Iterator[_Seen]:
    """Collect the requests that a client builds in this context; a redirect may change them until the block ends."""
    for operation in ("ListObjectsV2", "HeadObject"):
        client.meta.events.register(f"before-call.s3.{operation}", _see, unique_id=f"lakemuster-{operation}")
    seen: _Seen = []
    reset = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(reset)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A request that succeeded, to be repeated for other keys or prefixes of its bucket.

    Attributes:
        url: without the key and the query.
        query: without prefix and continuation token.
        params: botocore's request parameters: method, headers, context.
    """

    operation: str
    url: str
    query: Mapping[str, str]
    params: Mapping[str, Any]
    signer: Any
    session: Any

    @classmethod
    def of(cls, operation: str, seen: _Seen, key: str, client: Any) -> Repeated | None:
        """Return the request that botocore made for a key; None if it cannot be repeated."""
        if len(seen) != 1:
            return None
        params = seen[0]["params"]
        address, _, query = params["url"].partition("?")
        encoded = percent_encode(key, safe="/~")
        if params["body"] or not address.endswith(encoded):
            return None
        session = client._endpoint.http_session  # noqa: SLF001 - the only place of a client's connections
        fixed = {name: value for name, value in parse_qsl(query) if name not in (_PREFIX, _TOKEN)}
        return cls(operation, address[: len(address) - len(encoded)], fixed, dict(params), seen[0]["signer"], session)

    async def page(self, prefix: str, token: str | None) -> dict[str, Any] | None:
        """Return a page of a listing in botocore's form; None if the response is not one."""
        query = {**self.query, _PREFIX: prefix, **({_TOKEN: token} if token else {})}
        answer = await self._answer(f"{self.url}?{percent_encode_sequence(query)}")
        return None if answer is None else _page(await answer.content)

    async def head(self, key: str) -> dict[str, Any] | None:
        """Return an object's size and modification time in botocore's form; None if the response lacks them."""
        answer = await self._answer(self.url + percent_encode(key, safe="/~"))
        if answer is None:
            return None
        try:
            changed = parsedate_to_datetime(answer.headers["last-modified"])
            return {"ContentLength": int(answer.headers["content-length"]), "LastModified": changed}
        except (KeyError, ValueError, OverflowError):
            return None

    async def _answer(self, url: str) -> Any:
        context = {**self.params["context"]}
        request = create_request_object({**self.params, "url": url, "context": context})
        await self.signer.sign(self.operation, request)
        answer = await self.session.send(request.prepare())
        if answer.status_code == 429 or answer.status_code >= 500:  # busy: do not repeat it without a pause
            raise ClientError(_error(answer.status_code, await answer.content), self.operation)
        return answer if answer.status_code == 200 else None


def _page(body: bytes) -> dict[str, Any] | None:
    """Parse a page of a listing; return None for a document of another form."""
    try:
        root = ET.fromstring(body)  # noqa: S314 - as botocore reads it
        if _name(root) != "ListBucketResult":
            return None
        fields = {_name(child): child.text or "" for child in root}
        if fields.get("IsTruncated", "false") not in ("true", "false"):
            return None
        decode = unquote_plus if fields.get("EncodingType") == "url" else str
        prefixes, contents = [], []
        for child in root:
            match _name(child):
                case "CommonPrefixes":
                    prefixes += [{"Prefix": decode(one.text or "")} for one in child]
                case "Contents":
                    item = {_name(one): one.text or "" for one in child}
                    found = {"Key": decode(item["Key"]), "Size": int(item["Size"])}
                    contents.append({**found, "LastModified": _moment(item.get("LastModified"))})
    except (ET.ParseError, KeyError, ValueError):
        return None
    return {
        "CommonPrefixes": prefixes,
        "Contents": contents,
        "IsTruncated": fields.get("IsTruncated") == "true",
        "NextContinuationToken": fields.get("NextContinuationToken"),
    }


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("a time without a zone")
    return found


def _error(status: int, body: bytes) -> Any:
    """Return an error's code in botocore's form; for a response without one, such as to HEAD, the status."""
    try:
        codes = [child.text for child in ET.fromstring(body) if _name(child) == "Code"]  # noqa: S314
    except ET.ParseError:
        codes = []
    return {"Error": {"Code": (codes or [str(status)])[0]}, "ResponseMetadata": {"HTTPStatusCode": status}}


def _name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]
