"""Authenticate callers by bearer token, and decide which tables they may see and change.

The tokens file is TOML, one ``[[token]]`` table for each::

    [[token]]
    name = "dashboards"                 # in logs; page tokens belong to it
    sha256 = "9f86d081884c7d65…"        # of the token itself, which is not stored
    scope = "read"                      # read < index < admin, each includes the one before
    namespaces = ["shop", "lake.raw"]   # and all below them; omitted: every table

    [[namespace]]
    name = "shop"                       # and all below it, unless they have an entry of their own
    locations = ["s3://lake/shop"]      # its tables may live below these, as far as ROOTS allows

``read`` sees tables, ``index`` may refresh them, ``admin`` may add and remove them. A table outside
of a token's namespaces does not exist for it. A token with namespaces may add tables only below the
locations of a ``[[namespace]]`` that is one of its namespaces, or lies in one. Several entries for one
namespace are merged. The locations apply to every table of a namespace, whichever token added it, except
tables that the operator added at the command line.

A caller that may register a folder can read it, so give each namespace its own folders.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lakemuster.errors import (
    CatalogError,
    ConfigInvalid,
    NotAuthenticated,
    NotAuthorised,
    RequestInvalid,
    TableNotFound,
)
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.storage.locations import Location, absolute

Scope = Literal["read", "index", "admin"]
_RANK: dict[Scope, int] = {scope: rank for rank, scope in enumerate(get_args(Scope))}


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller.

    Attributes:
        name: the token's; ``anonymous`` if the server has no tokens.
        scope: the token's; it includes the narrower ones.
        namespaces: name prefixes of the tables that exist for the caller; None: all tables.
        generation: of the tokens file's content. It is in the response cache's key, so a reload invalidates responses.
    """

    name: str
    scope: Scope
    namespaces: tuple[Levels, ...] | None = None
    generation: int = 0

    def sees(self, table: Levels) -> bool:
        """Whether a table exists for this caller."""
        if self.namespaces is None:
            return True
        return any(len(table) > len(prefix) and table[: len(prefix)] == prefix for prefix in self.namespaces)

    def require(self, scope: Scope) -> None:
        """Raises: NotAuthorised: the caller's scope does not include it."""
        if _RANK[self.scope] < _RANK[scope]:
            raise NotAuthorised(f"this token has the scope {self.scope}; the request needs {scope}", needs=scope)

    def require_table(self, table: Levels) -> None:
        """Raises: TableNotFound: the table does not exist for this caller, whether or not it is registered."""
        if not self.sees(table):
            raise TableNotFound("no table of that name is registered")


ANYONE = Caller("anonymous", "admin")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    scope: Scope
    namespaces: tuple[str, ...] | None = None


