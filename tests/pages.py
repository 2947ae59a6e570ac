"""The user documentation: the README and docs/, and the code in them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tree import ROOT


def pages() -> list[Path]:
    """Return the README, then every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def text() -> str:
    """Return the text of all pages."""
    return "\n".join(path.read_text("utf-8") for path in pages())


def blocks(page: Path, language: str | None = None) -> list[str]:
    """Return a page's fenced blocks, of one language or all."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [block for named, block in found if language in (None, named)]


def code() -> str:
    """Return all code of the pages: blocks and inline code."""
    prose = re.sub(r"^```.*?^```", "", text(), flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", prose)
    return "\n".join([*(block for page in pages() for block in blocks(page)), *inline])


def examples(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page's console blocks, each with its output."""
    found = []
    for block in blocks(page, "console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = re.sub(r"\\\n\s*", "", example).partition("\n")
            found.append((command, printed.strip()))
    return found


def matches(shown: str, printed: str) -> bool:
    """Return whether an output matches what a page shows; ``…`` stands for any text within a line.

    The padding of columns and the length of the rule below a table's headings may differ.
    """
    shown, printed = (re.sub("─+", "─", text.strip()) for text in (shown, printed))
    lines = [re.split(r"\s+", line.strip()) for line in shown.splitlines()]
    words = (r"\s+".join(".*".join(map(re.escape, word.split("…"))) for word in line) for line in lines)
    return re.fullmatch(r"\s*\n[ \t]*".join(words), printed) is not None


def matches_unwrapped(shown: str, answered: str) -> bool:
    """Return whether a response matches what a page shows wrapped, with continuation lines indented."""
    pattern = ".*".join(map(re.escape, re.sub(r"\n ", "", shown.strip()).split("…")))
    return re.fullmatch(pattern, answered.strip(), re.DOTALL) is not None
