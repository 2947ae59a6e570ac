"""Print the CPythons >= 3.11 of this machine that can create environments, oldest first: the newest of each minor.

    python scripts/pythons.py [--other | --oldest | --locks]

It searches the PATH, /usr/local/bin, /usr/bin and pyenv. ``--other`` omits the minor version of the running one,
``--oldest`` prints only the first. ``--locks`` prints pairs of a lock file and a Python for ``make test``: each other
Python is in one, and one has the lowest versions. ``MUSTER_PYTHONS`` names other paths instead, separated by colons.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_FITS = """
import sys, venv, ensurepip
if sys.version_info >= (3, 11) and sys.version_info.releaselevel == "final" and sys.implementation.name == "cpython":
    print(*sys.version_info[:3])
"""

NEWEST, LOWEST = "requirements.lock", "requirements-lowest.lock"
LAST_OF_LOWEST = (3, 12)
"""The last Python for which all of the lowest versions have wheels."""

Version = tuple[int, ...]
Minor = tuple[int, int]


def candidates() -> Iterator[Path]:
    """Yield paths of possible Pythons."""
    if named := os.environ.get("MUSTER_PYTHONS"):
        yield from map(Path, named.split(":"))
        return
    # In a virtual environment, its base interpreter.
    yield Path(sys.base_prefix) / "bin" / "python3"
    folders = [*os.environ.get("PATH", "").split(":"), "/usr/local/bin", "/usr/bin"]
    for folder in dict.fromkeys(folders):
        yield from sorted(Path(folder or ".").glob("python3.[0-9]*"))
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob("versions/*/bin/python3"))


def version_of(python: Path) -> Version | None:
    """Return the version of a Python; None if it does not start, is too old, or lacks ``venv``."""
    if python.name.endswith("-config"):
        return None
    try:
        done = subprocess.run([python, "-I", "-c", _FITS], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return tuple(map(int, done.stdout.split())) or None if done.returncode == 0 else None


def pythons() -> dict[Minor, Path]:
    """Return the newest Python of each minor version."""
    newest: dict[Minor, tuple[Version, Path]] = {}
    for python in dict.fromkeys(candidates()):
        version = version_of(python)
        if version is not None:
            minor = (version[0], version[1])
            if minor not in newest or version > newest[minor][0]:
                newest[minor] = (version, python)
    return {minor: python for minor, (_, python) in sorted(newest.items())}


def with_locks(found: dict[Minor, Path], running: Minor) -> list[tuple[str, Path]]:
    """Return pairs of a lock file and a Python: each other Python once, one Python with the lowest versions.

    Args:
        running: the version that runs all tests with the newest versions.
    """
    lowest = max((minor for minor in found if minor <= LAST_OF_LOWEST), default=min(found))
    newest = [minor for minor in found if minor not in {running, lowest}]
    return [(LOWEST, found[lowest]), *((NEWEST, found[minor]) for minor in newest)]


def main() -> int:
    """Print the chosen paths."""
    found, running = pythons(), sys.version_info[:2]
    match sys.argv[1:]:
        case ["--locks"]:
            lines = [f"{lock}:{python}" for lock, python in with_locks(found, running)]
        case ["--other"]:
            lines = [str(python) for minor, python in found.items() if minor != running]
        case ["--oldest"]:
            lines = [str(found[min(found)])]
        case _:
            lines = [str(python) for python in found.values()]
    print(*lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
