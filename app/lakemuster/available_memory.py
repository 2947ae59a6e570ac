"""How much memory this process may use: the machine's, or less where a control group limits it.

Source: Linux kernel documentation, ``admin-guide/cgroup-v2`` (``memory.max``) and ``admin-guide/cgroup-v1/memory``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def available_memory(root: Path = Path("/")) -> int:
    """Return bytes: the lowest of the machine's memory and the limits of the process's control groups.

    Args:
        root: where ``proc`` and ``sys`` are.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_limits(root)])


def _limits(root: Path) -> Iterator[int]:
    """Yield the limits of the process's control groups and of all groups above them."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mount, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            mount, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container the path may be that outside; its own group is then mounted as the root.
        group = mount / path.lstrip("/")
        for folder in (group, *group.parents):
            limit = _text(folder / name).strip()
            if limit.isdecimal():
                yield int(limit)
            if folder == mount:
                break


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
