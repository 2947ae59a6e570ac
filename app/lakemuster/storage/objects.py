"""Arguments, results and counters of an object store."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass

from lakemuster.measures import Measure


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One object or folder.

    Attributes:
        location: the full location, in the caller's spelling.
        name: the last path segment.
        size: in bytes; 0 for folders.
        modified_ms: Unix epoch milliseconds; None if storage does not report it (folders of object stores).
    """

    location: str
    name: str
    size: int
    is_folder: bool
    modified_ms: int | None


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One object to read.

    Attributes:
        expected_length: in bytes; None if metadata does not record it.
        exact: whether an object of another length is corrupt; otherwise the length only estimates memory.
    """

    location: str
    expected_length: int | None = None
    exact: bool = True


class Counts:
    """Counters of a store's operations since its creation. An operation may take several requests.

    Attributes:
        operations: duration of each completed operation in seconds, by kind (``read``, ``stat``, ``list``) and outcome.
    """

    def __init__(self) -> None:
        self.operations = Measure("kind", "outcome")
        self._lock = threading.Lock()
        self.reads = 0
        self.stats = 0
        self.lists = 0
        self.bytes = 0

    def add(self, *, reads: int = 0, stats: int = 0, lists: int = 0, bytes: int = 0) -> None:
        """Add to the counters; thread-safe."""
        with self._lock:
            self.reads += reads
            self.stats += stats
            self.lists += lists
            self.bytes += bytes

    def operation(self, kind: str, since: float | None = None) -> AbstractContextManager[None]:
        """Record the block as an operation, or as the end of one that began at ``since`` by ``time.perf_counter``."""
        return self.operations.timed(kind, since=since)

    def __repr__(self) -> str:
        return f"Counts(reads={self.reads}, stats={self.stats}, lists={self.lists}, bytes={self.bytes})"
