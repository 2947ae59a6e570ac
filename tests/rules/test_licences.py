"""The contents of the image are listed: licences in docs/, and a bill of materials."""

from __future__ import annotations

import json
import re
import runpy
import subprocess

import pytest

from tests.beside import python_of
from tests.tree import ROOT

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "licences.py"))
PAGE = (ROOT / "docs" / "operations" / "licences.md").read_text("utf-8")


def test_every_package_of_the_image_is_listed_once() -> None:
    listed = re.findall(r"^\| ([a-z0-9][^ ]*) \| .+ \|$", PAGE, re.MULTILINE)[1:]
    locked = re.findall(r"^([a-z0-9][^=\n]*)==", (ROOT / "requirements-server.lock").read_text(), re.MULTILINE)
    assert listed == sorted(set(locked))
    assert len(listed) > 50


@pytest.mark.slow
def test_licences_are_those_that_the_packages_say() -> None:
    assert SCRIPT["page"]() == PAGE


@pytest.mark.slow
def test_the_bill_of_materials_has_every_package_with_its_version() -> None:
    program = str(python_of("requirements-sbom.lock").with_name("cyclonedx-py"))
    words = [program, "requirements", "--output-reproducible", "--spec-version", "1.6", "requirements-server.lock"]
    made = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    found = {(one["name"], one["version"]) for one in made["components"]}
    pinned = {(one.name, str(one.specifier).removeprefix("==")) for one in SCRIPT["pinned"]()}
    assert found == pinned
