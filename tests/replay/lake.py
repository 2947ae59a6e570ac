"""The tables that requests are about, indexed once by the base: the real ones, and the demo's."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from tests.replay.server import run, served
from tests.tree import lakes_folder

HISTORY = "1000"


def make_lake(code: Path, folder: Path) -> None:
    """Copy all tables below ``folder`` and index them there, in ``folder/index``.

    What is indexed names its files, so both runs read the same folder.
    """
    lake, index, demo = folder / "lake", folder / "index", folder / "demo"
    shutil.copytree(lakes_folder(), lake, copy_function=shutil.copyfile)
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
    # The key that signs tokens is made when it is first needed: it must be the same in all copies.
    with served(code, index) as port, closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/api/v1/tables?page_size=1")
        assert json.loads(connection.getresponse().read())["next_page_token"]


def copy_index(folder: Path) -> Path:
    """A fresh copy of the index, always at the same place: paths may show in answers."""
    copy = folder / "served"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "index", copy)
    return copy
