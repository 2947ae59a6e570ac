"""Lease owners: names of lease holders that show, on the same machine, whether the holder's process is alive.

So after a crash, a restarted process need not wait until the lease of its predecessor expires.
"""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

_PROC = Path("/proc")
_ENDED, _HIDDEN = "-", "?"


def new_owner() -> str:
    """Return a unique owner name for one acquisition of a lease by this process."""
    return f"{uuid4().hex} {_place()} {os.getpid()} {_start_time(os.getpid())}"


def is_dead(holder: str) -> bool:
    """Tell whether the holder's process is known to have ended; False if this cannot be determined."""
    try:
        _, place, pid, started = holder.split(" ")
        number = int(pid)
    except ValueError:
        return False
    return place not in ("", "-") and place == _place() and _start_time(number) not in (started, _HIDDEN)


def _place() -> str:
    """Return the boot id of this machine and the pid namespace of this process; ``-`` if the system has none."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return "-"


def _start_time(pid: int) -> str:
    """Return a process's start in ticks since boot, which distinguishes reused pids; or ``_ENDED`` or ``_HIDDEN``."""
    try:
        after_name = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return _HIDDEN if _exists(pid) else _ENDED
    state, started = after_name[0], after_name[19]
    return _ENDED if state in (b"Z", b"X") else started.decode("ascii")


def _exists(pid: int) -> bool:
    """Tell whether a process exists, although /proc may hide those of other users (its mount option hidepid)."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
