"""Build the environment that a lock file pins, once, and print its python.

The folder's name holds a digest of the lock and of the interpreter, so a changed lock is another environment
and clones share one. A marker file is written last: an interrupted build is started again.
Run by ``environment.sh``, on the standard library alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

MARKER = "complete"
# Published without wheels: built by the setuptools that the same lock pins.
FROM_SOURCE = {"pyspark"}


def folder_for(lock: Path) -> Path:
    """The folder of the environment of ``lock`` and the running interpreter."""
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster")
    digest = hashlib.sha256(lock.read_bytes())
    digest.update(f"{platform.machine()} {sys.version} {os.path.realpath(sys.executable)}".encode())
    return cache.absolute() / f"{lock.stem}-{digest.hexdigest()[:16]}"


def split(lock: str) -> tuple[str, str]:
    """A lock's requirements: those that come as wheels, and those that are built from source."""
    pins = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)
    sources = [pin for pin in pins if pin.partition("==")[0] in FROM_SOURCE]
    return "".join(pin for pin in pins if pin not in sources), "".join(sources)


def build(lock: Path, folder: Path) -> None:
    """Install what ``lock`` pins into ``folder``, each package checked by hash: wheels only, except FROM_SOURCE."""
    print(f"Building the environment of {lock.name} in {folder}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True, symlinks=True)
    wheels, sources = split(lock.read_text("utf-8"))
    install(folder, wheels, "--only-binary", ":all:")
    if sources:
        install(folder, sources, "--no-build-isolation", "--no-cache-dir")
    (folder / MARKER).touch()


def install(folder: Path, pins: str, *how: str) -> None:
    """Install exactly the pinned packages, with the environment's pip.

    A lock is complete, and nothing is resolved: of ``name[extra]``, which one package asks for of another, pip would
    look at the newest version, which has no hash here.
    """
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as only_what_is_pinned:
        only_what_is_pinned.write(pins)
        only_what_is_pinned.flush()
        required = ["--no-deps", "--require-hashes", "--requirement", only_what_is_pinned.name]
        subprocess.run([*pip, "install", *how, *required], stdout=sys.stderr, check=True)


def main() -> int:
    """Print the python of the lock named on the command line; 1 when it cannot be built."""
    lock = Path(sys.argv[1]).resolve()
    folder = folder_for(lock)
    if not (folder / MARKER).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_suffix(".lock").open("w") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            if not (folder / MARKER).exists():
                try:
                    build(lock, folder)
                except (OSError, subprocess.CalledProcessError) as problem:
                    print(f"The environment of {lock.name} cannot be built: {problem}", file=sys.stderr)
                    return 1
    print(folder / "bin" / "python")
    return 0


if __name__ == "__main__":
    sys.exit(main())
