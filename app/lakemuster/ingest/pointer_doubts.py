"""Warnings about looks that may not have found a table's current state."""

from __future__ import annotations


def warnings_of(token: str | None) -> tuple[str, ...]:
    """Return why the look that gave a token may not have found the table's current state."""
    _, *words = (token or "").split(":")
    if not words:
        return ()
    # Deferred: the list of a local index's tables seldom needs the formats, and takes a third of a second less.
    from lakemuster.formats.registry import table_formats  # noqa: PLC0415

    return tuple(port.doubts[word] for word in words for port in table_formats() if word in port.doubts)
