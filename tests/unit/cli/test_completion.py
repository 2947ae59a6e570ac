"""Shell completion of commands, options, choices, and tables of the local index or of a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from lakemuster.catalog.system_tables import NAMES
from lakemuster.cli.system import SYSTEM_TABLES
from lakemuster.index.database import open_database
from lakemuster.index.tables import add_table
from tests.loopback_http import listening

PROGRAM = "from lakemuster.cli import app; app(prog_name='lakemuster')"
ROW = {"format": "iceberg", "location": "s3://lake/t", "current_snapshot_id": None}
TABLES = ("sales.orders", "sales.items", "web.clicks", "`a b`.c", "sales.$(reboot)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index of registered tables."""
    here = tmp_path_factory.mktemp("completion")
    database = open_database(f"sqlite:///{here}/index.db")
    with database.session() as session:
        for name in TABLES:
            add_table(session, name, f"s3://lake/{name}", "iceberg")
    database.close()
    return here


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that lists tables to callers with the token only."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = self.headers.get("Authorization") == "Bearer secret"
            rows = [ROW | {"name": name} for name in ("there.one", "there.two", "other.x")] if is_known else []
            body = json.dumps({"tables": rows, "next_page_token": None}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    with listening(Handler) as port:
        yield f"http://127.0.0.1:{port}"


def completed(repository: Path, folder: Path, line: str, **settings: str) -> tuple[list[str], str]:
    """Return bash's completions of the last word of a line, and stderr."""
    words = line.split(" ")
    asked = {"_LAKEMUSTER_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(repository / "app"),
        "LAKEMUSTER_DATABASE_URL": f"sqlite:///{folder}/index.db",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment | asked | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lakemuster snap", ["snapshots"]),
        ("lakemuster files sales.", ["sales.items", "sales.orders"]),
        ("lakemuster --json plan web", ["web.clicks"]),
        ("lakemuster refresh sales.orders we", ["web.clicks"]),
        ("lakemuster files nothing", []),
        ("lakemuster add sa", []),
        ("lakemuster add x y --format ", ["iceberg", "paimon"]),
        ("lakemuster files t --nan un", ["unordered"]),
        ("lakemuster serve --max-st", ["--max-staleness"]),
        ("lakemuster serve --role ", ["api", "worker", "all"]),
        ("lakemuster system file", ["files", "file_key_ranges"]),
        ("lakemuster files t --token", ["--token", "--token-env", "--token-file"]),
    ],
)
def test_words_are_completed(repository, folder, line, words):
    assert completed(repository, folder, line) == (words, "")


def test_names_that_a_shell_would_interpret_are_left_out(repository, folder):
    found, _ = completed(repository, folder, "lakemuster files ")
    assert found == ["sales.items", "sales.orders", "web.clicks"]


@pytest.mark.parametrize("place", ["variable", "before", "behind"])
def test_tables_of_a_server_are_completed(repository, folder, server, place):
    settings = {"LAKEMUSTER_TOKEN": "secret"} | ({"LAKEMUSTER_URI": server} if place == "variable" else {})
    line = {
        "variable": "lakemuster files the",
        "before": f"lakemuster --uri {server} files the",
        "behind": f"lakemuster files --uri {server} the",
    }[place]
    assert completed(repository, folder, line, **settings) == (["there.one", "there.two"], "")
    assert completed(repository, folder, line, **settings | {"LAKEMUSTER_TOKEN": "wrong"}) == ([], "")


@pytest.mark.parametrize(
    "settings",
    [
        {"LAKEMUSTER_URI": "http://127.0.0.1:9"},
        {"LAKEMUSTER_URI": "not an address"},
        {"LAKEMUSTER_DATABASE_URL": "sqlite:////no/such/folder/index.db"},
        {"LAKEMUSTER_DATABASE_URL": "nonsense"},
        {"LAKEMUSTER_PORT": "nonsense"},
    ],
)
def test_failures_are_silent(repository, folder, settings):
    assert completed(repository, folder, "lakemuster files sa", **settings) == ([], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown_and_installed(repository, tmp_path, shell):
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(repository / "app"),
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    for option in ("--show-completion", "--install-completion"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, option, shell],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
    written = [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_LAKEMUSTER_COMPLETE" in text for text in written)


def test_the_system_tables_of_the_help_are_those_that_there_are():
    assert sorted(SYSTEM_TABLES) == sorted(NAMES)
