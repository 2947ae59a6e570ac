"""The previous version: the newest revision of this repository whose database has the previous schema version."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lakemuster.index import schema_version
from tests.replay.revisions import commit_of, unpack_wheel
from tests.tree import ROOT

VERSIONS = "migrations/versions"


def has_history() -> bool:
    """Return whether the tree is a clone of the repository with its complete history."""
    words = ["git", "rev-parse", "--is-shallow-repository"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() == "false"


def previous_commit() -> str:
    """Return the commit before the one that added the newest migration.

    Raises:
        RuntimeError: the repository's history is missing or too short.
    """
    (script,) = (ROOT / VERSIONS).glob(f"{schema_version.newest()}_*.py")
    words = ["git", "log", "-1", "--format=%H", "--diff-filter=A", "--", f"{VERSIONS}/{script.name}"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode or not found.stdout.strip():
        raise RuntimeError(f"the history of {script.name} is not here: {found.stderr}")
    return commit_of(f"{found.stdout.strip()}~1")


def unpack_previous(folder: Path, *, decoder_version: int | None = None) -> str:
    """Build the previous version's wheel, and unpack it with its lock file into ``folder``; return its schema version.

    Args:
        decoder_version: the version to which its segments' version is changed; None keeps it.
    """
    folder.mkdir()
    unpack_wheel(previous_commit(), folder)
    if decoder_version is not None:
        source = folder / "lakemuster" / "index" / "segment_files.py"
        text = source.read_text()
        changed = text.replace(
            f"\nDECODER_VERSION = {decoder_version + 1}\n", f"\nDECODER_VERSION = {decoder_version}\n"
        )
        assert changed != text
        source.write_text(changed)
    scripts = folder / "lakemuster" / "index" / "_migrations" / "versions"
    return max(path.name.partition("_")[0] for path in scripts.glob("[0-9]*_*.py"))
