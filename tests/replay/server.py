"""A server of given code, run as an operator does."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from tests.journey.servers import free_port
from tests.replay.revisions import python_of

START_SECONDS = 120
STOP_SECONDS = 60


def environment(code: Path, folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process that runs ``code`` on the index in ``folder``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAKEMUSTER_")}
    defaults = {
        "DATABASE_URL": f"sqlite:///{folder}/index.db",
        "SEGMENTS_URL": f"{folder}/segments",
        "CACHE_DIR": f"{folder}/cache",
        "DECODERS": "1",
        "WORKERS": "1",
    }
    named = {f"LAKEMUSTER_{name}": value for name, value in {**defaults, **settings}.items()}
    return {**kept, "PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1", **named}


def run(code: Path, folder: Path, *words: str, **settings: str) -> str:
    """Run a command of ``code``, and return its output."""
    done = subprocess.run(
        [python_of(code), "-m", "lakemuster", *words],
        cwd=folder,
        env=environment(code, folder, settings),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"lakemuster {' '.join(words)}: status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def served(code: Path, folder: Path, *words: str, **settings: str) -> Iterator[int]:
    """Run a server; yield its port once it is ready."""
    port = free_port()
    log = folder / "server.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [python_of(code), "-m", "lakemuster", "serve", "--port", str(port), *words],
            cwd=folder,
            env=environment(code, folder, settings),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait(process, port, log)
        yield port
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}: {log.read_text()[-4000:]}")
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    raise RuntimeError(f"the server was not ready within {START_SECONDS} s: {log.read_text()[-4000:]}")
