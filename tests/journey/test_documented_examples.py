"""Examples of the README and docs/ run on the demo lake, commands on a terminal, and print what the pages show.

Spark's examples are tested in ``journey/spark``, those of Paimon and DuckDB in the tests of these clients.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import time
from pathlib import Path

import httpx
import pytest

from tests.journey.servers import START_SECONDS, Running, lakemuster_on_terminal, served
from tests.pages import blocks, examples, matches, matches_unwrapped, pages
from tests.tree import ROOT

SERVER = "http://127.0.0.1:8181"
OTHERS = re.compile(r"\bspark\b|pypaimon")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        wait_for_health(running)
        yield running


def wait_for_health(running: Running) -> None:
    """Wait until the background job has computed the health of every table, which pages show."""
    deadline = time.monotonic() + START_SECONDS
    while running.get("/health", fields="name")["tables"]["pending"]:
        assert time.monotonic() < deadline, running.log.read_text()[-4000:]
        time.sleep(0.05)


def scripts() -> list[tuple[str, str]]:
    """Return page and text of every Python example that needs no other environment."""
    found = [(page, block) for page in pages() for block in blocks(page, "python")]
    return [(str(page.relative_to(ROOT)), block) for page, block in found if not OTHERS.search(block)]


def calls(program: str) -> list[tuple[str, str, str]]:
    """Return page, command and output of every ``$ PROGRAM …`` example."""
    return [
        (str(page.relative_to(ROOT)), command, printed)
        for page in pages()
        for command, printed in examples(page)
        if command.startswith(f"{program} ")
    ]


def answer(uri: str, command: str) -> str:
    """Return the output of ``curl URL [-H HEADER] [-d BODY] [| tail -N]``."""
    command, _, tail = command.partition(" | tail -")
    words = iter(shlex.split(command.replace(SERVER, uri))[1:])
    url, headers, body = "", {}, None
    for word in words:
        match word:
            case "-s":
                pass
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "-d":
                body = next(words)
            case _:
                assert word.startswith(uri), word
                url = word
    text = httpx.request("GET" if body is None else "POST", url, headers=headers, content=body).text
    return "\n".join(text.splitlines()[-int(tail) :]) if tail else text


@pytest.mark.parametrize(("page", "script"), scripts())
def test_python_examples_run(demo, page, script):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.replace(SERVER, demo.uri), page, "exec"), {"__name__": "example"})
    shown = "\n".join(line[2:] for line in script.splitlines() if line.startswith("# "))
    assert printed.getvalue().strip() == shown.strip()


@pytest.mark.parametrize(("page", "command", "shown"), calls("lakemuster"))
def test_commands_print_what_pages_show(demo, tmp_path: Path, page, command, shown):
    status, printed = lakemuster_on_terminal(tmp_path, *shlex.split(command.replace(SERVER, demo.uri))[1:])
    assert status == 0
    assert matches(shown, printed), f"{page} shows\n{shown}\nand the command prints\n{printed}"


@pytest.mark.parametrize(("page", "command", "shown"), calls("curl"))
def test_requests_answer_what_pages_show(demo, page, command, shown):
    answered = answer(demo.uri, command)
    if not shown:  # a page may omit a response, unless it is an error
        assert "error" not in json.loads(answered)
        return
    fits = matches if " | tail" in command else matches_unwrapped
    assert fits(shown, answered), f"{page} shows\n{shown}\nand the answer is\n{answered}"


def test_a_shown_text_that_differs_is_noticed():
    assert matches("a  b\n…/c  1", "a b  \nx/y/c  1")
    assert not matches("a  b\n…/c  1", "a b\nx/y/c  2")
    assert not matches("a  b", "a b\nmore")
    assert matches("   a\nb  c\n────\n…  1", " a\n b c\n───\nx   1")
    assert not matches("a\n────\n1", "a\n1")
    assert matches_unwrapped('{"a":[…],\n "b":1}', '{"a":[1,2],"b":1}')
    assert not matches_unwrapped('{"a":[…],\n "b":1}', '{"a":[1,2],"b":2}')
    assert not matches_unwrapped('{"a":1,\n "b":1}', '{"a":1,"b":1,"c":1}')


def test_there_are_examples():
    assert len(scripts()) > 3
    assert len(calls("lakemuster")) > 3
    assert len(calls("curl")) > 3
