"""What a background job is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job.

    Attributes:
        goes_on: whether the process still holds the job and is not stopping. A run that takes long asks between its
            steps, and returns early when the process is stopping.
    """

    goes_on: Callable[[], bool]


class Job(Protocol):
    """Work that is done again and again, by one process at a time.

    Attributes:
        name: public: ``lakemuster jobs`` and the metrics show it, and it is the key of the lease.
        every_seconds: from the start of one run to the start of the next.
        first_seconds: until the first run ever.
    """

    name: str
    every_seconds: float
    first_seconds: float

    def run(self, run: Run) -> str:
        """Do the work that is due now; return what was done, in a few words.

        May raise any exception: the run has failed, and the next one comes after a pause that grows.
        """
        ...
