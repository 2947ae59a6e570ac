"""Imports go in one direction, and each contract fails on a planted violation."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.tree import PACKAGE, ROOT


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package and its contracts, in which imports can be planted."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(PACKAGE, folder / "lakemuster", ignore=shutil.ignore_patterns("__pycache__", "*.zip"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> tuple[int, str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_package_keeps_its_contracts(copied):
    status, output = lint(copied)
    assert status == 0, output


PLANTED = {
    "an upward import": ("storage/store.py", "from lakemuster.planner import lists", "One direction"),
    "an import for types alone": (
        "catalog/history.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lakemuster.api import app",
        "One direction",
    ),
    "planning in pruning": (
        "planner/pruning/zones.py",
        "from lakemuster.planner.scan import plan",
        "The planner's one direction",
    ),
    "an import inside a function": (
        "ingest/discover.py",
        "def planted() -> None:\n    import lakemuster.main",
        "One direction",
    ),
    "the planner in a route": (
        "api/native/lists.py",
        "from lakemuster.planner.view import View",
        "HTTP asks the catalog",
    ),
    "an import between siblings": ("storage/local.py", "import lakemuster.index.segments", "One direction"),
    "a client in the server": ("api/app.py", "import lakemuster.client.errors", "One direction"),
    "storage in pure code": (
        "formats/registered.py",
        "def planted() -> None:\n    import fsspec",
        "Pure code does no I/O",
    ),
    "a filesystem beside storage": ("index/remote_folder.py", "import fsspec", "Storage alone opens filesystems"),
    "SQL in pure code, for types alone": (
        "metadata/schema.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sqlalchemy",
        "Pure code does no I/O",
    ),
    "a server's package in the client": (
        "client/errors.py",
        "def planted() -> None:\n    import pydantic",
        "The client needs the bare install only",
    ),
    "a server's package in the Spark functions": (
        "spark/frames.py",
        "def planted() -> None:\n    import numpy",
        "The client needs the bare install only",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_import_breaks_its_contract(copied, name):
    path, code, contract = PLANTED[name]
    target = copied / "lakemuster" / path
    before = target.read_text() if target.exists() else None
    target.write_text(f"{before or ''}\n{code}\n")
    try:
        status, output = lint(copied)
    finally:
        if before is None:
            target.unlink()
        else:
            target.write_text(before)
    assert status == 1, output
    assert re.findall(r"^(.+) BROKEN", output, re.MULTILINE) == [contract]


def test_a_new_top_folder_must_take_a_place(copied):
    planted = copied / "lakemuster" / "helpers.py"
    planted.write_text("")
    try:
        status, output = lint(copied)
    finally:
        planted.unlink()
    assert status == 1
    assert "helpers" in output


def test_no_module_asks_the_root_for_the_client():
    """The contracts ignore the root package's import of the client, so no module may import the client through it."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    assert contract["ignore_imports"] == ["lakemuster -> lakemuster.client"]
    asked = {
        (path.name, name.name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "lakemuster"
        for name in node.names
    }
    assert "Client" not in {name for _, name in asked}
