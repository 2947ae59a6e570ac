"""Print the paths of pinned jars, fetched by Maven on first use: ``python scripts/jars.py LOCK``.

LOCK has one line per jar: ``GROUP:ARTIFACT:VERSION[:PACKAGING[:CLASSIFIER]] sha256:HEX``. An archive (``tar.gz``) is
unpacked; its path is that of its only folder, renamed ``ARTIFACT-VERSION``. Jars are outside the tree, in
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
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy"


@dataclass(frozen=True)
class Pin:
    """A line of a lock: the coordinates of a file, and its SHA-256 in hexadecimal digits."""

    group: str
    artifact: str
    version: str
    packaging: str
    classifier: str
    digest: str

    @classmethod
    def of(cls, line: str) -> Pin:
        """Parse a line of a lock; ValueError if it is malformed."""
        coordinates, digest = line.split()
        group, artifact, version, *rest = coordinates.split(":")
        packaging, classifier, *_ = [*rest, "", ""]
        return cls(group, artifact, version, packaging or "jar", classifier, digest.removeprefix("sha256:"))

    @property
    def file(self) -> str:
        """The name of the file that Maven copies."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.{self.packaging}"

    def place(self, cache: Path) -> Path:
        """Return the path of the jar or the unpacked archive in a cache."""
        name = self.file if self.packaging == "jar" else f"{self.artifact}-{self.version}"
        return cache / f"jar-{self.digest[:16]}" / name


def bring(pins: Sequence[Pin], cache: Path) -> list[Path]:
    """Return the jars and unpacked archives of ``pins`` in ``cache``; ValueError if a SHA-256 is not the pinned one.

    One run of Maven fetches all missing files. Each is locked meanwhile, in the order of digests.
    """
    absent = sorted({pin.digest for pin in pins if not pin.place(cache).exists()})
    cache.mkdir(parents=True, exist_ok=True)
    with ExitStack() as guards:
        for digest in absent:
            guard = guards.enter_context((cache / f"jar-{digest[:16]}.lock").open("w"))
            fcntl.flock(guard, fcntl.LOCK_EX)
        if missing := [pin for pin in pins if not pin.place(cache).exists()]:
            _fetch(missing, cache)
    return [pin.place(cache) for pin in pins]


def _fetch(pins: Sequence[Pin], cache: Path) -> None:
    more = f" and {len(pins) - 1} more" if len(pins) > 1 else ""
    print(f"Bringing {pins[0].file}{more} to {cache}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="jar-") as temporary:
        folder = Path(temporary)
        (folder / "pom.xml").write_bytes(_project(pins))
        command = ["mvn", "-q", "-B", COPY, f"-DoutputDirectory={folder}"]
        subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
        for pin in pins:
            _keep(pin, folder / pin.file, cache)


def _keep(pin: Pin, brought: Path, cache: Path) -> None:
    with brought.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != pin.digest:
        raise ValueError(f"{pin.group}:{brought.name} has SHA-256 {found}, not {pin.digest}")
    place = pin.place(cache)
    if pin.packaging != "jar":
        unpacked = brought.with_name(f"unpacked-{pin.digest}")
        with tarfile.open(brought) as archive:
            archive.extractall(unpacked, filter="data")
        [brought] = [entry for entry in unpacked.iterdir() if entry.is_dir()]
    place.parent.mkdir(exist_ok=True)
    brought.replace(place)


def _project(pins: Sequence[Pin]) -> bytes:
    """Return a Maven project whose ``dependency:copy`` copies the pinned files."""
    project = ET.Element("project")
    stated = {"modelVersion": "4.0.0", "groupId": "jars", "artifactId": "jars", "version": "1"}
    plugin = ET.Element("plugin")
    _state(plugin, {"groupId": "org.apache.maven.plugins", "artifactId": "maven-dependency-plugin"})
    items = ET.SubElement(ET.SubElement(plugin, "configuration"), "artifactItems")
    for pin in pins:
        item = {"groupId": pin.group, "artifactId": pin.artifact, "version": pin.version, "type": pin.packaging}
        _state(ET.SubElement(items, "artifactItem"), {**item, "classifier": pin.classifier})
    _state(project, stated)
    ET.SubElement(ET.SubElement(project, "build"), "plugins").append(plugin)
    return ET.tostring(project)


def _state(parent: ET.Element, values: dict[str, str]) -> None:
    for name, value in values.items():
        ET.SubElement(parent, name).text = value


def main() -> int:
    """Print one path per line; return 1 if a jar cannot be fetched."""
    lock = Path(sys.argv[1])
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    try:
        for path in bring([Pin.of(line) for line in lock.read_text("utf-8").splitlines()], cache):
            print(path)
    except (OSError, ValueError, tarfile.TarError, subprocess.CalledProcessError) as problem:
        print(f"The jars of {lock.name} cannot be had: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
