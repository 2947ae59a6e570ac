"""Decode a response body that a catalog compressed, up to a limit: little input may be very much output."""

from __future__ import annotations

import zlib

from lakemuster.upstream.json_members import NotAnObject

_GZIP, _ZLIB = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS
_FORMS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


def decoded(body: bytes, encoding: str | None, limit: int) -> bytes:
    """Return the decoded body.

    Args:
        encoding: the response's ``Content-Encoding``.
        limit: the maximum of decoded bytes.

    Raises:
        NotAnObject: the encoding is unknown, or the body does not conform to it, is incomplete, or too long.
    """
    if encoding is None or encoding.strip().lower() == "identity":
        return body
    form = _FORMS.get(encoding.strip().lower())
    if form is None:
        raise NotAnObject("its encoding is unknown here")
    reader = zlib.decompressobj(form)
    try:
        text = reader.decompress(body, max(1, limit))
    except zlib.error:
        raise NotAnObject("it is not encoded as its header says") from None
    if not reader.eof:
        raise NotAnObject("it is too long, or not whole")
    return text
