"""Locations: parse them, check them against the allowed roots, and rewrite the recorded ones of moved lakes. Pure.

A recorded location is untrusted text. Three rules make it safe:

* it is parsed to (scheme, bucket, key), and opened by these parts only;
* text that a URL parser, a shell or a filesystem might interpret in different ways is refused, not repaired;
* it is opened only if it is below one of the operator's roots, component by component.

Keys are never percent-decoded: ``day=2024-01-01 10%3A00`` is the name of a folder.

Source: Hadoop's ``Path`` writes ``file:/a``, others ``file:///a`` or ``/a``; ``s3a`` and ``s3n`` are Hadoop's
schemes for ``s3``. An Azure account has two hosts for the same data, ``account.blob.…`` (Hadoop's ``wasb``) and
``account.dfs.…`` (``abfs``); fsspec writes ``az://container``.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import ConfigInvalid, LocationRefused, RequestInvalid

LOCAL = "file"
HTTP = ("http", "https")
_SPELLINGS = {
    "s3": ("s3", "s3a", "s3n"),
    "gs": ("gs", "gcs"),
    "abfs": ("abfs", "abfss", "wasb", "wasbs", "az"),
    "cos": ("cos", "cosn"),
    LOCAL: (LOCAL, "local"),
}
_SCHEME_OF = {spelling: scheme for scheme, spellings in _SPELLINGS.items() for spelling in spellings}
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(.*)", re.DOTALL)
_MISTYPED = re.compile(
    rf"({'|'.join([*_SCHEME_OF, 'oss', 'hdfs', 'webhdfs', 'swebhdfs', *HTTP])})(:(?!//)|//)", re.IGNORECASE
)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]*")
_HOST_AND_PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]*(:[0-9]{1,5})?")
_CONTAINER_AND_ACCOUNT = re.compile(r"[A-Za-z0-9$][A-Za-z0-9\-]*(@[A-Za-z0-9][A-Za-z0-9.\-]*)?")
_AUTHORITY = {
    "s3": _BUCKET, "gs": _BUCKET, "oss": _BUCKET, "cos": _BUCKET, "memory": _BUCKET, "abfs": _CONTAINER_AND_ACCOUNT,
}  # fmt: skip
_OWN_PORT = {"http": ":80", "https": ":443"}
_BLOB_HOST = re.compile(r"(@[a-z0-9\-]+)\.blob\.", re.IGNORECASE)
_FULL_REWRITE = re.compile(r"(.+?)=((?:[A-Za-z][A-Za-z0-9+.\-]*:)?/.*)")
# Secrets may hold slashes: remove everything before the last @, except in file names and Azure's container@account.
_USERINFO = re.compile(
    r"^(?!file:(?:/[^/]|///)|/|(?:abfss?|wasbs?)://[^/:@]*@[^@]*$)([^/]*)//.*@", re.IGNORECASE | re.DOTALL
)
_LONGEST = 4096
_LONGEST_SHOWN = 300
_REMEDY = "allow it by ROOTS or a catalog's roots, or register a table that was moved with --rewrite OLD=NEW"
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")


def normal_scheme(scheme: str) -> str:
    """Return the normal spelling of a scheme: ``S3A`` becomes ``s3``."""
    return _SCHEME_OF.get(scheme.lower(), scheme.lower())


def normal_authority(scheme: str, authority: str) -> str:
    """Return the normal spelling of a bucket or host.

    Azure accounts get their ``dfs`` host; HTTP hosts become lower case, without the scheme's default port.

    Args:
        scheme: in its normal spelling.
    """
    if scheme == "abfs":
        return _BLOB_HOST.sub(r"\1.dfs.", authority)
    return authority.lower().removesuffix(_OWN_PORT[scheme]) if scheme in HTTP else authority


def redacted(text: str) -> str:
    """Return a location for messages: without userinfo, query string and control characters, and truncated if long."""
    text = _USERINFO.sub(r"\1//", text.partition("?")[0])
    if not text.isprintable():
        text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:200]}…{text[-80:]}"


@dataclass(frozen=True, slots=True)
class Location:
    """The parts of a location.

    Attributes:
        scheme: lower case, one spelling per kind of storage; "" for a relative path.
        bucket: bucket, container (``container@account.dfs.…`` for abfs) or host; "" for local paths.
        key: literal, without leading slash (local) and without trailing slashes.
    """

    scheme: str
    bucket: str
    key: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a location.

        Raises:
            LocationRefused: it is not a location, or ambiguous.
        """
        _refuse_tricks(text)
        url = _URL.match(text)
        if url is None:
            return cls(LOCAL if text.startswith("/") else "", "", _local_key(text))
        scheme, rest = normal_scheme(url[1]), url[2]
        if scheme == LOCAL:
            path = rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest
            if not path.startswith("/") or (path.startswith("//") and not path.startswith("///")):
                raise _refused(text, "a file URL must have the form file:///folder/name")
            return cls(LOCAL, "", _local_key(path))
        authority, _, key = rest.removeprefix("//").partition("/")
        if not rest.startswith("//") or not authority:
            raise _refused(text, "it has no bucket")
        if "@" in key or not _AUTHORITY.get(scheme, _HOST_AND_PORT).fullmatch(authority):
            raise _refused(text, "its bucket is not a plain name" if "@" not in rest else "it contains an @")
        key = key.rstrip("/")
        if "." in key.split("/"):
            raise _refused(text, "it contains a . segment")
        if scheme in HTTP and "?" in key:
            raise _refused(text, "a URL with a query string names no object")
        return cls(scheme, normal_authority(scheme, authority), key)

    @property
    def is_relative(self) -> bool:
        """Whether it is a relative path, usable only after a rewrite."""
        return not self.scheme

    @property
    def text(self) -> str:
        """The normal spelling; a local path has no scheme."""
        if self.scheme in ("", LOCAL):
            return self.key if self.is_relative else f"/{self.key}"
        return f"{self.scheme}://{self.bucket}/{self.key}".rstrip("/")

    def joined(self, path: str) -> Self:
        """Return a location below this one, by a path from a listing.

        Raises:
            LocationRefused: the path contains a ``..`` segment.
        """
        if ".." in path.split("/"):
            raise _refused(path, "it contains a .. segment")
        return type(self)(self.scheme, self.bucket, f"{self.key}/{path}".strip("/")) if path.strip("/") else self

    def lies_within(self, root: Location) -> bool:
        """Return whether the location is ``root`` or below it, component by component."""
        if (self.scheme, self.bucket) != (root.scheme, root.bucket):
            return False
        return not root.key or f"{self.key}/".startswith(f"{root.key}/")


