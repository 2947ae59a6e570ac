"""The demo lake: small tables, written by PyIceberg and pypaimon, in an archive beside this file.

Iceberg are ``shop.orders``, ``shop.customers``, ``web.events``, ``web.sessions`` (badly clustered in two countries) and
``shop.returns`` (delete files, branches, an evolved schema, a branch whose manifest is missing). Paimon are
``shop.stock``, ``web.clicks`` and ``shop.prices`` (merged on levels 4 and 5). In the archive the Iceberg tables record
locations below :data:`RECORDED_ROOT`; unpacking replaces these by the actual ones.
The archive is made by ``scripts/make_demo_lake.py``.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from importlib.resources import as_file, files
from pathlib import Path

from lakemuster.demo.relocation import relocate
from lakemuster.errors import StorageUnavailable

RECORDED_ROOT = "s3://lakemuster-demo"
"""The root of the locations in the archive's Iceberg metadata; no such bucket exists."""

_ARCHIVE = "lake.zip"
_STAMP = ".unpacked"


def is_unpacked(folder: Path) -> bool:
    """Return whether ``folder`` holds this version of the demo lake, with metadata that names that folder.

    Raises:
        StorageUnavailable: ``folder`` cannot be read.
    """
    folder = folder.absolute()
    stamp = folder / _STAMP
    try:
        return stamp.is_file() and stamp.read_text("utf-8") == _stamp(folder)
    except OSError as cause:
        raise StorageUnavailable(f"the demo lake in {folder} cannot be read: {cause.strerror}") from cause


def unpack(folder: Path) -> Path:
    """Unpack the demo lake into ``folder``, unless this version is there already.

    Needs ``lakemuster[server]``.

    Returns:
        the lake's absolute folder, whose tables ``discover`` finds.

    Raises:
        StorageUnavailable: ``folder`` cannot be written.
    """
    folder = folder.absolute()
    if not is_unpacked(folder):
        try:
            _replace(folder)
        except OSError as cause:
            raise StorageUnavailable(f"the demo lake cannot be written to {folder}: {cause.strerror}") from cause
    return folder


def _stamp(folder: Path) -> str:
    archive = (files(__name__) / _ARCHIVE).read_bytes()
    return f"{hashlib.sha256(archive).hexdigest()} {folder}"


def _replace(folder: Path) -> None:
    """Unpack beside ``folder``, then rename, so that a partly unpacked lake is never visible."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
        lake = Path(scratch) / "lake"
        with as_file(files(__name__) / _ARCHIVE) as archive, zipfile.ZipFile(archive) as packed:
            packed.extractall(lake)
        relocate(lake, RECORDED_ROOT, f"file://{folder}")
        (lake / _STAMP).write_text(_stamp(folder), "utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        lake.rename(folder)
