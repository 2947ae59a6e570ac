"""Print the path of pinned packages of npm, installed on first use: ``python scripts/npm.py FOLDER``.

FOLDER has ``package.json`` and ``package-lock.json``, which pins each package by hash and names no registry. Packages
live outside the tree, in $MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster), in a folder named after the digest of the
two files; their install scripts are not run.
Needs ``npm``, and otherwise only the standard library.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

FILES = ("package.json", "package-lock.json")
MARKER = "complete"


def bring(folder: Path, cache: Path) -> Path:
    """Return the ``node_modules`` that ``folder`` pins; an interrupted installation is started again."""
    digest = hashlib.sha256(b"\0".join((folder / name).read_bytes() for name in FILES))
    place = cache / f"npm-{digest.hexdigest()[:16]}"
    if not (place / MARKER).exists():
        cache.mkdir(parents=True, exist_ok=True)
        with place.with_suffix(".lock").open("w") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            if not (place / MARKER).exists():
                _install(folder, place)
    return place / "node_modules"


def _install(folder: Path, place: Path) -> None:
    print(f"Installing the packages of {folder.name} in {place}", file=sys.stderr, flush=True)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in FILES:
        shutil.copyfile(folder / name, place / name)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    (place / MARKER).touch()


def main() -> int:
    """Print the path; return 1 if the packages cannot be fetched."""
    folder = Path(sys.argv[1]).resolve()
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        print(bring(folder, cache))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"The packages of {folder.name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
