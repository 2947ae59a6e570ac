"""Start the program by a fork of a process that has imported it: most of a start is imports.

One process imports the program (``preloading.py``) and forks at each request. The forked process gets its own working
directory, environment, arguments and streams, and runs ``python -m lakemuster``.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO

APP = Path(__file__).resolve().parents[2] / "app"
_OF_TESTS = ("LAKEMUSTER_", "PYTEST_")


@dataclass
class Forked:
    """A process that was forked, with the part of ``subprocess.Popen`` that tests use."""

    args: Sequence[str]
    pid: int
    _answers: socket.socket
    returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status; None while the process runs."""
        return self._exited(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return its exit status.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        status = self._exited(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _exited(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._answers], [], [], timeout)[0]:
            self.returncode = int(self._answers.recv(64))
            self._answers.close()
        return self.returncode


@dataclass(frozen=True)
class Preloaded:
    """A process that has imported the program.

    Attributes:
        variables: its environment, without the variables that differ from start to start.
    """

    variables: Mapping[str, str]
    _requests: socket.socket = field(repr=False)

    def fork(self, words: Sequence[str], folder: Path, variables: Mapping[str, str], *, out: int, err: int) -> Forked:
        """Run ``lakemuster`` with these arguments in a new session.

        Args:
            out: the descriptor for standard output; ``err``, for standard error.
        """
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"words": list(words), "folder": str(folder), "variables": dict(variables)}
        with there:
            socket.send_fds(self._requests, [json.dumps(request).encode()], [out, err, there.fileno()])
            pid = int(here.recv(64))
        return Forked(["lakemuster", *words], pid, here)


@cache
def preloaded() -> Preloaded:
    """Return the process of this test process; start it at the first call."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    variables = own_variables(os.environ)
    with there:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("preloading.py")), str(there.fileno())],
            env={**variables, "PYTHONPATH": str(APP)},
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        here.close()  # no further request: the process ends
        process.wait()

    atexit.register(end)
    return Preloaded({**variables, "PYTHONPATH": str(APP)}, here)


def is_like(variables: Mapping[str, str]) -> bool:
    """Return whether an environment differs from the preloaded process' in settings only."""
    return own_variables(variables) == preloaded().variables


def own_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the program or its libraries may read while they are imported."""
    return {name: value for name, value in variables.items() if not name.startswith(_OF_TESTS)}


def started(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], output: BinaryIO
) -> Forked | subprocess.Popen[bytes]:
    """Start the program in a new session, with both streams to a file."""
    if is_like(variables):
        return preloaded().fork(words, folder, variables, out=output.fileno(), err=output.fileno())
    command = [sys.executable, "-m", "lakemuster", *words]
    return subprocess.Popen(command, cwd=folder, env=variables, stdout=output, stderr=output, start_new_session=True)


def run(words: Sequence[str], folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    if not is_like(variables):
        command = [sys.executable, "-m", "lakemuster", *words]
        return subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300, check=False
        )
    with _unnamed() as out, _unnamed() as err:
        forked = preloaded().fork(words, folder, variables, out=out.fileno(), err=err.fileno())
        try:
            status = forked.wait(300)
        except subprocess.TimeoutExpired:
            forked.kill()
            raise
        return subprocess.CompletedProcess(list(forked.args), status, _text(out), _text(err))


def _unnamed() -> io.FileIO:
    return io.FileIO(os.memfd_create("output"), "r+")


def _text(file: io.FileIO) -> str:
    file.seek(0)
    return io.TextIOWrapper(file, encoding="utf-8").read()
