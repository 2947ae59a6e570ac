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
UV_LOCK = Path(__file__).resolve().parents[1] / "requirements-uv.lock"
OF_UV = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "cert": "SSL_CERT_FILE"}
"""uv's variables for what pip calls otherwise."""


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
    """Install what ``lock`` pins into ``folder``, each package checked by hash: wheels only, except FROM_SOURCE.

    uv does in seconds what takes pip minutes. Where uv cannot be had, or fails, pip does it.
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
    """Make the environment anew with an installer's command."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=with_pip, symlinks=True)
    wheels, sources = split(lock.read_text("utf-8"))
    put(folder, wheels, [*install, "--only-binary", ":all:"])
    if sources:
        put(folder, sources, [*install, "--no-build-isolation", "--no-cache-dir"])
    (folder / MARKER).touch()


def put(folder: Path, pins: str, install: list[str]) -> None:
    """Install exactly the pinned packages.

    A lock is complete, and nothing is resolved: of ``name[extra]``, which one package asks for of another, pip would
    look at the newest version, which has no hash here.
    """
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as only_what_is_pinned:
        only_what_is_pinned.write(pins)
        only_what_is_pinned.flush()
        required = ["--no-deps", "--require-hashes", "--requirement", only_what_is_pinned.name]
        # uv installs into the environment that VIRTUAL_ENV names.
        environment = {**os.environ, "VIRTUAL_ENV": str(folder)}
        subprocess.run([*install, *required], stdout=sys.stderr, env=environment, check=True)


def uv_in(cache: Path) -> list[str] | None:
    """The command by which uv installs packages; None where there is no uv for this machine.

    uv does not read pip's configuration: it is given pip's index and certificates, unless it has its own.
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
    """The python of the environment of a lock, which is built if it is missing.

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
    """Print the python of the lock named on the command line; 1 when it cannot be built."""
    lock = Path(sys.argv[1]).resolve()
    try:
        print(python_of(lock))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"The environment of {lock.name} cannot be built: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
