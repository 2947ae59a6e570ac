"""The memory that a process may use: the machine's, or the limit of its control group."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lakemuster.available_memory import available_memory

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, MACHINE),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, MACHINE),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n"}, 1 << 20),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/memory.max": "2097152\n",
                "sys/fs/cgroup/a/b/memory.max": "1048576\n",
            },
            1 << 20,
        ),
        (
            {
                "proc/self/cgroup": "3:cpu:/x\n2:hugetlb,memory:/x\n0::/\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1048576\n",
            },
            1 << 20,
        ),
        (
            {
                "proc/self/cgroup": "2:memory:/docker/of-the-host\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "1048576\n",
            },
            1 << 20,
        ),
        (
            {
                "proc/self/cgroup": "2:memory:/\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{(1 << 63) - 4096}\n",
            },
            MACHINE,
        ),
    ],
)
def test_the_lowest_limit_holds(tmp_path: Path, files: dict[str, str], expected: int) -> None:
    assert available_memory(written(tmp_path, files)) == expected


def test_this_machine_has_memory() -> None:
    assert 0 < available_memory() <= MACHINE
