"""Build the environment that a lock file pins, once, and print its python.

The folder's name contains a digest of the lock and of the interpreter, so a changed lock has another environment,
and clones share one. A marker file is written last; without it, the environment is built again.
Run by ``environment.sh``; needs only the standard library.
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
# Packages without wheels, built by the setuptools that the same lock pins.
FROM_SOURCE = {"pyspark"}
UV_LOCK = Path(__file__).resolve().parents[1] / "requirements-uv.lock"
OF_UV = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "cert": "SSL_CERT_FILE"}
"""uv's environment variables for options of pip."""


def folder_for(lock: Path) -> Path:
    """Return the folder of the environment of ``lock`` and the running interpreter."""
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster")
    digest = hashlib.sha256(lock.read_bytes())
    digest.update(f"{platform.machine()} {sys.version} {os.path.realpath(sys.executable)}".encode())
    return cache.absolute() / f"{lock.stem}-{digest.hexdigest()[:16]}"


def split(lock: str) -> tuple[str, str]:
    """Return a lock's requirements: those with wheels, and those that are built from source."""
    pins = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)
    sources = [pin for pin in pins if pin.partition("==")[0] in FROM_SOURCE]
    return "".join(pin for pin in pins if pin not in sources), "".join(sources)


def build(lock: Path, folder: Path) -> None:
    """Install the packages of ``lock`` into ``folder``, each checked by hash: wheels only, except ``FROM_SOURCE``.

    uv takes seconds, pip takes minutes. pip is used if uv is unavailable or fails.
    """
    print(f"Building the environment of {lock.name} in {folder}", file=sys.stderr, flush=True)
    uv = None if lock == UV_LOCK else uv_in(folder.parent)
    if uv is not None:
        try:
            fill(lock, folder, uv, with_pip=False)
        except subprocess.CalledProcessError as problem:
            print(f"uv ended with {problem.returncode}; pip is tried", file=sys.stderr, flush=True)
        else:
            return
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    fill(lock, folder, [*pip, "install"], with_pip=True)


def fill(lock: Path, folder: Path, install: list[str], *, with_pip: bool) -> None:
    """Create the environment, and install packages with an installer's command."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=with_pip, symlinks=True)
    wheels, sources = split(lock.read_text("utf-8"))
    put(folder, wheels, [*install, "--only-binary", ":all:"])
    if sources:
        put(folder, sources, [*install, "--no-build-isolation", "--no-cache-dir"])
    (folder / MARKER).touch()


def put(folder: Path, pins: str, install: list[str]) -> None:
    """Install exactly the pinned packages.

    A lock is complete, so nothing is resolved: for a requirement ``name[extra]`` of a package, pip would check the
    newest version, which has no hash here.
    """
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as only_what_is_pinned:
        only_what_is_pinned.write(pins)
        only_what_is_pinned.flush()
        required = ["--no-deps", "--require-hashes", "--requirement", only_what_is_pinned.name]
        # uv installs into the environment that VIRTUAL_ENV names.
        environment = {**os.environ, "VIRTUAL_ENV": str(folder)}
        subprocess.run([*install, *required], stdout=sys.stderr, env=environment, check=True)


def uv_in(cache: Path) -> list[str] | None:
    """Return uv's command to install packages; None if uv is unavailable on this machine.

    uv does not read pip's configuration, so pip's index and certificates are passed to it, unless it has its own.
    """
    try:
        python = python_of(UV_LOCK)
        listed = subprocess.run([python, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    for name, value in re.findall(r"^\S+\.(\S+)='(.*)'$", listed.stdout, re.MULTILINE):
        if variable := OF_UV.get(name.replace("_", "-")):
            os.environ.setdefault(variable, value)
    os.environ.setdefault("UV_CACHE_DIR", str(cache / "uv"))
    return [str(python.with_name("uv")), "pip", "install", "--quiet"]


def python_of(lock: Path) -> Path:
    """Return the Python of the environment of a lock, which is built if it is missing.

    Raises:
        OSError, subprocess.CalledProcessError: it cannot be built.
    """
    folder = folder_for(lock)
    if not (folder / MARKER).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_suffix(".lock").open("w") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            if not (folder / MARKER).exists():
                build(lock, folder)
    return folder / "bin" / "python"


def main() -> int:
    """Print the Python of the lock named on the command line; return 1 if it cannot be built."""
    lock = Path(sys.argv[1]).resolve()
    try:
        print(python_of(lock))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"The environment of {lock.name} cannot be built: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
