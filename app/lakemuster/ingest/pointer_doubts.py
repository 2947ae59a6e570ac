"""Warnings about looks that may not have found a table's current state."""

from __future__ import annotations


def warnings_of(token: str | None) -> tuple[str, ...]:
    """Return the reasons why the look that returned a token may have missed the table's current state."""
    _, *words = (token or "").split(":")
    if not words:
        return ()
    # Deferred: listing a local index's tables seldom needs the formats, and importing them takes a third of a second.
    from lakemuster.formats.registry import table_formats  # noqa: PLC0415

    return tuple(port.doubts[word] for word in words for port in table_formats() if word in port.doubts)
