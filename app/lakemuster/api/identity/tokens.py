"""Static bearer tokens: the content of the tokens file, and the lines that ``lakemuster token`` writes for it.

The file is TOML, one ``[[token]]`` table for each::

    [[token]]
    name = "dashboards"                 # shown in logs; page tokens are bound to it
    sha256 = "9f86d081884c7d65…"        # of the token itself, which is not stored
    scope = "read"                      # read < index < admin, each includes the one before
    namespaces = ["shop", "lake.*.raw"] # and all below them; omitted: every table

    [[role]]
    name = "shop-owners"                # callers of an identity provider get it by a claim
    scope = "admin"
    namespaces = ["shop"]
    locations = ["s3://lake/shop"]      # where tables added by this role may live; tokens may have it, too

    [[namespace]]
    name = "shop"                       # and all below it, unless they have an entry of their own
    locations = ["s3://lake/shop"]      # its tables may live below these, as far as ROOTS allows

A namespace ``catalog:prod/shop`` is one of the attached catalog ``prod``. ``policy`` says what the entries allow. A
caller that may register a folder can read it, so give each namespace its own folders.
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
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lakemuster.api.identity.callers import Caller, Grant, Pattern, Role
from lakemuster.api.identity.policy import innermost
from lakemuster.errors import CatalogError, ConfigInvalid, RequestInvalid
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.storage.locations import Location, absolute
from lakemuster.validation_messages import plain_message


class _Granting(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: Role
    namespaces: tuple[str, ...] | None = None
    locations: tuple[str, ...] = ()

    def grant(self) -> Grant:
        return Grant.of(self.scope, self.namespaces, map(_location, self.locations))


class _Entry(_Granting):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Role(_Granting):
    name: str = Field(min_length=1)


class _Namespace(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    locations: tuple[str, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    token: tuple[_Entry, ...] = ()
    role: tuple[_Role, ...] = ()
    namespace: tuple[_Namespace, ...] = ()


class Tokens:
    """The callers of a server, by the hash of their token."""

    def __init__(self, callers: Sequence[tuple[bytes, Caller]]) -> None:
        self._callers = tuple(callers)

    def __len__(self) -> int:
        return len(self._callers)

    def find(self, token: str) -> Caller | None:
        """Return the caller of a token, or None. An unknown token takes as long as any known one."""
        presented = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        found: Caller | None = None
        for known, caller in self._callers:
            if hmac.compare_digest(known, presented):
                found = caller
        return found


@dataclass(frozen=True, slots=True)
class Rules:
    """The parsed content of a tokens file.

    Attributes:
        roles: by name, for callers of identity providers.
        locations: by namespace, where its tables may live.
        text: the file's bytes.
        generation: version number of the content, copied to its callers.
    """

    tokens: Tokens
    roles: Mapping[str, tuple[Grant, ...]]
    locations: Mapping[Levels, tuple[str, ...]]
    text: bytes
    generation: int

    def says_as(self, other: Rules) -> bool:
        """Return whether another file has the same content."""
        return self.text == other.text

    def locations_of(self, table: Levels) -> tuple[str, ...] | None:
        """Return the locations of a table's innermost namespace that has any; None: no namespace has."""
        found = innermost(self.locations, table)
        return None if found is None else found[1]


def read_rules(path: str, generation: int = 0) -> Rules:
    """Read a tokens file.

    Raises:
        ConfigInvalid: it is unreadable or invalid; the message contains no hash from it.
    """
    try:
        text = Path(path).read_bytes()
        document = _File.model_validate(tomllib.loads(text.decode("utf-8")))
        entries = document.token
        callers = [(bytes.fromhex(e.sha256), Caller(e.name, (e.grant(),), generation)) for e in entries]
        roles: dict[str, tuple[Grant, ...]] = {}
        for role in document.role:
            roles[role.name] = (*roles.get(role.name, ()), role.grant())
        locations: dict[Levels, tuple[str, ...]] = {}
        for namespace in document.namespace:
            name = parse_name(namespace.name)
            found = tuple(map(_location, namespace.locations))
            locations[name] = tuple(dict.fromkeys((*locations.get(name, ()), *found)))
    except ValidationError as cause:
        problems = "; ".join(f"{'.'.join(map(str, p['loc']))}: {plain_message(p)}" for p in cause.errors()[:5])
        raise ConfigInvalid(f"TOKENS: {path}: {problems}") from None
    except OSError as cause:
        raise ConfigInvalid(f"TOKENS: {path}: {cause.strerror or cause}") from cause
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, CatalogError) as cause:
        raise ConfigInvalid(f"TOKENS: {path}: {cause}") from cause
    for what in ("name", "sha256"):
        if len({getattr(entry, what) for entry in entries}) < len(entries):
            raise ConfigInvalid(f"TOKENS: {path}: two tokens have the same {what}")
    if not entries and not roles:
        raise ConfigInvalid(f"TOKENS: {path}: it has no [[token]] and no [[role]]")
    return Rules(Tokens(callers), roles, locations, text, generation)


def _location(url: str) -> str:
    return Location.parse(absolute(url, os.getcwd())).text


def new_token() -> str:
    """Return a token of 256 random bits."""
    return "lm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 of a token in hex, as the tokens file stores it.

    A plain hash is enough, since random tokens of 256 bits cannot be guessed.
    """
    return hashlib.sha256(token.encode()).hexdigest()


def token_entry(name: str, token: str, scope: Role = "read", namespaces: Sequence[str] | None = None) -> str:
    """Return the lines of the tokens file that admit ``token``.

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
        raise RequestInvalid("; ".join(f"{p['loc'][0]}: {plain_message(p)}" for p in cause.errors())) from None
    lines = ["[[token]]", f'name = "{entry.name}"', f'sha256 = "{entry.sha256}"', f'scope = "{entry.scope}"']
    if entry.namespaces is not None:
        for text in entry.namespaces:
            Pattern.of(text)
        lines.append(f"namespaces = [{', '.join(_toml_text(text) for text in entry.namespaces)}]")
    return "\n".join(lines) + "\n"


def namespace_entry(name: str, locations: Sequence[str]) -> str:
    """Return the lines of the tokens file that set where the tables of a namespace may live.

    Raises:
        RequestInvalid, LocationRefused: the name or a location is invalid.
    """
    parse_name(name)
    if not locations:
        raise RequestInvalid(f"namespace {name} has no locations")
    for url in locations:
        _location(url)
    listed = ", ".join(map(_toml_text, locations))
    return f"[[namespace]]\nname = {_toml_text(name)}\nlocations = [{listed}]\n"


def _toml_text(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
