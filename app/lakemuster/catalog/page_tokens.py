"""Page tokens (cursors): stateless and signed, each valid for one list and one caller only.

A token holds the pinned snapshot and the position at which to continue. Its signature binds it to table, list,
parameters and caller; a modified token, or one of another list, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import orjson

from lakemuster.catalog.token_signing import Audience, TokenRefused, TokenSigner
from lakemuster.errors import PageTokenInvalid

Key = tuple[int | str, ...]
"""A position in a list: the next page begins after it."""

_MAX_CHARACTERS = 4096
"""A longer token is truncated, and therefore refused."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The snapshot from which all pages of a list are read.

    Attributes:
        branch: the branch in which the id is unique (Paimon).
        row_id: the index's own id, never reused: it reveals that ``snapshot_id`` names another snapshot now.
        schema_id: the schema that the list is read with, if it is not the snapshot's own.
    """

    snapshot_id: int
    branch: str
    row_id: int
    schema_id: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The contents of a token."""

    pins: tuple[Pin, ...]
    key: Key


def write_token(place: Place, audience: Audience, signer: TokenSigner) -> str:
    """Return a signed token that holds ``place``."""
    pins = [[pin.snapshot_id, pin.branch, pin.row_id, *_known(pin.schema_id)] for pin in place.pins]
    return signer.sign(orjson.dumps([pins, list(place.key)]), audience)


def read_token(token: str, audience: Audience, signer: TokenSigner) -> Place:
    """Return the contents of a token.

    Raises:
        PageTokenInvalid: it was not signed with this key, or not for this list.
    """
    try:
        contents = signer.verify(token[:_MAX_CHARACTERS], audience)
    except TokenRefused as cause:
        raise PageTokenInvalid(
            "invalid page token for this list: repeat the request that returned it, unchanged"
        ) from cause
    pins, key = cast("tuple[list[tuple[int, str, int]], list[int | str]]", orjson.loads(contents))
    return Place(tuple(Pin(*pin) for pin in pins), tuple(key))


def _known(schema_id: int | None) -> tuple[int, ...]:
    return () if schema_id is None else (schema_id,)
