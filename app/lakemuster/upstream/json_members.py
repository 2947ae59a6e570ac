"""Read and replace single members of a JSON object, as spans of its text.

The other members are not parsed, so unknown fields and numbers keep their spelling, and reading one member of a large
document takes no memory for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

from lakemuster.upstream.json_nesting import end_of_nested

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^,}\]\s]+")


class NotAnObject(ValueError):
    """The text is not a JSON object."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object.

    Attributes:
        start, end: the span of its value in the text.
    """

    name: str
    start: int
    end: int


def members(text: bytes) -> Iterator[Member]:
    """Yield the members of an object in order.

    Raises:
        NotAnObject: the part of the text that was scanned is not a JSON object. Values are not validated.
    """
    at = _after(_SPACE, text, 0)
    if text[at : at + 1] != b"{":
        raise NotAnObject("the document is not a JSON object")
    at = _after(_SPACE, text, at + 1)
    if text[at : at + 1] == b"}":
        return
    while True:
        name = _STRING.match(text, at)
        if name is None:
            raise NotAnObject("a member's name is missing")
        at = _after(_SPACE, text, name.end())
        if text[at : at + 1] != b":":
            raise NotAnObject("a member's value is missing")
        start = _after(_SPACE, text, at + 1)
        end = _end_of_value(text, start)
        yield Member(orjson.loads(name[0]), start, end)
        at = _after(_SPACE, text, end)
        if text[at : at + 1] == b"}":
            return
        if text[at : at + 1] != b",":
            raise NotAnObject("the object does not end")
        at = _after(_SPACE, text, at + 1)


def member(text: bytes, name: str) -> object | None:
    """Return the parsed value of the first member of that name, or None. The text after it is not scanned.

    Raises:
        NotAnObject: the text is not a JSON object, or the value is not JSON.
    """
    found = next((found for found in members(text) if found.name == name), None)
    return None if found is None else _value(text, found)


class JsonObject:
    """A JSON object whose text is scanned once, for access to several members.

    Raises:
        NotAnObject: the text is not a JSON object.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._members = tuple(members(text))

    def get(self, name: str) -> object | None:
        """Return the parsed value of the first member of that name, or None.

        Raises:
            NotAnObject: the value is not JSON.
        """
        found = next((found for found in self._members if found.name == name), None)
        return None if found is None else _value(self._text, found)

    def with_members(self, changes: Mapping[str, object]) -> bytes:
        """Return the text with new values of some members; members that it lacks are inserted at its start."""
        text, replaced = self._text, list[bytes]()
        at = inserted = text.index(b"{") + 1
        missing = dict(changes)
        for found in self._members:
            if found.name in changes:
                replaced += [text[at : found.start], orjson.dumps(changes[found.name])]
                at = found.end
                missing.pop(found.name, None)
        added = orjson.dumps(missing)[1:-1]
        comma = b"," if missing and self._members else b""
        return b"".join([text[:inserted], added, comma, *replaced, text[at:]])


def _value(text: bytes, found: Member) -> object:
    try:
        value: object = orjson.loads(text[found.start : found.end])
    except orjson.JSONDecodeError:
        raise NotAnObject(f"the value of {found.name} is not JSON") from None
    return value


def _after(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _end_of_value(text: bytes, start: int) -> int:
    first = text[start : start + 1]
    if first == b'"':
        string = _STRING.match(text, start)
        if string is None:
            raise NotAnObject("a string does not end")
        return string.end()
    if first not in {b"{", b"["}:
        scalar = _SCALAR.match(text, start)
        if scalar is None:
            raise NotAnObject("a value is missing")
        return scalar.end()
    end = end_of_nested(text, start)
    if end is None:
        raise NotAnObject("a value does not end")
    return end
