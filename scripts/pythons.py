"""Print the CPythons >= 3.11 of this machine that can create environments, oldest first: the newest of each minor.

    python scripts/pythons.py [--other | --oldest]

It searches the PATH, /usr/local/bin, /usr/bin and pyenv. ``--other`` omits the minor version of the running one,
``--oldest`` prints only the first. ``MUSTER_PYTHONS`` names other paths instead, separated by colons.
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

Version = tuple[int, ...]


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


def pythons() -> dict[tuple[int, int], Path]:
    """Return the newest Python of each minor version."""
    newest: dict[tuple[int, int], tuple[Version, Path]] = {}
    for python in dict.fromkeys(candidates()):
        version = version_of(python)
        if version is not None:
            minor = (version[0], version[1])
            if minor not in newest or version > newest[minor][0]:
                newest[minor] = (version, python)
    return {minor: python for minor, (_, python) in sorted(newest.items())}


def main() -> int:
    """Print the chosen paths."""
    found = pythons()
    if "--other" in sys.argv[1:]:
        found.pop(sys.version_info[:2], None)
    chosen = list(found.values())
    for python in chosen[:1] if "--oldest" in sys.argv[1:] else chosen:
        print(python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
