"""The inside of a decoder process: one task after another from stdin, one reply each on stdout.

The process is the sandbox. It limits its own memory and, per task, its CPU time; the kernel ends it when it
overruns, and the pool's side (``decode.py``) reads the reason from how it ended. It lives no longer than the
process that started it: the kernel is told so where it can be, and an empty stdin says so everywhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Literal

from lakemuster.errors import CatalogError

try:
    import resource
except ImportError:  # Windows has no such limits; wall-clock time is kept by the pool.
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1

ENVIRONMENT = {
    # Memory that an allocator reserves ahead counts as used, and could be used, past the limit.
    "MIMALLOC_ARENA_RESERVE": "0",
    # Memory given back between tasks is faulted in again by the next one: a quarter of decoding's time.
    "MIMALLOC_PURGE_DELAY": "-1",
    "MALLOC_TRIM_THRESHOLD_": "2000000000",
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_ARENA_MAX": "1",
    # One task, one core: the pool is what runs tasks in parallel.
    "TOKIO_WORKER_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "RUST_BACKTRACE": "0",
}
"""Read by native libraries when they are loaded, so set before the process starts."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a decoder process may use.

    Attributes:
        memory_bytes: beyond what the process holds once prepared; a task's arguments and result count.
        cpu_seconds: of one task, of all its threads.
        tasks: after which the process is replaced.
    """

    memory_bytes: int
    cpu_seconds: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a task.

    Attributes:
        outcome: ``done``: value is what the function returned; ``refused``: a CatalogError; ``starved``: its memory
            did not suffice; ``broken``: any other exception, value is its traceback.
        last: the process ends after this reply.
    """

    outcome: Literal["done", "refused", "starved", "broken"]
    value: object
    last: bool


READY = "ready"


def main(parent: int) -> None:
    """Prepare, then serve tasks until stdin ends. Runs as the whole of a process started by ``parent``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(parent)
    tasks, replies = sys.stdin.buffer, _private_stdout()
    limits, prepare = pickle.load(tasks)  # noqa: S301 - from the process that started this one.
    prepare()
    # What there is now stays: a full collection need not look at it.
    gc.freeze()
    _limit_memory(limits.memory_bytes)
    ceiling = _data_bytes() + limits.memory_bytes // 4
    _send(replies, pickle.dumps(READY))
    for number in range(1, limits.tasks + 1):
        try:
            function, arguments, keywords = pickle.load(tasks)  # noqa: S301 - as above.
        except EOFError:
            return
        except MemoryError:
            _send(replies, _packed(Reply("starved", None, last=True)))
            return
        except Exception:  # noqa: BLE001 - what cannot be loaded is told; the rest of it blocks the pipe.
            _send(replies, _packed(Reply("broken", traceback.format_exc(), last=True)))
            return
        _allow_cpu(limits.cpu_seconds)
        outcome, value = _run(function, arguments, keywords)
        del function, arguments, keywords
        last = number == limits.tasks or outcome == "starved" or _data_bytes() > ceiling
        _send(replies, _packed(Reply(outcome, value, last)))
        del value
        if last:
            return


def _run(
    function: Callable[..., object], arguments: tuple[object, ...], keywords: dict[str, object]
) -> tuple[Literal["done", "refused", "starved", "broken"], object]:
    try:
        return "done", function(*arguments, **keywords)
    except CatalogError as error:
        return "refused", error
    except MemoryError:
        return "starved", None
    except BaseException:  # noqa: BLE001 - panics of Rust libraries are BaseExceptions.
        return "broken", traceback.format_exc()


def _packed(reply: Reply) -> bytes:
    try:
        return pickle.dumps(reply, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(Reply("starved", None, last=True))
    except Exception:  # noqa: BLE001 - whatever the objects' own pickling raises.
        return pickle.dumps(Reply("broken", traceback.format_exc(), reply.last))


def _send(replies: BinaryIO, packed: bytes) -> None:
    try:
        replies.write(packed)
        replies.flush()
    except BrokenPipeError:
        os._exit(0)


def _private_stdout() -> BinaryIO:
    """The pipe to the pool, where no library's print can reach it."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True)
    return private


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if hasattr(os, "getppid") and os.getppid() != parent:
        os._exit(0)


def _limit_memory(budget: int) -> None:
    # Not RLIMIT_AS: native libraries map far more addresses than they use.
    held = _data_bytes()
    if held and resource is not None:
        limit = held + budget
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _allow_cpu(seconds: float) -> None:
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        # The limit counts whole seconds of the process's life.
        soft = int(used.ru_utime + used.ru_stime + seconds) + 1
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def _data_bytes() -> int:
    """Private writable memory of this process, as the kernel counts it; 0 where it does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmData:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
