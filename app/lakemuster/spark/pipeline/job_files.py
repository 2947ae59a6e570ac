"""The files of a job, stored beside the segments: the parts for its tasks, and their outcomes.

With files, a job can have any number of parts without sending their bytes with each task, and the driver learns of each
part as soon as it is done, in classic and Connect sessions. Files appear whole; a task that runs twice writes its file
twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lakemuster.errors import ConfigInvalid, IndexUnavailable, SegmentMissing
from lakemuster.index.segment_store import SegmentStore
from lakemuster.spark.pipeline.outages import through_outages

FOLDER = "jobs"
ONE_PLACE = "SEGMENTS_URL must be one place for the driver and all executors"


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The files of one job.

    Attributes:
        job: the job's name, with which the names of its files begin.
    """

    segments: SegmentStore
    job: str

    def write_part(self, number: int, part: bytes) -> bytes:
        """Write the part of a task; return its digest, which executors verify."""
        through_outages(lambda: self.segments.write(self._key(number, "part"), part))
        return hashlib.sha256(part).digest()

    def read_part(self, number: int, digest: bytes) -> bytes:
        """Read a part.

        Raises:
            ConfigInvalid: it is not in this segment store.
            IndexUnavailable: it cannot be read, or is not the driver's.
        """
        try:
            part = through_outages(lambda: self.segments.read(self._key(number, "part")))
        except SegmentMissing as cause:
            raise ConfigInvalid(f"an executor does not find its part of the job: {ONE_PLACE}") from cause
        if hashlib.sha256(part).digest() != digest:
            raise IndexUnavailable("a job's file in the segment store is not the one that the driver wrote")
        return part

    def write_outcomes(self, number: int, outcomes: bytes) -> None:
        """Write the outcomes of a part."""
        through_outages(lambda: self.segments.write(self._key(number, "done"), outcomes))

    def read_outcomes(self, number: int) -> bytes:
        """Read the outcomes of a part."""
        return through_outages(lambda: self.segments.read(self._key(number, "done")))

    def done(self) -> set[int]:
        """Return the numbers of the parts that are done."""
        keys = through_outages(self._keys)
        words = (key.rpartition("/")[2].rpartition("-")[2].partition(".") for key in keys)
        return {int(number) for number, _, kind in words if kind == "done"}

    def delete(self, run: Callable[[Callable[[str], None], Iterable[str]], Iterable[None]] = map) -> None:
        """Delete the job's files.

        Args:
            run: applies a function to each key, as ``map`` does.
        """
        for _ in run(self.segments.delete, self._keys()):
            pass

    def _key(self, number: int, kind: str) -> str:
        return f"{FOLDER}/{self.job}-{number}.{kind}"

    def _keys(self) -> list[str]:
        return [key for key in self.segments.keys(FOLDER) if key.rpartition("/")[2].startswith(f"{self.job}-")]
