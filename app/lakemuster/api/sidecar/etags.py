"""ETags of changed responses: they contain the catalog's ETag, and the form into which the response was changed.

Responses of different forms are different, even if the catalog's response is the same: a client that has one form never
gets 304 (Not Modified) for another.
"""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

_MARK = '"lakemuster-'
_WEAK = "W/"
_ONE = re.compile(r'(?:W/)?"[^"]*"|[^,\s]+')


def own_etag(theirs: str, form: str) -> str:
    """Return the ETag of a changed response, weak if the catalog's is.

    Args:
        form: the form of the change.
    """
    weak = _WEAK if theirs.startswith(_WEAK) else ""
    return f'{weak}{_MARK}{_digest(form)}-{urlsafe_b64encode(theirs.encode("latin-1")).decode()}"'


def their_etags(given: str, form: str) -> str | None:
    """Return a header ``If-None-Match`` for the catalog, with its ETags in place of those of changed responses.

    Args:
        form: that the response will have. Other ETags, including the catalog's own, are of other responses.

    Returns:
        None: no ETag is left.
    """
    found = [_theirs(one, form) for one in _ONE.findall(given)]
    return ", ".join(one for one in found if one is not None) or None


def _theirs(etag: str, form: str) -> str | None:
    opaque = etag.removeprefix(_WEAK)
    digest, _, held = opaque.removeprefix(_MARK).removesuffix('"').partition("-")
    if not opaque.startswith(_MARK) or digest != _digest(form):
        return None
    try:
        return urlsafe_b64decode(held).decode("latin-1")
    except ValueError:
        return None


def _digest(form: str) -> str:
    return hashlib.sha256(form.encode()).hexdigest()[:12]
