"""Copy the libraries of the console from npm into the package: ``python scripts/vendor_console.py``.

Browsers load modules by path, so imports of other packages are rewritten to relative paths, and references to
source maps, which are not served, are removed. ``vendor.json`` records each package's version, licence and npm
integrity, and the SHA-256 of each served file; ``tests/rules`` compares them. Run it again after a pin changes.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import node_modules  # noqa: E402 - found by the line above

SOURCE = ROOT / "scripts" / "console_packages"
TARGET = ROOT / "app" / "lakemuster" / "console" / "assets" / "vendor"


@dataclass(frozen=True)
class Vendored:
    """A package of the console.

    Attributes:
        files: served names by path in the package.
    """

    name: str
    files: dict[str, str]


PACKAGES = (
    Vendored("preact", {"dist/preact.mjs": "preact.js", "hooks/dist/hooks.mjs": "preact-hooks.js"}),
    Vendored("htm", {"dist/htm.mjs": "htm.js"}),
    Vendored("d3-hierarchy", {"dist/d3-hierarchy.min.mjs": "d3-hierarchy.js"}),
)
SPECIFIERS = {"preact": "./preact.js"}
_IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*)(["'])([^"'./][^"']*)\2""")
_SOURCE_MAP = re.compile(r"\n?//# sourceMappingURL=.*\s*\Z")


def served(source: str) -> str:
    """Return the served form of a module; KeyError if it imports a package that is not vendored."""
    relative = _IMPORT.sub(lambda found: f"{found[1]}{found[2]}{SPECIFIERS[found[3]]}{found[2]}", source)
    return _SOURCE_MAP.sub("", relative).rstrip() + "\n"


def main() -> None:
    """Write all files, and their record."""
    modules, records = node_modules.bring(SOURCE, node_modules.cache_folder()), []
    locked = json.loads((SOURCE / "package-lock.json").read_text("utf-8"))["packages"]
    TARGET.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        pin, folder = locked[f"node_modules/{package.name}"], modules / package.name
        about = json.loads((folder / "package.json").read_text("utf-8"))
        texts = {name: served((folder / path).read_text("utf-8")) for path, name in package.files.items()}
        texts[f"{package.name}.LICENSE"] = (folder / "LICENSE").read_text("utf-8")
        for name, text in texts.items():
            (TARGET / name).write_text(text, "utf-8")
        records.append(
            {
                "name": package.name,
                "version": pin["version"],
                "licence": about["license"],
                "integrity": pin["integrity"],
                "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()},
            }
        )
    (TARGET / "vendor.json").write_text(json.dumps(records, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
