"""Determine which tables a forwarded request may have changed, from its path or the body of a transaction or rename.

If a request does not name the tables that it changes, all tables of the catalog count as changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.types import Message, Receive

from lakemuster.api.sidecar.requests import SidecarRequest
from lakemuster.catalog.attached import Changed
from lakemuster.metadata.names import Levels

MAX_READ_BYTES = 2**20
"""Limit of a body that is parsed: a request with a larger one may have changed everything."""
_WITH_NAMES = frozenset({("transactions", "commit"), ("tables", "rename"), ("views", "rename")})


EVERYTHING = (Changed(),)


@dataclass(slots=True)
class Copied:
    """Wraps ``receive``, and copies a body of at most ``MAX_READ_BYTES``."""

    receive: Receive
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0

    async def __call__(self) -> Message:
        """Receive the next message."""
        message = await self.receive()
        part = message.get("body", b"")
        self._size += len(part)
        if self._size <= MAX_READ_BYTES:
            self._parts.append(part)
        return message

    @property
    def body(self) -> bytes | None:
        """The body as received; None: more than ``MAX_READ_BYTES``."""
        return b"".join(self._parts) if self._size <= MAX_READ_BYTES else None


def names_tables_in_body(found: SidecarRequest) -> bool:
    """Return whether the body of a request names the tables that it changes."""
    return found.segments in _WITH_NAMES


def changed_by(found: SidecarRequest, body: bytes | None) -> tuple[Changed, ...]:
    """Return the tables that a request may have changed.

    Args:
        body: the body of a request that names its tables there; None: it is too large, or names none.
    """
    return tuple({one: None for reading in found.readings for one in _changed_by(reading, body)})


def _changed_by(found: SidecarRequest, body: bytes | None) -> tuple[Changed, ...]:
    if found.table is not None:
        return (Changed(found.table, is_namespace=False),)
    if found.namespace is not None:
        return (Changed(found.namespace),)
    if not names_tables_in_body(found):
        return EVERYTHING
    try:
        document = orjson.loads(body or b"")
        if found.segments[0] == "transactions":
            identifiers = [change["identifier"] for change in document["table-changes"]]
        else:
            identifiers = [document["source"], document["destination"]]
        return tuple(Changed(_levels(identifier), is_namespace=False) for identifier in identifiers)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return EVERYTHING


def _levels(identifier: Any) -> Levels:
    """Return the levels of a table's identifier. Raises: KeyError, TypeError: it is invalid."""
    levels = (*identifier["namespace"], identifier["name"])
    if not all(isinstance(level, str) for level in levels):
        raise TypeError("a level is not text")
    return levels
