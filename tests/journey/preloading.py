"""The process that imports the program once, and forks for each start (``preloaded.py``).

For each request it forks a process that forks the program, sends the program's id, waits for it and sends its exit
status: so the first process starts many programs without threads, and has no list of them.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import random
import runpy
import signal
import socket
import sys
from typing import Any

SERVER = "lakemuster.main"
COMMANDS = "lakemuster.cli"
_OF_SPARK = "lakemuster.cli.spark_engine"


def _import_all() -> None:
    importlib.import_module(SERVER)
    for module in pkgutil.walk_packages(importlib.import_module(COMMANDS).__path__, f"{COMMANDS}."):
        if module.name != _OF_SPARK:
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()  # forked processes share the pages of these objects


def _await_request(requests: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for a request in the first process; return it in the process that runs the program, None at the end."""
    while True:
        told, descriptors, *_ = socket.recv_fds(requests, 2**20, 3)
        if not told:
            return None
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    requests.close()
    answers = socket.socket(fileno=descriptors.pop())
    program = os.fork()
    if program == 0:
        answers.close()
        return json.loads(told), descriptors
    for descriptor in descriptors:
        os.close(descriptor)
    answers.send(str(program).encode())
    _, status = os.waitpid(program, 0)
    answers.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(request: dict[str, Any], output: list[int]) -> None:
    """Take over the session, streams, environment, folder and arguments of a new process."""
    os.setsid()
    for descriptor, source in enumerate(output, 1):
        os.dup2(source, descriptor)
        os.close(source)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    sys.argv[1:] = request["words"]
    sys.path[0] = request["folder"]
    random.seed()


if __name__ == "__main__":
    _import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system reaps its children
    asked = _await_request(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        _become(*asked)
        runpy.run_module("lakemuster", run_name="__main__", alter_sys=True)
