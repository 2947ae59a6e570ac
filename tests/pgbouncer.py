"""PgBouncer in transaction mode in front of PostgreSQL. Its Debian package is downloaded on first use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import make_url

from tests.counterparts.processes import started
from tests.postgres import ROLE, PostgresServer, other_user
from tests.tree import ROOT

PORT = 6432
"""A part of the name of its socket; it listens on no network address."""
_CONFIG = """
[databases]
{database} = host={server} user={role}
[pgbouncer]
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 500
"""


@cache
def _package(name: str) -> Path:
    command = [sys.executable, "-I", str(ROOT / "scripts" / "debian.py"), name]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return Path(brought.stdout.strip()) / "usr"


@contextmanager
def pgbouncer(server: PostgresServer, url: str, connections: int) -> Iterator[str]:
    """Run PgBouncer; yield the URL of the database of ``url`` through it.

    Args:
        connections: the maximum number of its connections to the server.
    """
    # A socket's path must be short, and accessible to PgBouncer's user.
    folder = Path(tempfile.mkdtemp(prefix="muster-pgb-", dir="/tmp"))
    try:
        shutil.copy2(_package("pgbouncer") / "sbin" / "pgbouncer", folder)
        for library in (_package("libc-ares2") / "lib").rglob("libcares.so.2"):
            shutil.copy2(library, folder)
        database, behind = make_url(url).database, Path(server.socket_path).parent
        config = _CONFIG.format(
            database=database, server=behind, role=ROLE, port=PORT, folder=folder, connections=connections
        )
        (folder / "pgbouncer.ini").write_text(config)
        words = [str(folder / "pgbouncer"), str(folder / "pgbouncer.ini")]
        if (user := other_user()) is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
            words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *words]
        with started(words, folder / "log", "process up", {"LD_LIBRARY_PATH": str(folder)}):
            yield f"postgresql+psycopg://{ROLE}@/{database}?host={folder}&port={PORT}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
