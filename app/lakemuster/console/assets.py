"""The console's files in memory, under a digest of all files.

The content at a file's path never changes, so clients may cache it for ever. The page itself is small, names the
digest, and is requested each time.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

MEDIA_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Media types by file extension. Files of other kinds are not served."""
_GZIP_LEVEL = 9
_PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is served."""

    media_type: str
    content: bytes
    compressed: bytes

    @classmethod
    def of(cls, media_type: str, content: bytes) -> Asset:
        """Return the asset with this content."""
        return cls(media_type, content, gzip.compress(content, _GZIP_LEVEL, mtime=0))


@dataclass(frozen=True, slots=True)
class Assets:
    """All files of the console.

    Attributes:
        digest: of the names and contents of all files.
        files: by their path below ``/assets/<digest>/``.
        page: the HTML page.
        etag: the page's strong entity tag.
    """

    digest: str
    files: Mapping[str, Asset]
    page: Asset
    etag: str


@cache
def load() -> Assets:
    """Read the files of the installed package, once in a process."""
    root = files(__package__) / "assets"
    found = dict(sorted(_walk(root, "")))
    digest = hashlib.sha256()
    for name, asset in found.items():
        digest.update(f"{name} {len(asset.content)}\n".encode() + asset.content)
    text = digest.hexdigest()[:16]
    page = _page((root / _PAGE).read_text("utf-8"), text, [name for name in found if name.endswith(".js")])
    tag = hashlib.sha256(page).hexdigest()[:32]
    return Assets(text, found, Asset.of("text/html; charset=utf-8", page), f'"{tag}"')


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for entry in folder.iterdir():
        name = prefix + entry.name
        if entry.is_dir():
            found += _walk(entry, name + "/")
        elif (media_type := MEDIA_TYPES.get(name.rpartition(".")[2])) is not None:
            found.append((name, Asset.of(media_type, entry.read_bytes())))
    return found


def _page(template: str, digest: str, modules: list[str]) -> bytes:
    """Return the page with the paths of this version. It preloads all modules at once."""
    base = f"assets/{digest}"
    preloads = "\n".join(f'<link rel="modulepreload" href="{escape(f"{base}/{name}")}">' for name in modules)
    return template.replace("{assets}", base).replace("{preloads}", preloads).encode()
