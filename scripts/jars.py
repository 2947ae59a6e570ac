"""Print the paths of pinned jars, brought by Maven on first use: ``python scripts/jars.py LOCK``.

LOCK has one line a jar: ``GROUP:ARTIFACT:VERSION sha256:HEX``. Jars live outside the tree, in $MUSTER_BUILD_CACHE
(default: ~/.cache/lakemuster), each in a folder named after its digest; one with another digest is refused.
Needs ``mvn``, and runs on the standard library alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy"


def bring(coordinates: str, digest: str, cache: Path) -> Path:
    """The jar of ``GROUP:ARTIFACT:VERSION`` in ``cache``; ValueError when its SHA-256 is not ``digest``."""
    _, artifact, version = coordinates.split(":")
    name = f"{artifact}-{version}.jar"
    jar = cache / f"jar-{digest[:16]}" / name
    cache.mkdir(parents=True, exist_ok=True)
    with jar.parent.with_suffix(".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not jar.exists():
            print(f"Bringing {name} to {jar.parent}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix="jar-") as folder:
                command = ["mvn", "-q", "-B", COPY, f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"]
                subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
                brought = Path(folder) / name
                found = hashlib.sha256(brought.read_bytes()).hexdigest()
                if found != digest:
                    raise ValueError(f"{coordinates} has SHA-256 {found}, not {digest}")
                jar.parent.mkdir(exist_ok=True)
                brought.replace(jar)
    return jar


def main() -> int:
    """Print one path a line; 1 when a jar cannot be had."""
    lock = Path(sys.argv[1])
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        for line in lock.read_text("utf-8").splitlines():
            coordinates, digest = line.split()
            print(bring(coordinates, digest.removeprefix("sha256:"), cache))
    except (OSError, ValueError, subprocess.CalledProcessError) as problem:
        print(f"The jars of {lock.name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
