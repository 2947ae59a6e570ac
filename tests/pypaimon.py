"""Apache Paimon's own client, to write tables with and to hold answers against.

It pins old pyarrow and fsspec, so it lives in an environment of its own (``requirements-pypaimon.lock``), built on
first use. Scripts run there in a process; values cross as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
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


@pytest.fixture(scope="session")
def pypaimon_python() -> Path:
    """The python of the environment that has pypaimon."""
    command = ["sh", str(ROOT / "scripts" / "environment.sh"), str(ROOT / "requirements-pypaimon.lock")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        raise RuntimeError(f"no environment for pypaimon: {built.stderr}")
    return Path(built.stdout.strip())


@pytest.fixture(scope="session")
def run_pypaimon(pypaimon_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Call ``main(**arguments)`` of a script (its path, or its text) beside pypaimon; arguments and answer are JSON."""

    def run(script: Path | str, **arguments: object) -> Any:
        folder = tmp_path_factory.mktemp("pypaimon")
        if isinstance(script, str):
            (folder / "script.py").write_text(script)
            script = folder / "script.py"
        done = subprocess.run(
            [pypaimon_python, "-I", "-c", _CALL, script, folder / "answer.json"],
            input=json.dumps(arguments, default=str),
            capture_output=True,
            text=True,
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"TZ": "UTC"},
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{script.name} failed beside pypaimon:\n{done.stdout[-1000:]}{done.stderr[-4000:]}")
        return json.loads((folder / "answer.json").read_text())

    return run
