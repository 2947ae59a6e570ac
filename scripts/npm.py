"""Print the folder of a pinned npm package, fetched on first use: ``python scripts/npm.py LOCK NAME``.

LOCK has one line per package: ``NAME@VERSION sha512-BASE64``, npm's own integrity text. Packages are unpacked outside
the tree, in $MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster), each in a folder named after its digest; one with
another digest is refused. Nothing of a package is run. Needs ``npm``, and otherwise only the standard library.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pin:
    """A line of a lock."""

    name: str
    version: str
    integrity: str

    @classmethod
    def of(cls, line: str) -> Pin:
        """The pin that a line states; ValueError for any other."""
        package, integrity = line.split()
        name, at, version = package.rpartition("@")
        if not (name and at and version and integrity.startswith("sha512-")):
            raise ValueError(f"not NAME@VERSION sha512-BASE64: {line}")
        return cls(name, version, integrity)

    def place(self, cache: Path) -> Path:
        """The folder of the unpacked package."""
        digest = base64.b64decode(self.integrity.removeprefix("sha512-")).hex()
        return cache / f"npm-{self.name.replace('/', '-')}-{self.version}-{digest[:16]}"


def pins(lock: Path) -> dict[str, Pin]:
    """What a lock pins, by name."""
    found = [Pin.of(line) for line in lock.read_text("utf-8").splitlines()]
    return {pin.name: pin for pin in found}


def cache_folder() -> Path:
    """Where everything that is fetched is kept."""
    return Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()


def bring(pin: Pin, cache: Path) -> Path:
    """The folder of an unpacked package.

    Raises:
        ValueError: its digest is not the pinned one.
        CalledProcessError: npm does not fetch it.
    """
    place = pin.place(cache)
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{place.name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not place.exists():
            print(f"Bringing {pin.name} {pin.version} to {cache}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix="npm-") as temporary:
                folder = Path(temporary)
                command = ["npm", "pack", "--silent", "--ignore-scripts", f"{pin.name}@{pin.version}"]
                subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
                (archive,) = folder.glob("*.tgz")
                check(pin, archive.read_bytes())
                with tarfile.open(archive) as packed:
                    packed.extractall(folder / "unpacked", filter="data")
                (folder / "unpacked" / "package").replace(place)
    return place


def check(pin: Pin, archive: bytes) -> None:
    """Raise ValueError if an archive is not the pinned one."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != pin.integrity:
        raise ValueError(f"{pin.name} {pin.version} has the digest {found}, and not {pin.integrity}")


def main() -> int:
    """Print the folder; return 1 if the package cannot be had."""
    lock, name = Path(sys.argv[1]), sys.argv[2]
    try:
        print(bring(pins(lock)[name], cache_folder()))
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as problem:
        print(f"The npm package {name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
