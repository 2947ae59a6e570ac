"""The folder through which worker processes share their metrics, so that one scrape covers all of them.

Each worker writes its counters, histograms and gauges to its own memory-mapped files in this folder (the multiprocess
mode of prometheus_client): they outlive a worker that is killed. Files belong to a worker's number, not to its process
id. A worker takes the lowest number that no live process holds, so a worker that replaces a dead one continues the
counters in its files, and the number of files stays constant.

Held metrics are written to the files every few seconds, and whenever another worker connects to the worker's Unix
socket in the folder.

Programs that remove old files from folders for temporary files may remove this one. Workers therefore touch their
files, and a worker whose files were removed ends, so that its supervisor replaces it.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from prometheus_client import values

from lakemuster.api.metric_files import AllocatedDict
from lakemuster.errors import ConfigInvalid

LOG = logging.getLogger("lakemuster.api")

VARIABLE = "MUSTER_WORKERS_FOLDER"
"""The environment variable that passes the folder to worker processes."""

WRITE_SECONDS = 5.0
"""Seconds between a worker's writes of held metrics; a killed worker loses the changes of at most one interval."""

ANSWER_SECONDS = 2.0
"""Timeout of a scrape for all other workers together; without a response, a worker's last written values are used."""

TOUCH_SECONDS = 3600.0
"""Seconds between two updates of the times of a worker's files."""

_PREFIX = "lakemuster-workers-"
_LEFT_BEHIND_SECONDS = 60.0
_PAUSE_SECONDS = 0.5
_LONGEST_PATH = 80  # a Unix socket's path has at most some hundred bytes


@contextmanager
def worker_folder() -> Iterator[Path]:
    """Create a private folder for the worker processes that this process starts; ``VARIABLE`` passes its path.

    Raises:
        ConfigInvalid: the system's folder for temporary files is not writable.
    """
    try:
        base = Path(tempfile.gettempdir())
    except OSError as cause:
        raise ConfigInvalid("WORKERS needs a folder for temporary files: set TMPDIR to one that is writable") from cause
    if len(os.fsencode(base)) > _LONGEST_PATH:
        base = Path("/tmp")  # noqa: S108 - the folder itself is private
    _remove_left_behind(base)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=base, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with _locked(folder / "parent.lock"):
            os.environ[VARIABLE] = name
            try:
                yield folder
            finally:
                del os.environ[VARIABLE]


class WorkerFolder:
    """One worker's view of the folder.

    Attributes:
        number: this worker's number, unique among live workers.
        value_class: prometheus_client's value class; its instances write to this worker's files.
        end: called once the worker's files were removed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end: Callable[[], None] = lambda: None
        self._touched_at = time.monotonic()
        self._create()
        self.number, self._lock = self._claim()
        # Remove the gauges of this number's last holder; its counters continue.
        for file in path.glob(f"gauge_*_{self.number}.db"):
            file.unlink(missing_ok=True)
        # Read by prometheus_client whenever it opens a file.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(path)
        # A global, too: the class with which prometheus_client opens them.
        values.MmapedDict = AllocatedDict  # type: ignore[attr-defined]
        self.value_class: Any = values.MultiProcessValue(lambda: self.number)  # type: ignore[no-untyped-call]
        self._closed = False
        self._listener: socket.socket | None = None

    @classmethod
    def of_environment(cls) -> WorkerFolder | None:
        """Return the folder of a worker process; None in a server of one process."""
        name = os.environ.get(VARIABLE)
        if name is None:
            return None
        folder = cls(Path(name))
        folder.end = lambda: os.kill(os.getpid(), signal.SIGTERM)
        return folder

    def answer(self, write: Callable[[], None]) -> None:
        """Start the thread that calls ``write`` when another worker connects, and every ``WRITE_SECONDS``."""
        path = self._socket_of(self.number)
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen(64)
        listener.settimeout(WRITE_SECONDS)
        self._listener = listener
        threading.Thread(target=self._serve, args=(listener, write), name="metrics", daemon=True).start()

    def ask_others(self) -> dict[int, int]:
        """Request that all other workers write their held metrics.

        Returns:
            The process ids of the live workers by number, including this one.
        """
        self._create()
        asked: list[tuple[int, socket.socket]] = []
        deadline = time.monotonic() + ANSWER_SECONDS
        live = {self.number: os.getpid()}
        for path in self.path.glob("*.socket"):
            number = int(path.stem)
            if number == self.number:
                continue
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(ANSWER_SECONDS)
            try:
                connection.connect(str(path))
            except (ConnectionRefusedError, FileNotFoundError):
                connection.close()  # no listener: the worker has ended
            except OSError:
                connection.close()
                live[number] = self._process_of(number)
            else:
                asked.append((number, connection))
                live[number] = self._process_of(number)
        for _, connection in asked:
            with contextlib.suppress(OSError), connection:
                connection.settimeout(max(0.01, deadline - time.monotonic()))
                connection.recv(1)
        return {number: process for number, process in live.items() if process}

    def close(self) -> None:
        """Release the number; the end of the process releases it, too."""
        self._closed = True
        if self._listener is not None:
            self._listener.close()
        self._lock.close()

    def _serve(self, listener: socket.socket, write: Callable[[], None]) -> None:
        while not self._closed:
            connection = None
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                pass
            except OSError:  # it was closed, or the process has no file descriptor left
                time.sleep(_PAUSE_SECONDS)
                continue
            try:
                write()
            except Exception:
                LOG.exception("the metrics of a worker cannot be written")
            finally:
                if connection is not None:
                    connection.close()
            if self._is_removed():
                LOG.warning("the files of a server process in %s were removed: it is replaced", self.path)
                self.end()
                return
            if time.monotonic() - self._touched_at >= TOUCH_SECONDS:
                self.touch()

    def touch(self) -> None:
        """Update the times of this worker's files, which the kernel does not do for locks and sockets."""
        self._touched_at = time.monotonic()
        for file in (self.path, self.path / "parent.lock", *self.path.glob(f"*{self.number}.*")):
            with contextlib.suppress(OSError):
                os.utime(file)

    def _create(self) -> None:
        with contextlib.suppress(OSError):
            self.path.mkdir(mode=0o700, exist_ok=True)

    def _is_removed(self) -> bool:
        try:
            own = os.fstat(self._lock.fileno())
            return not os.path.samestat(os.stat(self.path / f"{self.number}.lock"), own)
        except FileNotFoundError:
            return True
        except (OSError, ValueError):  # the lock is closed
            return False

    def _claim(self) -> tuple[int, IO[str]]:
        number = 0
        while True:
            lock = (self.path / f"{number}.lock").open("a+", encoding="ascii")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
                number += 1
                continue
            lock.truncate(0)
            # On a full disk the number is held, but the process is not known to the others.
            with contextlib.suppress(OSError):
                os.write(lock.fileno(), str(os.getpid()).encode())
            return number, lock

    def _process_of(self, number: int) -> int:
        """Return the id of the process that last claimed a number; 0 if the lock file does not have it."""
        try:
            return int((self.path / f"{number}.lock").read_text("ascii"))
        except (OSError, ValueError):
            return 0

    def _socket_of(self, number: int) -> Path:
        return self.path / f"{number}.socket"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _remove_left_behind(base: Path) -> None:
    """Remove the folders of killed servers, in which no process holds a lock."""
    for folder in base.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as locks:
            if folder.stat().st_uid != os.getuid() or time.time() - folder.stat().st_mtime < _LEFT_BEHIND_SECONDS:
                continue
            for path in folder.glob("*.lock"):
                locks.enter_context(_locked(path))
            shutil.rmtree(folder)
