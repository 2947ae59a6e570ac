"""The kind of a table's file, as far as its name shows it."""

from __future__ import annotations

import re

UNKNOWN = "unknown"
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("checksum", r"(?:.*/)?\.[^/]+\.crc"),
        ("metadata", r".*\.metadata\.json(?:\.gz)?"),
        ("version-hint", r"(?:.*/)?version-hint\.text"),
        ("manifest-list", r"(?:.*/)?(?:snap-[^/]*\.avro|manifest-list-[^/]*)"),
        ("manifest", r"(?:.*/)?(?:[^/]*-m\d+\.avro|(?:index-)?manifest-[^/]*)"),
        ("statistics", r"(?:.*/)?(?:stat-[^/]*|[^/]*\.stats|metadata/[^/]*\.puffin|statistics/[^/]*)"),
        ("deletes", r"(?:.*/)?(?:[^/]*-deletes\.[a-z]+|[^/]*\.puffin)"),
        ("index", r"(?:.*/)?(?:index/[^/]*|[^/]*\.index)"),
        ("changelog", r"(?:.*/)?(?:compacted-)?changelog-[^/]*\.[a-z-]+"),
        ("data", r".*\.(?:parquet|orc|avro|blob|lance|vortex)"),
    )
)


def kind_of(path: str) -> str:
    """Return the kind of a file by its path below a folder; ``unknown`` where the name does not show it."""
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(path)), UNKNOWN)
