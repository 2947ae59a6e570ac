"""The console's files are small, refer to no other host, evaluate no text, and include third-party licences."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from lakemuster.console.assets import load
from tests.tree import PACKAGE, ROOT

ASSETS = PACKAGE / "console" / "assets"
VENDOR = ASSETS / "vendor"
MOST_BYTES = 200_000
MOST_LINES = 400
LICENCES = {"MIT", "ISC", "BSD-3-Clause", "Apache-2.0"}
EVALUATED = re.compile(
    r"\beval\s*\(|\bnew Function\b|dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML"
    r"|document\.write"
)
FOREIGN = re.compile(r"(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}", re.IGNORECASE)
NAMESPACES = re.compile(r"http://www\.w3\.org/[\w/]+")


def records():
    found = json.loads((VENDOR / "vendor.json").read_text("utf-8"))
    assert len(found) >= 2
    return found


def own():
    """Return the console's source files without vendored ones."""
    return [
        path
        for path in ASSETS.rglob("*")
        if path.suffix in {".js", ".css", ".html", ".svg"} and VENDOR not in path.parents
    ]


def test_everything_that_is_served_is_small():
    assets = load()
    size = len(assets.page.compressed) + sum(len(file.compressed) for file in assets.files.values())
    assert 20_000 < size <= MOST_BYTES


def test_no_source_of_the_console_is_long():
    sizes = {path.name: path.read_text("utf-8").count("\n") for path in own() if path.suffix == ".js"}
    assert len(sizes) > 10
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}


@pytest.mark.parametrize("planted", ["eval(text)", "new Function(text)", "x.innerHTML = name", "document.write(name)"])
def test_evaluated_text_is_found(planted):
    assert EVALUATED.search(planted)


def test_nothing_evaluates_text_and_nothing_is_on_another_host():
    for path in own():
        text = path.read_text("utf-8")
        assert not EVALUATED.search(text), path
        assert not FOREIGN.search(NAMESPACES.sub("", text)), path


def test_vendored_files_are_those_that_were_recorded():
    recorded = {name: digest for record in records() for name, digest in record["files"].items()}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.name != "vendor.json"
    }
    assert found == recorded


def test_vendored_packages_are_the_pinned_ones_with_their_licences():
    pins = json.loads((ROOT / "scripts/console_packages/package-lock.json").read_text("utf-8"))["packages"]
    for record in records():
        pin = pins[f"node_modules/{record['name']}"]
        assert (record["version"], record["integrity"]) == (pin["version"], pin["integrity"])
        assert record["licence"] in LICENCES
        assert len((VENDOR / f"{record['name']}.LICENSE").read_text("utf-8")) > 500