@dataclass(frozen=True, slots=True)
class Roots:
    """The locations that may be opened, with everything below them; without roots, nothing may be opened."""

    locations: tuple[Location, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str], base: str) -> Self:
        """Parse roots from settings; relative local paths are relative to ``base``, an absolute path.

        Raises:
            ConfigInvalid: a root is not a location.
        """
        try:
            return cls(tuple(Location.parse(absolute(text, base)) for text in texts))
        except LocationRefused as cause:
            raise ConfigInvalid(f"ROOTS: {cause.message}") from cause

    def adding(self, location: Location) -> Self:
        """Return these roots and one more."""
        return self if location in self.locations else type(self)((*self.locations, location))

    def within(self, places: Sequence[Location]) -> Self:
        """Return the intersection with other locations: of each nested pair, the inner one."""
        inner = [place for root in self.locations for place in places if place.lies_within(root)]
        outer = [root for root in self.locations for place in places if root.lies_within(place)]
        return type(self)(tuple(dict.fromkeys((*inner, *outer))))

    def hold(self, location: Location) -> bool:
        """Return whether a location is within any root."""
        return any(location.lies_within(root) for root in self.locations)

    def admit(self, text: str) -> Location:
        """Parse a location before it is opened.

        Raises:
            LocationRefused: it is not a location, is relative, or is outside every root.
        """
        location = Location.parse(text)
        if location.is_relative:
            raise _refused(text, "a relative path needs a rewrite (OLD=NEW) to a full location")
        if not self.hold(location):
            raise _refused(text, f"it is outside the allowed roots; {_REMEDY}")
        return location


