"""The tables of the requests, indexed once by the base: real tables, the demo's, and two with many files."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.iceberg_table import append_manifest, iceberg_table
from benchmarks.paimon_table import paimon_table
from tests.replay.growing import make_young
from tests.replay.server import run, served
from tests.tree import lakes_folder

HISTORY = "1000"
WIDE_FILES = 10_200
"""More files than one response of the Iceberg REST catalog contains."""


def make_lake(code: Path, folder: Path) -> None:
    """Copy all tables below ``folder`` and index them there, in ``folder/index``.

    The index contains the paths of files, so both runs read the same folder.
    """
    lake, index, demo = folder / "lake", folder / "index", folder / "demo"
    shutil.copytree(lakes_folder(), lake, copy_function=shutil.copyfile)
    for path in (lake, *lake.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the originals may be read-only
    _make_wide(lake / "wide")
    demo.mkdir()
    index.mkdir()
    with served(code, demo, "--demo"):
        pass
    moved = lake / "iceberg"
    # Four tables record a location relative to their own parent folder; two of them record the same one.
    rewrites = [f"data/persistent={moved}"]
    rewrites += [f"{name}={moved}/iceberg/{name}" for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    run(code, index, "discover", str(lake), *[word for rule in rewrites for word in ("--rewrite", rule)])
    run(code, index, "discover", str(demo / ".lakemuster" / "demo" / "lake"))
    run(code, index, "refresh", "--all", HISTORY=HISTORY)
    # The key that signs tokens is created on first use; create it now, so that all copies share it.
    with served(code, index) as port, closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/api/v1/tables?page_size=1")
        assert json.loads(connection.getresponse().read())["next_page_token"]


def _make_wide(folder: Path) -> None:
    """Write tables whose plans have many pages, zones and parts, since the real tables have few files."""
    folder.mkdir()
    iceberg_table(folder / "appended", files=WIDE_FILES, columns=6, manifests=10, days=60, level=1)
    for _ in range(2):
        append_manifest(folder / "appended", files=150)
    paimon_table(folder / "keyed", files=2500, columns=6, manifests=6, days=20, primary_key=True)


def copy_index(folder: Path) -> Path:
    """Reset the growing tables, and copy the index to a fixed path, since paths are part of responses."""
    make_young(folder)
    copy = folder / "served"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "index", copy)
    return copy
