"""Who is asking, and what they may see.

The tokens file is TOML, one ``[[token]]`` table for each::

    [[token]]
    name = "dashboards"                 # in logs; page tokens belong to it
    sha256 = "9f86d081884c7d65…"        # of the token itself, which is kept nowhere
    scope = "read"                      # read < index < admin, each includes the one before
    namespaces = ["shop", "lake.raw"]   # and all below them; left out: everything

``read`` sees tables, ``index`` may refresh them, ``admin`` may add and remove them. A table outside
of a token's namespaces does not exist for it. The file is read at the start.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

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

Scope = Literal["read", "index", "admin"]
_RANK: dict[Scope, int] = {scope: rank for rank, scope in enumerate(get_args(Scope))}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        name: of the token; ``anonymous`` when the server has none.
        scope: the widest of theirs.
        namespaces: prefixes of the tables that exist for them; None for all.
    """

    name: str
    scope: Scope
    namespaces: tuple[Levels, ...] | None = None

    def sees(self, table: Levels) -> bool:
        """Whether a table exists for this caller."""
        if self.namespaces is None:
            return True
        return any(len(table) > len(prefix) and table[: len(prefix)] == prefix for prefix in self.namespaces)

    def require(self, scope: Scope) -> None:
        """Raises: NotAuthorised: the scope is not theirs."""
        if _RANK[self.scope] < _RANK[scope]:
            raise NotAuthorised(f"this token has the scope {self.scope}; the request needs {scope}", needs=scope)

    def require_table(self, table: Levels) -> None:
        """Raises: TableNotFound: the table does not exist for them, whether or not it is there."""
        if not self.sees(table):
            raise TableNotFound("no table of that name is registered")


ANYONE = Caller("anonymous", "admin")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    scope: Scope
    namespaces: tuple[str, ...] | None = None


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    token: tuple[_Entry, ...] = Field(min_length=1)


class Tokens:
    """The callers of a server, by the hash of their token."""

    def __init__(self, callers: Sequence[tuple[bytes, Caller]]) -> None:
        self._callers = tuple(callers)

    def caller(self, authorization: str | None) -> Caller:
        """Who sent an ``Authorization`` header. Takes as long for a wrong token as for any right one.

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


def load_tokens(path: str | None) -> Tokens | None:
    """Read the tokens file; None without one.

    Raises:
        ConfigInvalid: it cannot be read, or does not say what it should; never shows a value of it.
    """
    if path is None:
        return None
    try:
        document = tomllib.loads(Path(path).read_text("utf-8"))
        entries = _File.model_validate(document).token
        callers = [(bytes.fromhex(entry.sha256), _caller(entry)) for entry in entries]
    except ValidationError as cause:
        problems = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in cause.errors()[:5])
        raise ConfigInvalid(f"TOKENS: {path}: {problems}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, CatalogError) as cause:
        raise ConfigInvalid(f"TOKENS: {path}: {cause}") from cause
    for what in ("name", "sha256"):
        if len({getattr(entry, what) for entry in entries}) < len(entries):
            raise ConfigInvalid(f"TOKENS: {path}: two tokens have the same {what}")
    return Tokens(callers)


def _caller(entry: _Entry) -> Caller:
    namespaces = None if entry.namespaces is None else tuple(parse_name(text) for text in entry.namespaces)
    return Caller(entry.name, entry.scope, namespaces)


def new_token() -> str:
    """A token of 256 random bits."""
    return "lm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """What the tokens file keeps of a token: its SHA-256 in hex.

    Plain hashing is enough for random tokens of 256 bits, which nobody can guess through.
    """
    return hashlib.sha256(token.encode()).hexdigest()


def token_entry(name: str, token: str, scope: Scope = "read", namespaces: Sequence[str] | None = None) -> str:
    """The lines of the tokens file that let ``token`` in.

    Raises:
        RequestInvalid: a name, scope or namespace that the file may not hold.
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


def _toml_text(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
