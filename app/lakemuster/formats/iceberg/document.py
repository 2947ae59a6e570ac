"""Read typed members of parsed JSON; errors name a member's path.

Paths are written as in ``snapshots[3].snapshot-id``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from lakemuster.errors import LimitExceeded, MetadataCorrupt

Object = Mapping[str, object]

MAX_DEPTH = 64
"""The most levels of nesting in a schema, or in a part that is stored as JSON."""


def wrong(path: str, wanted: str, found: object) -> MetadataCorrupt:
    """Return the error for a member of the wrong type."""
    path = path[:200]  # names come from the document
    return MetadataCorrupt(f"{path} is not {wanted}: {found!r:.80}", path=path)


def as_object(value: object, path: str) -> Object:
    """Return the value if it is a JSON object; else raise the error of :func:`wrong`, as the functions below do."""
    if isinstance(value, dict):
        return value
    raise wrong(path, "an object", value)


def as_list(value: object, path: str) -> list[object]:
    """Return the value if it is a JSON array."""
    if isinstance(value, list):
        return value
    raise wrong(path, "a list", value)


def as_int(value: object, path: str) -> int:
    """Return the value if it is a 64-bit integer; a boolean is none."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    raise wrong(path, "a 64-bit integer", value)


def as_int32(value: object, path: str) -> int:
    """Return the value if it is a 32-bit integer, such as the id of a field, schema, spec or order."""
    if type(value) is int and -(2**31) <= value < 2**31:
        return value
    raise wrong(path, "a 32-bit integer", value)


def as_text(value: object, path: str) -> str:
    """Return the value if it is a string."""
    if isinstance(value, str):
        return value
    raise wrong(path, "a string", value)


def optional_int(owner: Object, key: str, path: str) -> int | None:
    """Return a 64-bit integer member; None if it is absent or null."""
    value = owner.get(key)
    return None if value is None else as_int(value, f"{path}{key}")


def optional_int32(owner: Object, key: str, path: str) -> int | None:
    """Return a 32-bit integer member; None if it is absent or null."""
    value = owner.get(key)
    return None if value is None else as_int32(value, f"{path}{key}")


def optional_text(owner: Object, key: str, path: str) -> str | None:
    """Return a string member; None if it is absent or null."""
    value = owner.get(key)
    return None if value is None else as_text(value, f"{path}{key}")


def optional_list(owner: Object, key: str, path: str) -> list[object]:
    """Return a list member; empty if it is absent or null."""
    value = owner.get(key)
    return [] if value is None else as_list(value, f"{path}{key}")


def texts(value: object, path: str) -> dict[str, str]:
    """Return a map of strings; scalars that a writer left unquoted become their JSON text."""
    if value is None:
        return {}
    found: dict[str, str] = {}
    for key, item in as_object(value, path).items():
        if isinstance(item, str):
            found[key] = item
        elif isinstance(item, bool | int | float):
            found[key] = json.dumps(item)
        elif item is not None:
            raise wrong(f"{path}.{key}", "a string", item)
    return found


def stored_unread(value: object, path: str) -> object:
    """Return a part that is stored unchanged, after a check of its depth.

    Raises:
        LimitExceeded: it is nested too deep.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return value
    path = path[:200]
    raise LimitExceeded(f"{path} is nested more than {MAX_DEPTH} levels deep", path=path)
