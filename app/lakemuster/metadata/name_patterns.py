"""Patterns of namespaces: dotted names, in which ``*`` within a level matches any characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakemuster.metadata.names import Levels


def level_matches(pattern: str, level: str) -> bool:
    """Return whether one level of a name matches that of a pattern."""
    if "*" not in pattern:
        return pattern == level
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), level, re.DOTALL) is not None


def is_within(table: Sequence[str], namespace: Levels) -> bool:
    """Return whether a table is in a namespace that matches a pattern, or below it."""
    return len(table) > len(namespace) and all(map(level_matches, namespace, table))
