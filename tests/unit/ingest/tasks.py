"""Tasks that tests of the decoder pool run in its processes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from typing import NoReturn

from lakemuster.errors import LimitExceeded


def length(data: bytes) -> int:
    return len(data)


def zeros(count: int) -> bytes:
    return bytes(count)


def process_id() -> int:
    return os.getpid()


def environment(name: str) -> str | None:
    return os.environ.get(name)


def eat_memory() -> NoReturn:
    eaten = []
    while True:
        eaten.append(bytearray(8 << 20))


def keep_memory(count: int) -> int:
    process_id.kept = bytearray(count)  # type: ignore[attr-defined]
    return os.getpid()


def use_cpu(seconds: float) -> str:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "done"


def read_address_zero() -> None:
    ctypes.string_at(0)


def kill_self(until_exists: str) -> str:
    """Create the file and die of SIGKILL, as the OOM killer does; return "done" if the file exists."""
    if os.path.exists(until_exists):
        return "done"
    with open(until_exists, "w"):
        os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def always_kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt_self() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"


def leave(status: int) -> NoReturn:
    os._exit(status)


def print_noise() -> str:
    print("x" * 100_000)
    os.write(1, b"noise")
    sys.stdout.flush()
    return "done"


def refuse() -> NoReturn:
    raise LimitExceeded("too much of it", manifest="m1", limit=7)


def fail() -> NoReturn:
    raise KeyError("private words")


def unpicklable() -> object:
    return lambda: None


def do_nothing() -> None:
    pass


def where(data: bytes) -> tuple[int, int]:
    """Return the process id and the length of ``data``."""
    return os.getpid(), len(data)


def prepare_without_llvmlite() -> None:
    from lakemuster.formats.avro import prepare_decoders

    sys.modules["llvmlite.binding"] = None  # type: ignore[assignment]
    prepare_decoders()


def leave_if_bad(data: bytes) -> int:
    return leave(3) if data == b"bad" else len(data)


def fail_if_bad(data: bytes) -> int:
    return fail() if data == b"bad" else len(data)


def eat_if_bad(data: bytes) -> int:
    return eat_memory() if data == b"bad" else len(data)


def refuse_if_bad(data: bytes) -> int:
    return refuse() if data == b"bad" else len(data)
