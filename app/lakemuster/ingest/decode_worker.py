"""The main loop of a decoder process: it reads tasks from stdin and writes one reply to stdout for each.

The process is the sandbox. It limits its own memory and, per task, its CPU time. The kernel kills it when it exceeds
a limit, and the pool (``decode.py``) derives the reason from the exit status. It does not outlive the process that
started it: on Linux the kernel kills it with its parent, and everywhere it exits at the end of stdin.
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
from lakemuster.kernels.states import kernel_states

try:
    import resource
except ImportError:  # Windows has no such limits; the pool limits wall-clock time.
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1

ENVIRONMENT = {
    # Memory that an allocator has reserved in advance counts as used, and could be used beyond the limit.
    "MIMALLOC_ARENA_RESERVE": "0",
    # Keep memory between tasks: returning it to the kernel and faulting it in again took a quarter of decoding's time.
    "MIMALLOC_PURGE_DELAY": "-1",
    "MALLOC_TRIM_THRESHOLD_": "2000000000",
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_ARENA_MAX": "1",
    # One core for each task: the pool runs tasks in parallel.
    "OMP_NUM_THREADS": "1",
}
"""Environment variables that native libraries read when they are loaded, so the pool sets them before the start."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a decoder process.

    Attributes:
        memory_bytes: memory beyond what the process uses once prepared; includes a task's arguments and result.
        cpu_seconds: CPU time of one task, over all threads.
        tasks: number of tasks after which the process is replaced.
    """

    memory_bytes: int
    cpu_seconds: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a task.

    Attributes:
        outcome: ``done``: ``value`` is what the function returned; ``refused``: ``value`` is a CatalogError;
            ``starved``: out of memory; ``broken``: any other exception, ``value`` is its traceback.
        last: whether the process exits after this reply.
    """

    outcome: Literal["done", "refused", "starved", "broken"]
    value: object
    last: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """The first message of a process, sent once it is prepared.

    Attributes:
        kernels: the process's ``kernel_states``.
    """

    kernels: dict[str, bool]


def main(parent: int) -> None:
    """Prepare, then run tasks until stdin ends. The entry point of a process that process id ``parent`` started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(parent)
    tasks, replies = sys.stdin.buffer, _private_stdout()
    limits, prepare = pickle.load(tasks)  # noqa: S301 - from the process that started this one.
    prepare()
    # Existing objects are permanent: exclude them from full garbage collections.
    gc.freeze()
    _limit_memory(limits.memory_bytes)
    ceiling = _data_bytes() + limits.memory_bytes // 4
    _send(replies, pickle.dumps(Ready(kernel_states())))
    for number in range(1, limits.tasks + 1):
        try:
            function, arguments, keywords = pickle.load(tasks)  # noqa: S301 - as above.
        except EOFError:
            return
        except MemoryError:
            _send(replies, _packed(Reply("starved", None, last=True)))
            return
        except Exception:  # noqa: BLE001 - what cannot be loaded is reported; unread bytes would block the pipe.
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
    """Return the pipe to the pool, and redirect stdout to stderr so that no library prints into the pipe."""
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
    # Not RLIMIT_AS: native libraries map far more address space than they use.
    held = _data_bytes()
    if held and resource is not None:
        limit = min(held + budget, sys.maxsize)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _allow_cpu(seconds: float) -> None:
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        # RLIMIT_CPU counts whole seconds over the process's life.
        soft = int(used.ru_utime + used.ru_stime + seconds) + 1
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def _data_bytes() -> int:
    """Return this process's private writable memory (``VmData``); 0 where the kernel does not report it."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmData:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
