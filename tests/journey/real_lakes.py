"""A copy of the shared lakes' tables, discovered by the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.journey.servers import lakemuster


def discovered(lakes: Path, folder: Path) -> Path:
    """Copy the lakes below ``folder`` and register every table in its index; return the copy."""
    copy = folder / "lake"
    shutil.copytree(lakes, copy, copy_function=shutil.copyfile)
    moved = copy / "iceberg"
    # Four tables record a location relative to their own parent folder; two of them record the same one.
    rewrites = [f"data/persistent={moved}"]
    rewrites += [f"{name}={moved}/iceberg/{name}" for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    found = lakemuster(folder, "discover", str(copy), *(word for rule in rewrites for word in ("--rewrite", rule)))
    assert found.returncode == 0, found.stderr
    assert "refused" not in found.stdout
    return copy
