"""Print the path of a Chromium: ``python scripts/chromium.py``.

$MUSTER_CHROMIUM names one; otherwise the first installed one is used. If there is none, Debian's is installed, if
permitted: it has some 200 dependencies, so it is not unpacked beside them. Processes that need it at the same time wait
for one installation. Needs only the standard library.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOCK_TIMEOUT = "-oDPkg::Lock::Timeout=300"
"""Seconds for which apt-get waits for dpkg's lock, which another program of the machine may hold."""
ADVICE = (
    "No Chromium is installed, and this may not install one. As root: apt-get install --no-install-recommends "
    "chromium. Or name the path of any Chromium in MUSTER_CHROMIUM."
)


def installed() -> str | None:
    """Return the path of an installed browser; None if there is none."""
    return os.environ.get("MUSTER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    """Install Debian's chromium unless another process just did; CalledProcessError if apt-get fails."""
    # The lock that debian.py takes too: apt-get fails if another apt-get runs.
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "apt-get.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if installed() is None:
            _install()


def _install() -> None:
    print("Installing Debian's chromium", file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "-qq", LOCK_TIMEOUT, "update"],
        ["apt-get", "-qq", LOCK_TIMEOUT, "install", "--yes", "--no-install-recommends", "chromium"],
    )
    for command in commands:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


def main() -> int:
    """Print the path; return 1, with advice, if there is none."""
    # Also if a browser is there: another process may still be installing it.
    if "MUSTER_CHROMIUM" not in os.environ and os.geteuid() == 0 and shutil.which("apt-get"):
        try:
            install()
        except (OSError, subprocess.CalledProcessError) as problem:
            print(problem, file=sys.stderr)
    found = installed()
    print(found or ADVICE, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
