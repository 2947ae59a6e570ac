"""The code of a revision as users install it: its wheel, built and unpacked, with its pinned packages."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.tree import ROOT

_BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


LOCK = "requirements.lock"


def commit_of(revision: str) -> str:
    """Return the full hash of the commit that ``revision`` names."""
    return _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()


def document_of(commit: str) -> str:
    """Return the text of ``openapi.yaml`` at a commit."""
    return _git("show", f"{commit}:openapi.yaml").decode()


def unpack_wheel(commit: str, folder: Path) -> None:
    """Build the wheel of a commit, and unpack it into ``folder``, with its lock file."""
    with tempfile.TemporaryDirectory(prefix="replay-") as scratch:
        source, wheels = Path(scratch) / "source", Path(scratch) / "wheels"
        source.mkdir()
        wheels.mkdir()
        with tarfile.open(fileobj=io.BytesIO(_git("archive", "--format=tar", commit))) as archive:
            archive.extractall(source, filter="data")
        words = [sys.executable, "-c", _BUILD, str(wheels)]
        built = subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            raise RuntimeError(f"no wheel of {commit}: {built.stderr[-2000:]}")
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
        (folder / LOCK).write_bytes((source / LOCK).read_bytes())


def python_of(code: Path) -> str:
    """Return the Python of the environment that the lock of ``code`` pins, which is built on first use.

    The working tree's folder has no lock: it uses this process's Python.
    """
    lock = code / LOCK
    if not lock.exists():
        return sys.executable
    words = ["sh", str(ROOT / "scripts" / "environment.sh"), str(lock)]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout
