"""Reader of Paimon's JSON documents that checks the type of each member.

Unknown members are ignored, null counts as absent, and a member of another type than the format's raises
``MetadataCorrupt`` with its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from lakemuster.errors import MetadataCorrupt

_NAME = re.compile(r"[^/\\\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON object whose members are read with type checks; null counts as absent."""

    what: str
    members: Mapping[str, object] = field(repr=False)

    @classmethod
    def of(cls, data: bytes, what: str) -> Document:
        """Parse JSON text that holds an object."""
        try:
            return cls.of_value(orjson.loads(data), what)
        except orjson.JSONDecodeError as error:
            if error.msg.startswith("Not enough memory"):
                raise MemoryError from error
            raise MetadataCorrupt(f"a Paimon {what} is not JSON") from error

    @classmethod
    def of_value(cls, value: object, what: str) -> Document:
        """Wrap a parsed JSON value that is an object."""
        if not isinstance(value, dict):
            raise MetadataCorrupt(f"a Paimon {what} is not a JSON object")
        return cls(what, value)

    def corrupt(self, key: str) -> MetadataCorrupt:
        """Return the error for an absent or mistyped member."""
        return MetadataCorrupt(f"a Paimon {self.what} lacks {key}, or its type is wrong", key=key)

    def get(self, key: str) -> object:
        """Return a member, unchecked; None if it is absent."""
        return self.members.get(key)

    def optional_integer(self, key: str) -> int | None:
        """Return a 64-bit integer, or None."""
        value = self.members.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
            raise self.corrupt(key)
        return value

    def optional_count(self, key: str) -> int | None:
        """Return a non-negative 64-bit integer, or None."""
        value = self.optional_integer(key)
        if value is not None and value < 0:
            raise self.corrupt(key)
        return value

    def integer(self, key: str, default: int) -> int:
        """Return a 64-bit integer, or the default."""
        value = self.optional_integer(key)
        return default if value is None else value

    def required_integer(self, key: str) -> int:
        """Return a 64-bit integer."""
        value = self.optional_integer(key)
        if value is None:
            raise self.corrupt(key)
        return value

    def text(self, key: str) -> str | None:
        """Return text, or None."""
        value = self.members.get(key)
        if value is not None and not isinstance(value, str):
            raise self.corrupt(key)
        return value

    def name(self, key: str) -> str | None:
        """Return a file name, which cannot lead out of its folder, or None."""
        value = self.text(key)
        if value is not None and (not _NAME.fullmatch(value) or value in (".", "..")):
            raise self.corrupt(key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; empty if it is absent."""
        value = self.members.get(key) or ()
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise self.corrupt(key)
        return tuple(value)

    def members_of(self, key: str) -> dict[str, object]:
        """Return the members of an inner object; empty if it is absent."""
        value = self.members.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.corrupt(key)
        return value

    def text_map(self, key: str) -> dict[str, str]:
        """Return texts by key. Numbers and booleans become text, as in Java's reader; nulls are omitted."""
        texts = {}
        for name, value in self.members_of(key).items():
            if value is None:
                continue
            if not isinstance(value, str | int | float):
                raise self.corrupt(key)
            texts[name] = value if isinstance(value, str) else str(value).lower()
        return texts
