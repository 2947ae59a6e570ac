"""Warnings about looks that may not have found a table's current state."""

from __future__ import annotations

_DOUBTS = {
    "catalog": (
        "this folder is named by number and identifier, as a catalog names metadata files, and has no "
        "version-hint.text: the catalog knows which file is current, the folder does not; the highest number is served"
    ),
    "rivals": (
        "several metadata files have the highest version number, and no version-hint.text tells which of them is "
        "current: the last one by name is served"
    ),
}
"""Why a folder may not show a table's current state, by the suffix of a token."""


def warnings_of(token: str | None) -> tuple[str, ...]:
    """Return why the look that gave a token may not have found the table's current state."""
    _, *words = (token or "").split(":")
    return tuple(_DOUBTS[word] for word in words if word in _DOUBTS)
