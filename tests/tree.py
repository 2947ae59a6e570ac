"""Paths of the repository, and of the real tables beside it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "app" / "lakemuster"


def lakes_folder() -> Path:
    """Return the folder of real tables: ``MUSTER_LAKES``, or ``shared/lakes`` beside the repository."""
    folder = Path(os.environ.get("MUSTER_LAKES") or ROOT.parent / "shared" / "lakes")
    if not (folder / "iceberg").is_dir() or not (folder / "paimon").is_dir():
        raise RuntimeError(f"no tables in {folder}: name the folder that holds iceberg/ and paimon/ in MUSTER_LAKES")
    return folder
