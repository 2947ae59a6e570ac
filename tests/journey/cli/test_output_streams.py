"""Commands whose stdout cannot be written, or was closed by the parent process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.journey.servers import environment

COMMANDS = {
    "a list": ("tables", "--json"),
    "the help": ("--help",),
    "the version": ("--version",),
    "a document": ("openapi", "paimon"),
}


def run(folder: Path, words: tuple[str, ...], redirection: str) -> tuple[int, str]:
    """Run the command line in a shell with a redirection; return its status and stderr."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "lakemuster", *words],
        cwd=folder,
        env=environment(folder, {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_is_one_line_and_status_1(tmp_path: Path, words: tuple[str, ...]) -> None:
    status, errors = run(tmp_path, words, ">/dev/full")
    assert (status, errors) == (1, "lakemuster: cannot write the output: no space left on device\n")


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_closed_stdout_is_no_failure(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run(tmp_path, words, ">&-") == (0, "")


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-"])
def test_a_closed_stderr_leaves_the_status(tmp_path: Path, closed: str) -> None:
    assert run(tmp_path, ("files", "shop.nope"), closed)[0] == 1
