"""Page tokens (cursors): stateless and signed, each valid for one list and one caller only.

A token holds the pinned snapshot and the position at which to continue. The signature covers these and what the token
does not hold: table, list, parameters and caller. A token survives a restart and works on any replica. A modified
token, or one of another list, is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import orjson

from lakemuster.errors import PageTokenInvalid

Key = tuple[int | str, ...]
"""A position in a list: the next page begins after it."""

VERSION = 1
_SIGNATURE_BYTES = 16
_MAX_CHARACTERS = 4096


@dataclass(frozen=True, slots=True)
class Pin:
    """The snapshot from which all pages of a list are read.

    Attributes:
        branch: the branch in which the id is unique (Paimon).
        row_id: the index's own id, never reused: it shows when ``snapshot_id`` has come to name another snapshot.
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


@dataclass(frozen=True, slots=True)
class Binding:
    """What a token is valid for.

    Attributes:
        table_id: of the registration, so that a table registered again refuses old tokens; 0 for none.
        parameters: those that choose the list's rows; not the page size.
    """

    table_id: int
    listing: str
    parameters: Mapping[str, str]
    caller: str

    def digest(self) -> bytes:
        """Return a hash of all fields."""
        fields = [VERSION, self.table_id, self.listing, sorted(self.parameters.items()), self.caller]
        return hashlib.sha256(orjson.dumps(fields)).digest()


def write_token(place: Place, binding: Binding, signing_key: bytes) -> str:
    """Return a signed token that holds ``place``."""
    pins = [[pin.snapshot_id, pin.branch, pin.row_id, *_known(pin.schema_id)] for pin in place.pins]
    payload = orjson.dumps([pins, list(place.key)])
    return to_text(_signature(payload, binding, signing_key) + payload)


def read_token(token: str, binding: Binding, signing_key: bytes) -> Place:
    """Return the contents of a token.

    Raises:
        PageTokenInvalid: we did not sign it, or not for this list.
    """
    if len(token) <= _MAX_CHARACTERS:
        raw = of_text(token)
        signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if hmac.compare_digest(signature, _signature(payload, binding, signing_key)):
            pins, key = cast("tuple[list[tuple[int, str, int]], list[int | str]]", orjson.loads(payload))
            return Place(tuple(Pin(*pin) for pin in pins), tuple(key))
    raise PageTokenInvalid(
        "this page token is not one of ours for this list: repeat the request that gave it, unchanged"
    )


def to_text(raw: bytes) -> str:
    """Encode bytes as a token's text, which needs no quoting in a URL."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def of_text(text: str) -> bytes:
    """Decode a token's text; empty for a text that we would not write, since several texts decode to the same bytes."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return raw if to_text(raw) == text else b""


def _known(schema_id: int | None) -> tuple[int, ...]:
    return () if schema_id is None else (schema_id,)


def _signature(payload: bytes, binding: Binding, signing_key: bytes) -> bytes:
    return hmac.new(signing_key, binding.digest() + payload, hashlib.sha256).digest()[:_SIGNATURE_BYTES]
