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
import shutil
import subprocess
import sys
import venv
from pathlib import Path

MARKER = "complete"


def folder_for(lock: Path) -> Path:
    """Where the environment of ``lock`` and of the running interpreter is kept."""
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster")
    digest = hashlib.sha256(lock.read_bytes())
    digest.update(f"{platform.machine()} {sys.version} {os.path.realpath(sys.executable)}".encode())
    return cache.absolute() / f"{lock.stem}-{digest.hexdigest()[:16]}"


def build(lock: Path, folder: Path) -> None:
    """Fill ``folder`` with what ``lock`` pins: wheels only, every one checked against its hash."""
    print(f"Building the environment of {lock.name} in {folder}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True, symlinks=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    only_what_is_pinned = ["--require-hashes", "--only-binary", ":all:", "--requirement", str(lock)]
    subprocess.run([*pip, "install", *only_what_is_pinned], stdout=sys.stderr, check=True)
    (folder / MARKER).touch()


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
