"""The interface of a background job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job.

    Attributes:
        goes_on: whether the process still holds the job and is not stopping. A long run calls it between its steps, and
            returns early if it is false.
    """

    goes_on: Callable[[], bool]


class Job(Protocol):
    """Periodic work, done by one process at a time.

    Attributes:
        name: public: ``lakemuster jobs`` and the metrics show it, and it is the key of the lease.
        every_seconds: the interval from the start of one run to the start of the next.
        first_seconds: the delay before the first run ever.
    """

    name: str
    every_seconds: float
    first_seconds: float

    def run(self, run: Run) -> str:
        """Do the work that is due now; return a short description of what was done.

        Any exception means that the run has failed: the next one starts after an increasing pause.
        """
        ...
