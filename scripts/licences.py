"""Write ``docs/operations/licences.md``: the packages in the image besides our own code, and their licences.

Names and versions are from ``requirements-server.lock``, licences from the metadata of the installed packages.
Run it after ``make lock``.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements-server.lock"
PAGE = ROOT / "docs" / "operations" / "licences.md"
_CLASSIFIER = "License :: OSI Approved :: "


def pinned() -> list[Requirement]:
    """Return the packages of the lock, for all systems."""
    lines = re.findall(r"^([A-Za-z0-9][^\\\n]*?)\s*\\$", LOCK.read_text("utf-8"), re.MULTILINE)
    return [Requirement(line) for line in lines]


def licence_of(name: str) -> str:
    """Return a package's licence: its expression, its classifiers, or its text's first line; empty if not installed."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return ""
    if "License-Expression" in said:
        return str(said["License-Expression"])
    classes = [str(line) for line in said.get_all("Classifier") or () if str(line).startswith(_CLASSIFIER)]
    if classes:
        return ", ".join(line.removeprefix(_CLASSIFIER) for line in classes)
    texts = [str(text) for text in said.get_all("License") or ()]
    return "".join(texts[:1]).strip().partition("\n")[0]


def page() -> str:
    """Return the text of the page."""
    rows = []
    for requirement in {one.name: one for one in pinned()}.values():
        licence = licence_of(requirement.name)
        if not licence and requirement.marker is None:
            raise SystemExit(f"{requirement.name} says no licence")
        rows.append(f"| {requirement.name} | {licence or 'not for this system'} |")
    head = "<!-- Written by `make licences`; do not edit. -->\n\n# Licences\n\n"
    words = (
        "What the container image holds besides Lakemuster itself, by `requirements-server.lock`. "
        "`make sbom` writes a bill of materials (CycloneDX) of the same.\n\n"
    )
    return head + words + "| package | licence |\n| --- | --- |\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
