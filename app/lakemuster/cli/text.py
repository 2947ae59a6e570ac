"""Format values as text for people and for ``awk``: one line, without control characters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

NOTHING = "-"
"""The text of an absent value in plain columns."""

_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_IN_PARTITION = str.maketrans({"%": "%25", "/": "%2F", "=": "%3D"})


def printable(text: str) -> str:
    """Escape control characters: names and paths are untrusted text."""
    return _OBEYED.sub(lambda found: _NAMED.get(found[0]) or _escape(found[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def cell(value: object, column: str) -> str:
    """Format a row's value in one line."""
    match value:
        case None | "":
            return NOTHING
        case str():
            return printable(value)
        case bool():
            return "true" if value else "false"
        case Mapping() if column == "partition":
            return _partition(value)
        case Mapping() | list():
            return printable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        case _:
            return str(value)


def _partition(values: Mapping[str, object]) -> str:
    """Format partition values like folder names: ``day=2024-05-01/region=eu``."""
    if not values:
        return NOTHING
    return "/".join(f"{_level(name)}={_level(value)}" for name, value in values.items())


def _level(value: object) -> str:
    if value is None:
        return "null"
    return printable((value if isinstance(value, str) else json.dumps(value)).translate(_IN_PARTITION))