def absolute(text: str, base: str) -> str:
    """Return the full location of an operator's input; relative paths are below ``base``, ``~`` is the home folder.

    Raises:
        LocationRefused: it is not a location.
    """
    if _URL.match(text) or not text:
        return Location.parse(text).text
    if is_mistyped(text):
        raise _refused(text, "a URL has :// after its scheme")
    return Location.parse(os.path.normpath(os.path.join(base, os.path.expanduser(text)))).text


def is_mistyped(text: str) -> bool:
    """Return whether a local path is a URL without its ``://``, such as ``s3:/bucket`` or ``s3//bucket``."""
    return _MISTYPED.match(text) is not None


def with_scheme(location: str) -> str:
    """Return a full location for clients: a bare path becomes ``file:///folder``, everything else is unchanged."""
    return f"{LOCAL}://{location}" if location.startswith("/") else location


def with_schemes(locations: pa.Array) -> pa.Array:
    """Apply :func:`with_scheme` to a string column; the type is preserved, nulls stay null."""
    if pa.types.is_dictionary(locations.type):
        return pa.DictionaryArray.from_arrays(locations.indices, with_schemes(locations.dictionary))
    bare = pc.starts_with(locations, "/")
    if not pc.any(bare).as_py():
        return locations
    scheme = pa.scalar(f"{LOCAL}://", locations.type)
    return pc.if_else(bare, pc.binary_join_element_wise(scheme, locations, pa.scalar("", locations.type)), locations)


def _refused(text: str, reason: str) -> LocationRefused:
    return LocationRefused(f"location {redacted(text)!r} is refused: {reason}")


def _refuse_tricks(text: str) -> None:
    if not text or len(text) > _LONGEST:
        raise _refused(text, "it is longer than 4096 characters" if text else "it is empty")
    if not text.isprintable() and any(unicodedata.category(character) in _UNSEEN for character in text):
        raise _refused(text, "it contains a control character")
    for trick in ("::", "\\"):
        if trick in text:
            raise _refused(text, f"it contains {trick}")
    if "%2e" in text.lower() or _climbs(text):
        raise _refused(text, "it contains a .. segment or an encoded dot")


def _climbs(text: str) -> bool:
    """Return whether any component is ``..``, however often it is percent-encoded."""
    while ".." not in re.split(r"[/\\]", text):
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    return True


def _local_key(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))


