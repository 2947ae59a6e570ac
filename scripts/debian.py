"""Print the folder of an unpacked Debian package, downloaded on first use: ``python scripts/debian.py NAME``.

Nothing is installed: the package is unpacked outside the tree, in $MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster),
in a folder named after it. apt-get checks its signature. Needs ``apt-get`` and ``dpkg``, and otherwise only the
standard library.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def bring(name: str, cache: Path) -> Path:
    """Return the folder of an unpacked package; CalledProcessError if it cannot be fetched."""
    place = cache / f"debian-{name}"
    cache.mkdir(parents=True, exist_ok=True)
    # The lock that chromium.py takes too: apt-get fails if another apt-get runs.
    with (cache / "apt-get.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not place.exists():
            print(f"Bringing Debian's {name} to {cache}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix="debian-") as temporary:
                folder = Path(temporary)
                _download(name, folder)
                (archive,) = folder.glob("*.deb")
                _run(["dpkg", "-x", str(archive), "unpacked"], folder)
                (folder / "unpacked").replace(place)
    return place


def _download(name: str, folder: Path) -> None:
    try:
        _run(["apt-get", "-qq", "download", name], folder)
    except subprocess.CalledProcessError:
        # The package lists may be missing or outdated.
        _run(["apt-get", "-qq", "update"], folder)
        _run(["apt-get", "-qq", "download", name], folder)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


def main() -> int:
    """Print the folder; return 1 if the package cannot be fetched."""
    name = sys.argv[1]
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        print(bring(name, cache))
    except (OSError, ValueError, subprocess.CalledProcessError) as problem:
        print(f"Debian's package {name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
