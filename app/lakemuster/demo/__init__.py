"""The demo lake: five small tables, written by PyIceberg and pypaimon, in an archive beside this file.

``shop.orders``, ``shop.customers`` and ``web.events`` are Iceberg, ``shop.stock`` and ``web.clicks`` are Paimon. The
Iceberg tables record locations below :data:`RECORDED_ROOT`; whoever reads them rewrites it to where the lake is.
The archive is made by ``scripts/make_demo_lake.py``.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from importlib.resources import as_file, files
from pathlib import Path

from lakemuster.errors import StorageUnavailable

RECORDED_ROOT = "s3://lakemuster-demo"
"""What the demo's Iceberg metadata says of where it is; there is no such bucket."""

_ARCHIVE = "lake.zip"
_STAMP = ".unpacked"


def unpack(folder: Path) -> tuple[Path, tuple[tuple[str, str], ...]]:
    """Lay the demo lake out in ``folder``; one that is there already, and of this version, is left as it is.

    Returns:
        the lake's absolute folder, whose tables ``discover`` finds, and the rewrites (old, new) to read them with.

    Raises:
        StorageUnavailable: ``folder`` cannot be written.
    """
    folder = folder.absolute()
    rewrites = ((RECORDED_ROOT, str(folder)),)
    try:
        with as_file(files(__name__) / _ARCHIVE) as archive:
            version = hashlib.sha256(archive.read_bytes()).hexdigest()
            stamp = folder / _STAMP
            if not (stamp.is_file() and stamp.read_text("ascii") == version):
                _replace(folder, archive, version)
    except OSError as cause:
        raise StorageUnavailable(f"the demo lake cannot be written to {folder}: {cause.strerror}") from cause
    return folder, rewrites


def _replace(folder: Path, archive: Path, version: str) -> None:
    """Unpack beside ``folder``, then take its place: half a lake is never seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
        lake = Path(scratch) / "lake"
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(lake)
        (lake / _STAMP).write_text(version, "ascii")
        if folder.exists():
            shutil.rmtree(folder)
        lake.rename(folder)
