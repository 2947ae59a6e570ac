"""Commands import only what they need, and name the package to install when one is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SERVER = {
    "alembic",
    "fastapi",
    "fastavro",
    "fsspec",
    "orjson",
    "pyarrow",
    "s3fs",
    "sqlalchemy",
    "uvicorn",
}

PROGRAM = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from lakemuster.cli import app
try:
    app(prog_name="lakemuster")
finally:
    print("LOADED", *{{name.partition(".")[0] for name, module in sys.modules.items() if module}})
"""


def start(repository: Path, *words: str, missing: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(missing=missing), *words],
        env={"PYTHONPATH": str(repository / "app")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def loaded(done: subprocess.CompletedProcess[str]) -> set[str]:
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize("words", [["--help"], ["files", "--help"], ["--version"]])
def test_help_loads_neither_the_server_nor_the_client(repository, words):
    done = start(repository, *words)
    assert done.returncode == 0
    assert loaded(done) & (SERVER | {"httpx", "rich"}) == set()


def test_asking_a_server_loads_nothing_of_the_server(repository):
    done = start(repository, "tables", "--uri", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "no response from http://127.0.0.1:9" in done.stderr
    assert "httpx" in loaded(done)
    assert loaded(done) & SERVER == set()


def test_listing_a_local_index_loads_neither_sqlalchemy_nor_the_planner(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start(repository, "tables")  # the first call creates the index
    done = start(repository, "tables", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("[]\n")
    assert loaded(done) & (SERVER | {"httpx", "numpy", "rich"}) == set()
    assert "pydantic" in loaded(done), "pydantic validates the settings"


@pytest.mark.parametrize(
    "words", [["serve"], ["serve", "--demo"], ["migrate"], ["openapi"], ["tables"], ["files", "t"]]
)
def test_without_the_servers_packages_a_command_says_what_to_install(repository, words):
    missing = ("fastapi", "sqlalchemy", "pydantic_settings", "uvicorn")
    done = start(repository, *words, missing=missing)
    assert done.returncode == 1
    assert "pip install '.[server]' in the source tree" in done.stderr
    assert len(done.stderr.splitlines()) == 1
