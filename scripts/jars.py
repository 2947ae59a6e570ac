"""Print the paths of pinned jars, fetched by Maven on first use: ``python scripts/jars.py LOCK``.

LOCK has one line per jar: ``GROUP:ARTIFACT:VERSION sha256:HEX``. ``GROUP:ARTIFACT:VERSION:tar.gz`` is an archive, which
is unpacked; its path is that of the one folder in it, renamed ``ARTIFACT-VERSION``. Jars live outside the tree, in
$MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster), each in a folder named after its digest; a jar with another digest
is refused.
Needs ``mvn``, and otherwise only the standard library.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy"


def bring(coordinates: str, digest: str, cache: Path) -> Path:
    """The jar or unpacked archive of ``coordinates`` in ``cache``; ValueError if its SHA-256 is not ``digest``."""
    _, artifact, version, *packaging = coordinates.split(":")
    stem = f"{artifact}-{version}"
    name = f"{stem}.{packaging[0] if packaging else 'jar'}"
    place = cache / f"jar-{digest[:16]}" / (stem if packaging else name)
    cache.mkdir(parents=True, exist_ok=True)
    with place.parent.with_suffix(".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not place.exists():
            print(f"Bringing {name} to {place.parent}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix="jar-") as folder:
                command = ["mvn", "-q", "-B", COPY, f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"]
                subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
                brought = Path(folder) / name
                with brought.open("rb") as content:
                    found = hashlib.file_digest(content, "sha256").hexdigest()
                if found != digest:
                    raise ValueError(f"{coordinates} has SHA-256 {found}, not {digest}")
                if packaging:
                    with tarfile.open(brought) as archive:
                        archive.extractall(folder, filter="data")
                    [brought] = [entry for entry in Path(folder).iterdir() if entry.is_dir()]
                place.parent.mkdir(exist_ok=True)
                brought.replace(place)
    return place


def main() -> int:
    """Print one path per line; return 1 if a jar cannot be fetched."""
    lock = Path(sys.argv[1])
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        for line in lock.read_text("utf-8").splitlines():
            coordinates, digest = line.split()
            print(bring(coordinates, digest.removeprefix("sha256:"), cache))
    except (OSError, ValueError, tarfile.TarError, subprocess.CalledProcessError) as problem:
        print(f"The jars of {lock.name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
