"""Examples of the README and docs/ run on the demo lake, and print what the pages show.

Spark's examples are shown by ``journey/spark``, Paimon's and DuckDB's by the journeys of their clients.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tests.journey.servers import lakemuster, served
from tests.pages import blocks, pages
from tests.tree import ROOT

SERVER = "http://127.0.0.1:8181"
OTHERS = re.compile(r"\bspark\b|pypaimon")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


def scripts() -> list[tuple[str, str]]:
    """Page and text of every Python example that needs our environment only."""
    found = [(page, block) for page in pages() for block in blocks(page, "python")]
    return [(str(page.relative_to(ROOT)), block) for page, block in found if not OTHERS.search(block)]


def calls() -> list[tuple[str, str, str]]:
    """Page, command and printed text of every ``$ lakemuster …`` example."""
    found = []
    for page in pages():
        for block in blocks(page, "console"):
            for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, printed = example.partition("\n")
                if command.startswith("lakemuster "):
                    found.append((str(page.relative_to(ROOT)), command, printed.strip()))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what a page shows; ``…`` stands for any text of a line, and columns may be padded otherwise."""
    lines = [re.split(r"\s+", line.strip()) for line in shown.strip().splitlines()]
    pattern = r"\s*\n".join(r"\s+".join(".*".join(map(re.escape, word.split("…"))) for word in line) for line in lines)
    return re.fullmatch(pattern, printed.strip()) is not None


@pytest.mark.parametrize(("page", "script"), scripts())
def test_python_examples_run(demo, page, script):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.replace(SERVER, demo.uri), page, "exec"), {"__name__": "example"})
    shown = "\n".join(line[2:] for line in script.splitlines() if line.startswith("# "))
    assert printed.getvalue().strip() == shown.strip()


@pytest.mark.parametrize(("page", "command", "shown"), calls())
def test_commands_print_what_pages_show(demo, tmp_path: Path, page, command, shown):
    done = lakemuster(tmp_path, *shlex.split(command.replace(SERVER, demo.uri))[1:])
    assert done.returncode == 0, done.stderr
    assert matches(shown, done.stdout), f"{page} shows\n{shown}\nand the command prints\n{done.stdout}"


def test_a_shown_text_that_differs_is_noticed():
    assert matches("a  b\n…/c  1", "a b  \nx/y/c  1")
    assert not matches("a  b\n…/c  1", "a b\nx/y/c  2")
    assert not matches("a  b", "a b\nmore")


def test_there_are_examples():
    assert len(scripts()) > 3
    assert len(calls()) > 3
