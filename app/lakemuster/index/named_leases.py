"""Named leases: locks in the database, for work on the whole index that one process at a time should do.

Times are by the database's clock. A lease is free if it has expired, or its holder is a dead process of this machine.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from lakemuster.errors import IndexUnavailable
from lakemuster.index.database import Database, NowMs
from lakemuster.index.late_release import release_soon
from lakemuster.index.lease_owner import is_dead, new_owner
from lakemuster.index.orm import NamedLeaseRow
from lakemuster.index.statements import insert_new


@contextlib.contextmanager
def hold_named_lease(database: Database, name: str, ttl_seconds: float) -> Iterator[NamedLease | None]:
    """Hold the lease while the block runs, if it is free; otherwise yield None at once.

    Args:
        ttl_seconds: must be longer than the work takes: the lease is not renewed automatically.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    holding = NamedLease(database, name, new_owner(), ttl_seconds)
    try:
        is_taken = holding.take()
    except IndexUnavailable:
        # The transaction may have been committed.
        release_soon(holding.release, ttl_seconds)
        raise
    if not is_taken:
        yield None
        return
    try:
        yield holding
    finally:
        release_soon(holding.release, ttl_seconds)


class NamedLease:
    """A lease that this process holds."""

    def __init__(self, database: Database, name: str, holder: str, ttl_seconds: float) -> None:
        self._database, self._name, self._holder = database, name, holder
        self._ttl_ms = round(ttl_seconds * 1000)

    def take(self) -> bool:
        """Take the lease if it is free; return whether it was taken."""
        if not self._is_free():  # a read transaction: most callers need not write
            return False
        with self._database.session() as session:
            fresh = {"name": self._name, "holder": None, "expires_at_ms": 0, "done_at_ms": 0}
            insert_new(session, NamedLeaseRow, [fresh])
            if not _can_take(session, self._name, locking=True):
                return False
            self._set(session, holder=self._holder, expires_at_ms=NowMs() + self._ttl_ms)
        return True

    def renew(self) -> bool:
        """Extend the lease; return False if another process has taken over."""
        with self._database.session() as session:
            return self._set(session, mine=True, expires_at_ms=NowMs() + self._ttl_ms)

    def release(self) -> None:
        """Release the lease if it is still held."""
        with self._database.session() as session:
            session.execute(
                delete(NamedLeaseRow)
                .where(NamedLeaseRow.name == self._name, NamedLeaseRow.holder == self._holder)
                .execution_options(synchronize_session=False)
            )

    def _is_free(self) -> bool:
        with self._database.reading() as session:
            return _can_take(session, self._name, or_absent=True)

    def _set(self, session: Session, *, mine: bool = False, **values: object) -> bool:
        changed = update(NamedLeaseRow).where(NamedLeaseRow.name == self._name)
        if mine:
            changed = changed.where(NamedLeaseRow.holder == self._holder)
        changed = changed.values(values).returning(NamedLeaseRow.name)
        return session.execute(changed.execution_options(synchronize_session=False)).scalar() is not None


def _can_take(session: Session, name: str, *, locking: bool = False, or_absent: bool = False) -> bool:
    wanted = select(NamedLeaseRow.holder, NamedLeaseRow.expires_at_ms <= NowMs()).where(NamedLeaseRow.name == name)
    row = session.execute(wanted.with_for_update() if locking else wanted).one_or_none()
    if row is None:
        return or_absent
    holder, is_expired = row
    return holder is None or bool(is_expired) or is_dead(holder)
