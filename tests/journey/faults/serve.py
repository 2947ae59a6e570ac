"""``lakemuster`` with an adjustable wall clock: ``python -m tests.journey.faults.serve serve …``.

``MUSTER_CLOCK`` names a file of eight bytes: the offset of the wall clock in seconds, a double. ``MUSTER_SWEEP`` is
the interval between two sweeps of the segment store and the minimum age of a swept segment, both in seconds.
``MUSTER_PLANTED`` names a planted bug, see ``planted``.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from pathlib import Path

CLOCK = "MUSTER_CLOCK"
SWEEP = "MUSTER_SWEEP"
PLANTED = "MUSTER_PLANTED"
_real, _real_ns = time.time, time.time_ns
_OFFSET = struct.Struct("d")


def set_offset(clock: Path, seconds: float) -> None:
    """Set the wall clock's offset in the servers that use this file."""
    with clock.open("r+b" if clock.exists() else "w+b") as file:
        file.write(_OFFSET.pack(seconds))


def _use(clock: str) -> None:
    with open(clock, "rb") as file:
        offset = mmap.mmap(file.fileno(), _OFFSET.size, access=mmap.ACCESS_READ)

    def ahead() -> float:
        return float(_OFFSET.unpack(offset[:])[0])

    time.time = lambda: _real() + ahead()
    time.time_ns = lambda: _real_ns() + round(ahead() * 1e9)


def _sweep(every: float, grace: float) -> None:
    from lakemuster.jobs.sweeping import SweepSegments

    defaults = SweepSegments.__init__.__kwdefaults__
    assert defaults is not None
    defaults.update(every_seconds=every, first_seconds=every, grace_seconds=grace)


def main() -> None:
    """Run the command line."""
    if clock := os.environ.pop(CLOCK, ""):
        _use(clock)
    if sweep := os.environ.pop(SWEEP, ""):
        _sweep(*map(float, sweep.split()))
    if name := os.environ.pop(PLANTED, ""):
        from tests.journey.faults.planted import FAULTS

        FAULTS[name].plant()
    from lakemuster.cli import app

    app()


if __name__ == "__main__":
    main()