@dataclass(frozen=True, slots=True)
class Rewrites:
    """Rewrites of recorded location prefixes to the prefixes where the data is now.

    A prefix matches whole components. The longest match wins; each location is rewritten once. All spellings of OLD
    match (``s3a://…`` where OLD is ``s3://…``, ``file:/a`` for ``/a``, ``./x`` for ``x``). The rest of a location is
    unchanged.

    Raises:
        RequestInvalid: an OLD or NEW is empty.
    """

    pairs: Sequence[tuple[str, str]] = ()
    _rules: tuple[tuple[str, str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple((old, new) for old, new in self.pairs))
        if not all(old and new for old, new in self.pairs):
            raise RequestInvalid("a rewrite must have the form OLD=NEW, with neither empty")
        rules = [(spelling, new.rstrip("/")) for old, new in self.pairs for spelling in _spellings(old)]
        object.__setattr__(self, "_rules", tuple(sorted(rules, key=lambda rule: -len(rule[0]))))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Parse rewrites in command-line form, ``OLD=NEW``; OLD may contain ``=`` if NEW is a full location.

        Raises:
            RequestInvalid: no ``=``, or an empty side.
        """
        pairs = []
        for text in texts:
            found = _FULL_REWRITE.fullmatch(text) or re.fullmatch(r"(.+?)=(.+)", text)
            if found is None:
                raise RequestInvalid(f"a rewrite must have the form OLD=NEW, not {redacted(text)!r}")
            pairs.append((found[1], found[2]))
        return cls(tuple(pairs))

    def apply(self, location: str) -> str:
        """Return the rewritten location; unchanged if no prefix matches."""
        for old, new in self._rules:
            if location == (old or "/") or location.startswith(f"{old}/"):
                return new + location[len(old) :] or "/"
        return location

    def before(self, location: str) -> list[str]:
        """Return the possible recorded forms of a location: itself, and each one that :meth:`apply` rewrites to it."""
        found = [location]
        for old, new in self._rules:
            if location.startswith(f"{new}/"):
                recorded = old + location[len(new) :]
                if self.apply(recorded) == location:
                    found.append(recorded)
        return list(dict.fromkeys(found))

    def apply_array(self, locations: pa.Array) -> pa.Array:
        """Like :meth:`apply`, for a column; the type is preserved, nulls stay null.

        Args:
            locations: string, large_string, or a dictionary of them; an Array or a ChunkedArray.
        """
        if isinstance(locations, pa.ChunkedArray):
            return pa.chunked_array([self.apply_array(chunk) for chunk in locations.chunks], type=locations.type)
        if pa.types.is_dictionary(locations.type):
            return pa.DictionaryArray.from_arrays(locations.indices, self.apply_array(locations.dictionary))
        plain = pa.large_binary() if pa.types.is_large_string(locations.type) else pa.binary()
        moved, waiting = locations, None
        for old, new in self._rules:
            whole = pc.equal(locations, old or "/")
            hit = pc.or_(pc.starts_with(locations, f"{old}/"), whole)
            hit = hit if waiting is None else pc.and_(hit, waiting)
            if not pc.any(hit).as_py():
                continue
            # Replace bytes: replacing characters takes ten times as long.
            here = pc.binary_replace_slice(locations.view(plain), 0, len(old.encode()), new.encode())
            here = here.view(locations.type) if new else pc.if_else(whole, "/", here.view(locations.type))
            moved = here if pc.all(hit).as_py() else pc.if_else(hit, here, moved)
            waiting = pc.invert(hit) if waiting is None else pc.and_not(waiting, hit)
        return moved


def _spellings(old: str) -> list[str]:
    """Return every prefix that a writer may have recorded for the operator's ``old``, without trailing slash."""
    url = _URL.match(old)
    if url is not None and normal_scheme(url[1]) != LOCAL:
        spellings = _SPELLINGS.get(normal_scheme(url[1]), (url[1],))
        rest = url[2].rstrip("/")
        if normal_scheme(url[1]) != "abfs":
            return [f"{spelling}:{rest}" for spelling in spellings]
        return [f"{one}:{host}" for one in spellings for host in dict.fromkeys((_of_dfs(rest), _of_blob(rest)))]
    if url is not None or old.startswith("/"):
        path = (url[2].removeprefix("//") if url is not None else old).rstrip("/")
        return [path, f"{LOCAL}:{path}", f"{LOCAL}://{path}"]
    path = re.sub(r"^(\./+)+", "", f"{old}/").rstrip("/")
    return [path, f"./{path}"] if path and path != "." else ["."]


def _of_dfs(rest: str) -> str:
    return _BLOB_HOST.sub(r"\1.dfs.", rest, count=1)


def _of_blob(rest: str) -> str:
    return re.sub(r"(@[A-Za-z0-9\-]+)\.dfs\.", r"\1.blob.", rest, count=1)
