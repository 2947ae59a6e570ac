"""The parameters of a search for orphan files, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.files import INSTANT, typed_field

DAY_MS = 86_400_000
DEFAULT_AGE_MS = 3 * DAY_MS
SHORTEST_AGE_MS = DAY_MS
DEPTH = 2

ORPHANS = pa.schema(
    [
        pa.field("file_path", pa.string()),
        pa.field("file_size_in_bytes", pa.int64()),
        typed_field("modified_at", pa.timestamp("ms", "UTC"), INSTANT),
        pa.field("kind", pa.string()),
        pa.field("folder", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class OrphanSearch:
    """A search below a location.

    Attributes:
        older_than_ms: the minimum age of an orphan: writers write files before they commit them.
        inventory: an S3 inventory to use in place of a listing: its ``manifest.json``, or a Parquet file of it.
        index: first index the snapshots that are not indexed.
        depth: the number of folder levels below the location by which orphans are grouped.

    Raises:
        RequestInvalid: the age is too low.
    """

    location: str
    older_than_ms: int = DEFAULT_AGE_MS
    inventory: str | None = None
    index: bool = False
    depth: int = DEPTH
    may_be_recent: bool = False

    def __post_init__(self) -> None:
        if self.older_than_ms < 0 or (self.older_than_ms < SHORTEST_AGE_MS and not self.may_be_recent):
            raise RequestInvalid("an age below one day would report files of commits that are going on")


@dataclass(slots=True)
class Sums:
    """A number of files, and their bytes."""

    files: int = 0
    bytes: int = 0

    def add(self, files: int, size: int) -> None:
        """Add files."""
        self.files += files
        self.bytes += size


@dataclass(slots=True)
class OrphanReport:
    """The result of a search.

    Attributes:
        now_ms: the time of the listing, which ages are relative to, in milliseconds since the Unix epoch.
        clock: the source of that time: ``store``, ``inventory``, or ``host`` for stores that report none.
        tables: the tables that share the location.
        listed: all objects below the location.
        recent: objects that are too young to be orphans, referenced or not.
        undated: objects whose age storage does not report.
        unnamed: objects whose names are not valid text; no other figure includes them.
        links: local symbolic links, which are never orphans.
    """

    location: str
    now_ms: int
    clock: str
    older_than_ms: int
    tables: tuple[str, ...] = ()
    listed: Sums = field(default_factory=Sums)
    recent: Sums = field(default_factory=Sums)
    undated: Sums = field(default_factory=Sums)
    orphans: Sums = field(default_factory=Sums)
    unnamed: int = 0
    links: int = 0
    references: int = 0
    kinds: dict[str, Sums] = field(default_factory=dict)
    folders: dict[str, Sums] = field(default_factory=dict)


def largest_first(sums: Mapping[str, Sums]) -> list[tuple[str, Sums]]:
    """Return sums by name, those with the most bytes first."""
    return sorted(sums.items(), key=lambda one: (-one[1].bytes, -one[1].files, one[0]))
