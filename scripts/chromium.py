"""Print the path of a Chromium: ``python scripts/chromium.py``.

$MUSTER_CHROMIUM names one; otherwise the first installed one is used. If there is none, Debian's is installed, if
permitted: it has some 200 dependencies, so it is not unpacked beside them. Needs only the standard library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ADVICE = (
    "No Chromium is installed, and this may not install one. As root: apt-get install --no-install-recommends "
    "chromium. Or name the path of any Chromium in MUSTER_CHROMIUM."
)


def installed() -> str | None:
    """Return the path of an installed browser; None if there is none."""
    return os.environ.get("MUSTER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    """Install Debian's chromium; CalledProcessError if apt-get fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "-qq", "update"],
        ["apt-get", "-qq", "install", "--yes", "--no-install-recommends", "chromium"],
    )
    for command in commands:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


def main() -> int:
    """Print the path; return 1, with advice, if there is none."""
    if installed() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian's chromium", file=sys.stderr, flush=True)
        try:
            install()
        except subprocess.CalledProcessError as problem:
            print(problem, file=sys.stderr)
    found = installed()
    print(found or ADVICE, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
