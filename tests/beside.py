"""Other projects' clients in separate environments: scripts run there, with JSON arguments and results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tree import ROOT

_CALL = """
import json, runpy, sys
script, answer = sys.argv[1:]
value = runpy.run_path(script)["main"](**json.load(sys.stdin))
with open(answer, "w") as file:
    json.dump(value, file, default=str)
"""


def python_of(lock: str) -> Path:
    """Return the Python of the environment that a lock of the repository pins, built on first use."""
    command = ["sh", str(ROOT / "scripts" / "environment.sh"), str(ROOT / lock)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        raise RuntimeError(f"no environment of {lock}: {built.stderr}")
    return Path(built.stdout.strip())


def jars_of(lock: str) -> list[str]:
    """Return the paths of the jars that a lock of the repository pins."""
    command = [sys.executable, "-I", str(ROOT / "scripts" / "jars.py"), str(ROOT / lock)]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return brought.stdout.splitlines()


def node_modules_of(folder: Path) -> Path:
    """Return the ``node_modules`` folder of the npm packages that the lock in a folder pins."""
    command = [sys.executable, "-I", str(ROOT / "scripts" / "node_modules.py"), str(folder)]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return Path(brought.stdout.strip())


def runner(python: Path, folders: pytest.TempPathFactory) -> Callable[..., Any]:
    """Return a function that calls ``main(**arguments)`` of a script (path or text) there, with JSON values."""

    def run(script: Path | str, **arguments: object) -> Any:
        folder = folders.mktemp("beside")
        if isinstance(script, str):
            (folder / "script.py").write_text(script)
            script = folder / "script.py"
        done = subprocess.run(
            [python, "-I", "-c", _CALL, script, folder / "answer.json"],
            input=json.dumps(arguments, default=str),
            capture_output=True,
            text=True,
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"TZ": "UTC"},
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{script.name} failed beside us:\n{done.stdout[-1000:]}{done.stderr[-4000:]}")
        return json.loads((folder / "answer.json").read_text())

    return run


def end(process: subprocess.Popen[str]) -> None:
    """Stop a process that ends with its standard input; kill it after a minute."""
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
