"""A pool of decoder processes: untrusted bytes from buckets are decoded under limits of memory and time.

Each thread of the pool has its own worker process, connected by a pair of pipes. So whatever a task does to its process
(memory, CPU time, a crash of a native library, a hang) affects no other task. When a process dies, its task fails,
and the next task starts a new process. If something else killed the process (an operator, the kernel short of memory),
its bytes are not to blame, and the task is retried once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import ParamSpec, Self, TypeVar, cast

from lakemuster import tracing
from lakemuster.errors import CatalogError, DecodeFailed, IndexUnavailable
from lakemuster.formats.avro import prepare_decoders
from lakemuster.ingest.decode_worker import ENVIRONMENT, Limits, Ready, Reply
from lakemuster.kernels.states import add_kernel_states
from lakemuster.measures import Measure

P = ParamSpec("P")
T = TypeVar("T")

_START_SECONDS = 60.0
_DEATH_SECONDS = 5.0
_SECRETS = ("AWS_", "LAKEMUSTER_", "OTEL_", "PG")
"""Prefixes of environment variables that may hold the service's credentials: decoders do not inherit them."""

_log = logging.getLogger(__name__)


class DecoderPool:
    """Runs functions over untrusted bytes in processes with resource limits. Thread-safe.

    A process starts with the first task that needs it. It ends with the pool, or with the process that created the
    pool, however that process ends. Tasks queue in order, without bound: the caller limits how many it submits.

    Args:
        workers: maximum number of processes.
        memory_bytes: limit of one process, beyond what its libraries use; includes a task's arguments and result.
        cpu_seconds: CPU time limit of one task.
        wall_seconds: wall-clock limit of one task, from when a process receives it.
        prepare: called once in each process before its memory is limited, for imports and warm-up.
        tasks_per_process: a process is replaced after this many tasks; sooner if it retains much memory.

    Attributes:
        tasks: duration of each completed task in seconds, time in the queue excluded, by outcome.
    """

    def __init__(
        self,
        workers: int,
        memory_bytes: int,
        cpu_seconds: float,
        wall_seconds: float,
        *,
        prepare: Callable[[], object] = prepare_decoders,
        tasks_per_process: int = 10_000,
    ) -> None:
        self._limits = Limits(memory_bytes, cpu_seconds, tasks_per_process)
        self._wall_seconds = wall_seconds
        self._prepare = prepare
        # The kernel kills a worker when the thread that started it ends: these threads live as long as the pool.
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="decoder")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._processes: set[_Process] = set()
        self._closed = False
        self._submitted = self._started = self._ended = 0
        self.tasks = Measure("outcome")

    def counts(self) -> dict[str, float]:
        """Return the numbers of queued tasks, running tasks and live processes."""
        with self._lock:
            return {
                "queued": self._submitted - self._started,
                "running": self._started - self._ended,
                "processes": sum(process.usable for process in self._processes),
            }

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``function``, which must be importable by name, in a worker.

        The future raises the function's own CatalogError; DecodeFailed if the function ran out of memory or time,
        killed its process, or raised any other exception (logged here, not shown); IndexUnavailable if no process
        starts or the pool is closed.

        Raises:
            RuntimeError: the pool is closed.
        """
        with self._lock:
            self._submitted += 1
        # Carry the request's context variables into the pool's thread.
        future = self._threads.submit(copy_context().run, self._run_counted, (function, args, kwargs))
        return cast("Future[T]", future)

    def close(self) -> None:
        """Kill every process at once: queued tasks are cancelled, running tasks fail."""
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        self._threads.shutdown()
        for process in processes:
            process.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run_counted(self, task: _Task) -> object:
        with self._lock:
            self._started += 1
        try:
            with self.tasks.timed(), tracing.span("decode", function=task[0].__name__):
                return self._run(task)
        finally:
            with self._lock:
                self._ended += 1

    def _run(self, task: _Task) -> object:
        for is_last in (False, True):
            process = self._usable_process()
            try:
                reply = process.ask(task, self._wall_seconds)
                break
            except DecodeFailed:
                if self._closed:
                    raise IndexUnavailable("the decoder pool is closed") from None
                if is_last or not process.was_killed:
                    raise
        if reply.last:
            process.discard()
        if reply.outcome == "done":
            return reply.value
        if isinstance(reply.value, CatalogError):
            raise reply.value
        if reply.outcome == "starved":
            raise DecodeFailed("decoding needs more memory than its limit", limit_bytes=self._limits.memory_bytes)
        _log.error("decoding failed with an unexpected error\n%s", reply.value)
        raise DecodeFailed("decoding failed with an unexpected error, logged by the server")

    def _usable_process(self) -> _Process:
        process: _Process | None = getattr(self._own, "process", None)
        return process if process is not None and process.usable else self._replace(process)

    def _replace(self, old: _Process | None) -> _Process:
        if old is not None:
            old.discard()
        try:
            process = _Process(self._limits)
        except OSError as error:
            raise IndexUnavailable("a decoder process did not start") from error
        with self._lock:
            self._processes.discard(cast("_Process", old))
            self._processes.add(process)
            closed = self._closed
        if closed:
            process.kill()
        self._own.process = process
        process.start(self._prepare)
        return process


_Task = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]


class _Process:
    """A worker process, used by one thread; only ``kill`` may be called from another."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._waited_for = False
        self._overdue = False
        self._given_up = False
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from lakemuster.ingest.decode_worker import main; main({os.getpid()})"
        )
        self._child = subprocess.Popen(  # noqa: S603 - no untrusted input in the command.
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if not name.startswith(_SECRETS)} | ENVIRONMENT,
            # Ctrl-C in a terminal signals the parent only, which ends its workers in order.
            process_group=0 if os.name == "posix" else None,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._tasks, self._replies = self._child.stdin, self._child.stdout

    @property
    def usable(self) -> bool:
        """Whether the process can run a task: it was not discarded, and did not die between tasks."""
        return not self._given_up and self._child.poll() is None

    @property
    def was_killed(self) -> bool:
        """Whether the process died of a SIGKILL other than the one sent at its time limit."""
        return not self._overdue and self._child.poll() == -signal.SIGKILL

    def start(self, prepare: Callable[[], object]) -> None:
        """Wait until the process is prepared.

        Raises:
            IndexUnavailable: it did not start; its messages are on stderr.
        """
        try:
            ready = self._exchange((self._limits, prepare), _START_SECONDS)
        except (OSError, EOFError, pickle.UnpicklingError):
            ready = None
        if not isinstance(ready, Ready):
            self.discard()
            raise IndexUnavailable("a decoder process did not start")
        add_kernel_states(ready.kernels)

    def ask(self, task: _Task, wall_seconds: float) -> Reply:
        """Send a task and wait for its reply.

        Raises:
            DecodeFailed: the process died, or was killed at its time limit.
        """
        try:
            reply = self._exchange(task, wall_seconds)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise self._cause_of_death(wall_seconds) from error
        except BaseException:
            # The task cannot be pickled, or the reply cannot be loaded: the pipes may hold part of a message.
            self.discard()
            raise
        assert isinstance(reply, Reply)
        return reply

    def kill(self) -> None:
        """Kill the process. Safe to call from any thread at any time."""
        self._child.kill()

    def discard(self) -> None:
        """Kill and reap the process, and close its pipes."""
        self._given_up = True
        self._child.kill()
        self._child.wait()
        for pipe in (self._tasks, self._replies):
            with contextlib.suppress(OSError):
                pipe.close()

    def _exchange(self, message: object, seconds: float) -> object:
        with self._lock:
            self._waited_for, self._overdue = True, False
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            # A worker that cannot load the whole message replies with the reason, and closes the pipe.
            with contextlib.suppress(BrokenPipeError):
                pickle.dump(message, self._tasks, pickle.HIGHEST_PROTOCOL)
                self._tasks.flush()
            return pickle.load(self._replies)  # noqa: S301 - from a process that this one started.
        finally:
            timer.cancel()
            with self._lock:
                self._waited_for = False
                self._given_up |= self._overdue

    def _expire(self) -> None:
        with self._lock:
            if self._waited_for:
                self._overdue = True
                self._child.kill()

    def _cause_of_death(self, wall_seconds: float) -> DecodeFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_DEATH_SECONDS)
        self.discard()
        status = self._child.returncode
        if self._overdue:
            return DecodeFailed("decoding took longer than its limit", limit_seconds=wall_seconds)
        if status >= 0:
            return DecodeFailed("a decoder process ended before its task was done", status=status)
        name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
        if name == "SIGXCPU":
            seconds = self._limits.cpu_seconds
            return DecodeFailed("decoding used more CPU time than its limit", limit_seconds=seconds)
        # Native libraries abort when an allocation fails.
        hint = "; most likely out of memory" if name in ("SIGABRT", "SIGKILL") else ""
        return DecodeFailed(f"a decoder process was killed by {name}{hint}", limit_bytes=self._limits.memory_bytes)
