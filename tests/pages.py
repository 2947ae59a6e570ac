"""The pages that users read: the README and docs/, and the code in them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tree import ROOT


def pages() -> list[Path]:
    """The README, then every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def text() -> str:
    """All pages, one after another."""
    return "\n".join(path.read_text("utf-8") for path in pages())


def blocks(page: Path, language: str | None = None) -> list[str]:
    """A page's fenced blocks: those of one language, or all."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [block for named, block in found if language in (None, named)]


def code() -> str:
    """The code of all pages: blocks and inline."""
    prose = re.sub(r"^```.*?^```", "", text(), flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", prose)
    return "\n".join([*(block for page in pages() for block in blocks(page)), *inline])