class _Namespace(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    locations: tuple[str, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    token: tuple[_Entry, ...] = Field(min_length=1)
    namespace: tuple[_Namespace, ...] = ()


class Callers(Protocol):
    """Protocol of objects that authenticate callers."""

    def caller(self, authorization: str | None) -> Caller:
        """The caller whose token an ``Authorization`` header holds. Raises: NotAuthenticated."""
        ...


class Tokens:
    """The callers of a server, by the hash of their token."""

    def __init__(self, callers: Sequence[tuple[bytes, Caller]]) -> None:
        self._callers = tuple(callers)

    def __len__(self) -> int:
        return len(self._callers)

    def caller(self, authorization: str | None) -> Caller:
        """The caller whose token an ``Authorization`` header holds. A wrong token takes as long as any right one.

        Raises:
            NotAuthenticated: no header, another scheme, or an unknown token.
        """
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise NotAuthenticated("send a token: Authorization: Bearer …")
        presented = hashlib.sha256(token.strip().encode("utf-8", "surrogateescape")).digest()
        found: Caller | None = None
        for known, caller in self._callers:
            if hmac.compare_digest(known, presented):
                found = caller
        if found is None:
            raise NotAuthenticated("this token is not known here")
        return found


@dataclass(frozen=True, slots=True)
class Rules:
    """The parsed content of a tokens file.

    Attributes:
        locations: by namespace, where its tables may live.
        text: the file's bytes.
    """

    tokens: Tokens
    locations: Mapping[Levels, tuple[str, ...]]
    text: bytes

    def says_as(self, other: Rules) -> bool:
        """Whether another file has the same content."""
        return self.text == other.text

    def locations_of(self, table: Levels) -> tuple[Levels, tuple[str, ...]] | None:
        """The innermost namespace of a table with locations, and its locations; None: no namespace has any."""
        for depth in range(len(table) - 1, 0, -1):
            found = self.locations.get(table[:depth])
            if found is not None:
                return table[:depth], found
        return None

    def locations_for(self, caller: Caller, table: Levels) -> tuple[str, ...] | None:
        """Where a caller may register a table; None: under all roots.

        Raises:
            NotAuthorised: nowhere.
        """
        found = self.locations_of(table)
        if caller.namespaces is None:
            return None if found is None else found[1]
        own = [prefix for prefix in caller.namespaces if table[: len(prefix)] == prefix]
        if found is None or not any(found[0][: len(prefix)] == prefix for prefix in own):
            raise NotAuthorised(
                "this token may register no tables here: the tokens file gives its namespace no locations",
                needs="locations",
            )
        return found[1]


def read_rules(path: str, generation: int = 0) -> Rules:
    """Read a tokens file.

    Raises:
        ConfigInvalid: it is unreadable or invalid; the message shows no value of it.
    """
    try:
        text = Path(path).read_bytes()
        document = _File.model_validate(tomllib.loads(text.decode("utf-8")))
        entries = document.token
        callers = [(bytes.fromhex(entry.sha256), _caller(entry, generation)) for entry in entries]
        locations: dict[Levels, tuple[str, ...]] = {}
        for namespace in document.namespace:
            name = parse_name(namespace.name)
            found = tuple(Location.parse(absolute(url, os.getcwd())).text for url in namespace.locations)
            locations[name] = tuple(dict.fromkeys((*locations.get(name, ()), *found)))
    except ValidationError as cause:
        problems = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in cause.errors()[:5])
        raise ConfigInvalid(f"TOKENS: {path}: {problems}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, CatalogError) as cause:
        raise ConfigInvalid(f"TOKENS: {path}: {cause}") from cause
    for what in ("name", "sha256"):
        if len({getattr(entry, what) for entry in entries}) < len(entries):
            raise ConfigInvalid(f"TOKENS: {path}: two tokens have the same {what}")
    return Rules(Tokens(callers), locations, text)


def _caller(entry: _Entry, generation: int) -> Caller:
    namespaces = None if entry.namespaces is None else tuple(parse_name(text) for text in entry.namespaces)
    return Caller(entry.name, entry.scope, namespaces, generation)


def new_token() -> str:
    """A token of 256 random bits."""
    return "lm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """The SHA-256 of a token in hex, as the tokens file stores it.

    A plain hash is enough, since random tokens of 256 bits cannot be guessed.
    """
    return hashlib.sha256(token.encode()).hexdigest()


def token_entry(name: str, token: str, scope: Scope = "read", namespaces: Sequence[str] | None = None) -> str:
    """The lines of the tokens file that admit ``token``.

    Raises:
        RequestInvalid: the name, scope or a namespace is invalid.
    """
    try:
        entry = _Entry(
            name=name,
            sha256=hash_token(token),
            scope=scope,
            namespaces=None if namespaces is None else tuple(namespaces),
        )
    except ValidationError as cause:
        raise RequestInvalid("; ".join(f"{p['loc'][0]}: {p['msg']}" for p in cause.errors())) from None
    lines = ["[[token]]", f'name = "{entry.name}"', f'sha256 = "{entry.sha256}"', f'scope = "{entry.scope}"']
    if entry.namespaces is not None:
        for text in entry.namespaces:
            parse_name(text)
        lines.append(f"namespaces = [{', '.join(_toml_text(text) for text in entry.namespaces)}]")
    return "\n".join(lines) + "\n"


def namespace_entry(name: str, locations: Sequence[str]) -> str:
    """The lines of the tokens file that set where the tables of a namespace may live.

    Raises:
        RequestInvalid, LocationRefused: the name or a location is invalid.
    """
    parse_name(name)
    if not locations:
        raise RequestInvalid(f"namespace {name} is given no location")
    for url in locations:
        Location.parse(absolute(url, os.getcwd()))
    listed = ", ".join(map(_toml_text, locations))
    return f"[[namespace]]\nname = {_toml_text(name)}\nlocations = [{listed}]\n"


def _toml_text(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
