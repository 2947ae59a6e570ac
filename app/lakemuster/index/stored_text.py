"""Escape NUL and lone surrogates in text, because databases reject them."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")


def escape(text: str) -> str:
    """Return the stored form of a text: escape the characters that databases reject."""
    return _UNSTORABLE.sub(lambda found: f"\x1b{ord(found[0]):04x}", text)


def unescape(text: str) -> str:
    """Undo :func:`escape`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\x1b" in text else text
