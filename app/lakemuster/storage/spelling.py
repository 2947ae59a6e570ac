"""Compare locations independently of their spelling, and represent very many of them as 64-bit keys.

All spellings of an object's location have the same :func:`comparable` form. The converse does not hold: names that
differ in percent-encoding, in ``+`` and space, or in doubled slashes have one form, too. If an object counts as
referenced when its form is that of a reference, such a collision keeps an object, and never loses one. The same holds
for 64-bit keys, of which any two among ten million collide with a probability of one in 370,000.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from lakemuster.storage.locations import LOCAL, normal_authority, normal_scheme

Keys = NDArray[np.int64]
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(/.*)", re.DOTALL)


def comparable(location: str) -> str:
    """Return the common form of all spellings of a location: a path, or ``scheme://bucket/key``.

    Raises:
        ValueError: it is relative.
    """
    if location.startswith("/"):
        return _plain(location)
    url = _URL.fullmatch(location)
    if url is None:
        raise ValueError("a relative location")
    scheme, rest = normal_scheme(url[1]), url[2]
    if scheme == LOCAL:
        return _plain(local_path(location))
    authority, _, key = rest.lstrip("/").partition("/")
    return f"{scheme}://{normal_authority(scheme, authority)}{_plain(f'/{key}')}"


def local_path(location: str) -> str:
    """Return the literal path of a local location; other locations are returned unchanged."""
    url = _URL.fullmatch(location)
    if url is None or normal_scheme(url[1]) != LOCAL:
        return location
    return url[2].removeprefix("//localhost") if url[2].startswith("//localhost/") else url[2]


def is_below(location: str, folder: str) -> bool:
    """Return whether a location is a folder or below it; both are given in comparable form."""
    return f"{location}/".startswith(f"{folder.rstrip('/')}/")


def named(folder: str, name: str) -> str:
    """Return the comparable form of a reference to the files of a name below a folder.

    Args:
        folder: in its comparable form.
    """
    return f"{folder}\0{_decoded(name)}"


def keys_of(texts: Iterable[str]) -> Keys:
    """Return a key for each text; keys are the same in every process and on every machine."""
    digests = b"".join([blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts])
    return np.frombuffer(digests, "<i8")


def _plain(path: str) -> str:
    path = _decoded(path)
    if "//" not in path and "/." not in path:
        return path.rstrip("/") if len(path) > 1 else path
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _decoded(text: str) -> str:
    while "%" in text:
        decoded = unquote(text, errors="surrogateescape")
        if decoded == text:
            break
        text = decoded
    return text.replace("+", " ")
