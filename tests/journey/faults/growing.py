"""Tables in a bucket that change by commits, and what each commit makes of them: the truth for every answer.

Every data file has a range of the column ``id``, exact as its bounds. The writers share no code with the readers
under test: Iceberg's and Paimon's Avro records are written by fastavro, objects by boto3.
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
"""Values of ``id`` in one file."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file; ``low`` and ``high`` are its least and greatest ``id``, both in it."""

    path: str
    part: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A committed state.

    Attributes:
        number: of the commit, counted from 0.
        files: of the table, by path.
    """

    snapshot_id: int
    number: int
    files: Mapping[str, DataFile]

    def matching(self, low: int, high: int) -> set[str]:
        """The paths of the files that hold an ``id`` of ``low`` to ``high``, both included."""
        return {path for path, one in self.files.items() if one.low <= high and low <= one.high}


class Bucket(Protocol):
    """Where a table's objects go."""

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects."""


class History:
    """A table's commits, oldest first. One thread commits, many read."""

    def __init__(self) -> None:
        self._begun: dict[int, Commit] = {}
        self._complete: list[tuple[float, Commit]] = []
        self._lock = threading.Lock()
        self._expired = 0

    def begin(self, snapshot_id: int, files: Mapping[str, DataFile]) -> None:
        """A commit that readers may see from now on."""
        with self._lock:
            self._begun[snapshot_id] = Commit(snapshot_id, len(self._begun), dict(files))

    def complete(self, snapshot_id: int) -> None:
        """A commit that readers who look from now on must see."""
        with self._lock:
            self._complete.append((time.monotonic(), self._begun[snapshot_id]))

    def expire(self, keep: int) -> None:
        """Only the newest ``keep`` commits can still be asked for."""
        with self._lock:
            self._expired = max(self._expired, len(self._complete) - keep)

    def of(self, snapshot_id: int) -> Commit | None:
        """The commit of a snapshot, also one that is not complete; None for one that nobody began."""
        with self._lock:
            return self._begun.get(snapshot_id)

    def newest(self) -> Commit:
        """The last complete commit."""
        with self._lock:
            return self._complete[-1][1]

    def retained(self) -> list[Commit]:
        """The commits that can still be asked for, oldest first."""
        with self._lock:
            return [commit for _, commit in self._complete[self._expired :]]

    def as_of(self, moment: float) -> Commit | None:
        """The newest commit that was complete at a moment, by ``time.monotonic``."""
        with self._lock:
            place = bisect.bisect_right([made_at for made_at, _ in self._complete], moment)
            return self._complete[place - 1][1] if place else None


def avro(schema: dict[str, Any], records: Iterable[dict[str, Any]], header: dict[str, str]) -> bytes:
    """A file of Avro records in blocks of some KB."""
    target = io.BytesIO()
    fastavro.writer(target, schema, list(records), codec="deflate", metadata=header, sync_interval=2_000)
    return target.getvalue()
