"""The image's parts hold: what its Dockerfile copies, sets and runs is run here, with the volume as the only new files.

There is no container engine here. The environment is built from the same lock by the same rules, the tree is the copied
one, and the commands, variables and health check are read from the Dockerfile.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tree import ROOT


def instructions(stage: int) -> list[tuple[str, str]]:
    """(instruction, words) of one stage of the Dockerfile."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    stages = re.split(r"^FROM .*$", text, flags=re.MULTILINE)
    lines = [line.strip().partition(" ") for line in stages[stage].splitlines() if line.strip()]
    return [(name, words.strip()) for name, _, words in lines]


def words_of(name: str, stage: int = 2) -> list[str]:
    return [words for instruction, words in instructions(stage) if instruction == name]


@dataclass(frozen=True)
class Image:
    """The image's folders and variables, as they stand on this machine."""

    opt: Path
    volume: Path
    elsewhere: Path
    environment: dict[str, str]

    def run(self, command: list[str], **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [shutil.which(command[0], path=self.environment["PATH"]) or command[0], *command[1:]],
            cwd=self.volume,
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="module")
def server_python():
    """The python of an environment with what the image has, and no more."""
    command = ["sh", ROOT / "scripts" / "environment.sh", ROOT / "requirements-server.lock"]
    built = subprocess.run(command, capture_output=True, text=True, check=True)
    return Path(built.stdout.strip())


@pytest.fixture
def image(server_python, tmp_path):
    """The copied tree, the lock's environment, an empty volume."""
    opt, volume, elsewhere = (tmp_path / name for name in ("opt", "volume", "elsewhere"))
    for folder in (opt / "bin", volume, elsewhere):
        folder.mkdir(parents=True)
    for words in words_of("COPY", 1):
        source, target = words.split()
        if target.startswith("/opt/lakemuster/"):
            shutil.copytree(ROOT / source, opt / target[1:], ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    (made,) = re.findall(r"printf '%s\\n' '#!(\S+)' '(.+?)' '(.+?)' > (\S+)", words_of("RUN", 1)[1])
    assert made[0] == "/opt/venv/bin/python"
    shim = opt / "bin" / "lakemuster"
    shim.write_text(f"#!{server_python}\n{made[1]}\n{made[2]}\n")
    shim.chmod(0o755)
    assert made[3] == "/opt/venv/bin/lakemuster"
    environment = {"TMPDIR": str(elsewhere)}
    for pair in words_of("ENV")[0].split():
        name, _, value = pair.partition("=")
        value = value.replace("/opt/venv/bin", f"{opt / 'bin'}:{server_python.parent}")
        value = value.replace("/opt/lakemuster", str(opt / "opt" / "lakemuster"))
        environment[name] = re.sub(r"^/data", str(volume), value)
    return Image(opt, volume, elsewhere, environment)


def listing(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def healthy(image: Image, port: str) -> bool:
    (health,) = words_of("HEALTHCHECK")
    process = image.run(json.loads(health.partition("CMD ")[2]), LAKEMUSTER_PORT=port)
    process.communicate(timeout=10)
    return process.returncode == 0


def test_everything_that_is_copied_is_there_and_is_let_through():
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    sources = {words.split()[0] for words in words_of("COPY", 1)}
    assert sources == let_through
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_installs_hashed_wheels_and_runs_without_rights():
    install = words_of("RUN", 1)[0]
    assert "--require-hashes" in install
    assert "--only-binary :all:" in install
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", words_of("USER")[0])
    assert words_of("VOLUME") == words_of("WORKDIR") == ["/data"]
    assert not words_of("ADD")


def test_it_refuses_the_network_without_tokens(image):
    command = json.loads(words_of("ENTRYPOINT")[0]) + json.loads(words_of("CMD")[0])
    process = image.run(command)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "TOKENS" in output
    assert len(output.splitlines()) == 1


def test_it_serves_the_demo_lake_and_writes_to_its_volume_only(image):
    before, port = listing(image.opt), free_port()
    assert not healthy(image, port)
    command = [*json.loads(words_of("ENTRYPOINT")[0]), "serve", "--demo", "--insecure-public"]
    process = image.run(command, LAKEMUSTER_PORT=port)
    try:
        deadline = time.monotonic() + 60
        while not healthy(image, port):
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.2)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/tables") as answer:
            assert len(json.load(answer)["tables"]) == 5
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM), output
    assert listing(image.opt) == before
    assert list(image.elsewhere.iterdir()) == []
    assert {path.name for path in image.volume.iterdir()} == {".lakemuster"}


def test_it_has_the_drivers_of_postgresql_and_s3_and_nothing_for_tests(server_python):
    program = (
        "import importlib.util as u; import psycopg, s3fs; "
        "print([name for name in ('pytest', 'pyiceberg', 'moto', 'mypy', 'hypothesis') if u.find_spec(name)])"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([server_python, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
