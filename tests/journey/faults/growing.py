"""Tables in a bucket that change by commits, and the files of each commit: the expected value of every response.

Every data file has a range of the column ``id``, equal to its bounds. The writers share no code with the readers
under test: fastavro writes the Avro records of Iceberg and Paimon, boto3 the objects.
"""

from __future__ import annotations

import bisect
import io
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import fastavro

FIRST_COMMIT_MS = 1_717_200_000_000
RANGE = 100
"""The number of ``id`` values in one file."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file; ``low`` and ``high`` are its least and greatest ``id``, both inclusive."""

    path: str
    part: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A committed state of a table.

    Attributes:
        number: the commit's position, counted from 0.
        files: the table's files, by path.
    """

    snapshot_id: int
    number: int
    files: Mapping[str, DataFile]

    def matching(self, low: int, high: int) -> set[str]:
        """Return the paths of the files that hold an ``id`` from ``low`` to ``high``, both inclusive."""
        return {path for path, one in self.files.items() if one.low <= high and low <= one.high}


class Bucket(Protocol):
    """The destination of a table's objects."""

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects."""


class History:
    """A table's commits, oldest first. One thread commits, many read."""

    def __init__(self) -> None:
        self._begun: dict[int, Commit] = {}
        self._complete: list[tuple[float, Commit]] = []
        self._lock = threading.Lock()
        self._expired = 0

    def begin(self, snapshot_id: int, files: Mapping[str, DataFile]) -> None:
        """Record a commit that readers may see from now on."""
        with self._lock:
            self._begun[snapshot_id] = Commit(snapshot_id, len(self._begun), dict(files))

    def complete(self, snapshot_id: int) -> None:
        """Record that a commit is published: later reads must see it."""
        with self._lock:
            self._complete.append((time.monotonic(), self._begun[snapshot_id]))

    def expire(self, keep: int) -> None:
        """Keep only the newest ``keep`` commits readable."""
        with self._lock:
            self._expired = max(self._expired, len(self._complete) - keep)

    def of(self, snapshot_id: int) -> Commit | None:
        """Return the commit of a snapshot, complete or not; None for an unknown id."""
        with self._lock:
            return self._begun.get(snapshot_id)

    def newest(self) -> Commit:
        """Return the last complete commit."""
        with self._lock:
            return self._complete[-1][1]

    def retained(self) -> list[Commit]:
        """Return the commits that can still be read, oldest first."""
        with self._lock:
            return [commit for _, commit in self._complete[self._expired :]]

    def as_of(self, moment: float) -> Commit | None:
        """Return the newest commit that was complete at ``moment``, a time of ``time.monotonic``."""
        with self._lock:
            place = bisect.bisect_right([made_at for made_at, _ in self._complete], moment)
            return self._complete[place - 1][1] if place else None


def avro(schema: dict[str, Any], records: Iterable[dict[str, Any]], header: dict[str, str]) -> bytes:
    """Return an Avro file with blocks of about 2 KB."""
    target = io.BytesIO()
    fastavro.writer(target, schema, list(records), codec="deflate", metadata=header, sync_interval=2_000)
    return target.getvalue()
