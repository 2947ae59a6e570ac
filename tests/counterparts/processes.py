"""Third-party servers as child processes: started, awaited by their output, and terminated."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

JAVA_OPTIONS = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC"]
"""Options for short-lived JVMs that run beside others."""


@dataclass(frozen=True)
class Started:
    """A running process.

    Attributes:
        ready: the match of the output line that signalled readiness.
        log: the file with its output.
    """

    process: subprocess.Popen[str]
    ready: re.Match[str]
    log: Path


@contextmanager
def started(
    command: Sequence[str], log: Path, ready: str, environment: Mapping[str, str] | None = None
) -> Iterator[Started]:
    """Run a process in the folder of its log; enter the block once a line of its output matches ``ready``.

    Raises:
        RuntimeError: it ended before that; the message contains the end of its output.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=log.parent,
        env=os.environ | dict(environment or {}),
        start_new_session=True,
    )
    assert process.stdout
    with log.open("w", buffering=1) as output:
        copying = Thread(target=shutil.copyfileobj, args=(process.stdout, output), daemon=True)
        try:
            for line in process.stdout:
                output.write(line)
                if match := re.search(ready, line):
                    copying.start()
                    yield Started(process, match, log)
                    return
            raise RuntimeError(f"{command[0]} ended with {process.wait()}:\n{log.read_text()[-4000:]}")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if copying.is_alive():
                copying.join()
