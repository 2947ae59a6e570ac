"""The names of the table formats that this process knows, for code that needs only the names.

``formats.registry.register`` adds to them.
"""

from __future__ import annotations

_NAMES = ["iceberg", "paimon"]


def format_names() -> tuple[str, ...]:
    """Return the names, sorted."""
    return tuple(sorted(_NAMES))


def add_format_name(name: str) -> None:
    """Add a name; adding it again is not an error."""
    if name not in _NAMES:
        _NAMES.append(name)
