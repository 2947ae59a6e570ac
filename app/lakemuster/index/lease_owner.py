"""Who holds a lease: a name that tells, on the same machine, whether its process still lives.

So a restart after a crash need not wait for the lease of its dead predecessor to expire.
"""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

_PROC = Path("/proc")


def new_owner() -> str:
    """A name for one holding of a lease by this process, like no other."""
    return f"{uuid4().hex} {_place()} {os.getpid()} {_start_time(os.getpid())}"


def is_dead(holder: str) -> bool:
    """Whether the holder's process is known to have ended; False where that cannot be told."""
    try:
        _, place, pid, started = holder.split(" ")
        number = int(pid)
    except ValueError:
        return False
    return place not in ("", "-") and place == _place() and _start_time(number) != started


def _place() -> str:
    """The boot of this machine, and what its process ids count in; ``-`` where the system does not say."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return "-"


def _start_time(pid: int) -> str:
    """When a process began, in ticks since the boot: ids are used again, pairs are not. ``-`` when it is no more."""
    try:
        after_name = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return "-"
    state, started = after_name[0], after_name[19]
    return "-" if state in (b"Z", b"X") else started.decode("ascii")
