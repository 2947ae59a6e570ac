"""Warnings about looks that may not have found a table's current state."""

from __future__ import annotations

from lakemuster.formats.registry import table_formats


def warnings_of(token: str | None) -> tuple[str, ...]:
    """Return why the look that gave a token may not have found the table's current state."""
    _, *words = (token or "").split(":")
    return tuple(port.doubts[word] for word in words for port in table_formats() if word in port.doubts)
