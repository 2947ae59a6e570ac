"""Operations on an index that tests run in other processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import event

from lakemuster.index import leases
from lakemuster.index.database import Database
from lakemuster.index.segments import register_segments
from lakemuster.index.snapshots import get_snapshot, publish
from tests.contract.index import made

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])


def start(work: Callable[..., None], *arguments: object) -> Any:
    """Start ``work`` in a new process."""
    process = _CONTEXT.Process(target=work, args=arguments)
    process.start()
    return process


def finish(process: Any) -> int:
    """Wait for a process; return its exit code, or the negated number of the signal that ended it."""
    process.join(120)
    assert process.exitcode is not None
    return int(process.exitcode)


def migrate(url: str) -> None:
    """Migrate a database to the newest version."""
    Database(url).migrate()


def publish_snapshot(url: str, table_id: int, number: int, manifests: int) -> None:
    """Publish a snapshot as one of several servers that index it."""
    database = Database(url)
    listed = made.published(range(manifests))
    with database.session() as session:
        register_segments(session, made.segments(listed))
    with leases.hold(database, table_id, wait_seconds=60) as lease, database.session() as session:
        publish(session, lease, get_snapshot(session, table_id, number).row_id, listed)


def commit_each(url: str, table_ids: Sequence[int], commits: int) -> None:
    """Store ``commits`` commits of each table, one after another."""
    database = Database(url)
    for number in range(2, 2 + commits):
        for table_id in table_ids:
            made.store(database, table_id, made.on_main(range(1, number + 1)))


def commit_until(url: str, table_id: int, statements: int) -> None:
    """Store a commit; SIGKILL this process after ``statements`` SQL statements, or just before the SQL commit."""
    database = Database(url)
    left = [statements]

    def count(*_: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(database._engine, "after_cursor_execute", count)
    event.listen(database._engine, "commit", count)
    made.store(database, table_id, made.on_main([1, 2]))


def publish_until(url: str, table_id: int, number: int, manifests: int, statements: int) -> None:
    """Publish a snapshot; SIGKILL this process after ``statements`` SQL statements, or just before the SQL commit."""
    database = Database(url)
    listed = made.published(range(manifests))
    left = [statements]

    def count(*_: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    lease = leases.acquire(database, table_id, wait_seconds=60, ttl_seconds=0.01)
    with database.session() as session:
        connection = session.connection()
        event.listen(connection, "after_cursor_execute", count)
        event.listen(connection, "commit", count)
        publish(session, lease, get_snapshot(session, table_id, number).row_id, listed, segments=made.segments(listed))


def hold_and_die(url: str, table_id: int) -> None:
    """Acquire a lease for an hour, and SIGKILL this process."""
    leases.acquire(Database(url), table_id, wait_seconds=0, ttl_seconds=3600)
    os.kill(os.getpid(), signal.SIGKILL)
