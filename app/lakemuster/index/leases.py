"""Table leases: at most one process at a time writes a table's index.

A lease is a row with an expiry time by the database's clock, renewed while its holder works. It is free earlier if its
holder is a dead process of this machine. Since the database's clock may step, a waiting process also watches the row: a
lease that is not renewed for its whole duration, by the monotonic clock, is free, too. The fence, a fencing token,
grows with every new holder. A writer first locks the row and compares the fence, so a holder that was suspended past
its expiry cannot change anything once another process has taken the lease.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import IndexUnavailable, RefreshBusy, TableNotFound
from lakemuster.index.database import Database, NowMs
from lakemuster.index.late_release import release_soon
from lakemuster.index.lease_owner import is_dead, new_owner
from lakemuster.index.orm import LeaseRow

TTL_SECONDS = 10.0
_FIRST_POLL_SECONDS = 0.02
_LONGEST_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one table's index.

    Attributes:
        waited: whether another process held it first; that process may have done the caller's work.
    """

    table_id: int
    holder: str
    fence: int
    ttl_ms: int
    waited: bool

    @property
    def table_ids(self) -> frozenset[int]:
        """The table's id, as in :class:`Leases`."""
        return frozenset([self.table_id])


@dataclass(frozen=True, slots=True)
class Leases:
    """The right to write the indexes of some tables. The holder's name is unique to this set, so no fence is needed."""

    table_ids: frozenset[int]
    holder: str
    ttl_ms: int


@contextlib.contextmanager
def hold(
    database: Database, table_id: int, *, wait_seconds: float, ttl_seconds: float = TTL_SECONDS
) -> Iterator[Lease]:
    """Hold a table's lease until the block ends; a background thread renews it.

    Raises:
        RefreshBusy: another process held the lease for all of ``wait_seconds``.
        TableNotFound: the table is not registered.
        IndexUnavailable: the database does not answer.
    """
    lease = acquire(database, table_id, wait_seconds=wait_seconds, ttl_seconds=ttl_seconds)
    with _renewed(database, lease):
        yield lease


@contextlib.contextmanager
def _renewed(database: Database, leases: Lease | Leases) -> Iterator[None]:
    """Renew leases until the block ends, and release them."""
    done = threading.Event()
    renewing = threading.Thread(target=_renew_until, args=(database, leases, done), name="lease", daemon=True)
    renewing.start()
    _count_held(database, len(leases.table_ids))
    try:
        yield
    finally:
        _count_held(database, -len(leases.table_ids))
        done.set()
        renewing.join()
        release_soon(partial(release, database, leases), leases.ttl_ms / 1000)


_HELD: WeakKeyDictionary[Database, int] = WeakKeyDictionary()
_HELD_LOCK = threading.Lock()


def held_leases(database: Database) -> int:
    """Return the number of table leases that this process holds."""
    return _HELD.get(database, 0)


def _count_held(database: Database, more: int) -> None:
    with _HELD_LOCK:
        _HELD[database] = _HELD.get(database, 0) + more


@contextlib.contextmanager
def hold_free(database: Database, table_ids: Sequence[int], *, ttl_seconds: float = TTL_SECONDS) -> Iterator[Leases]:
    """Hold the leases of some tables that are free now until the block ends; a background thread renews them.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    holder, ttl_ms = new_owner(), round(ttl_seconds * 1000)
    leases = Leases(frozenset(table_ids), holder, ttl_ms)
    with _taking(database, leases), database.session() as session:
        taken = session.execute(
            update(LeaseRow)
            .where(LeaseRow.table_id.in_(table_ids), or_(LeaseRow.holder.is_(None), LeaseRow.expires_at_ms <= NowMs()))
            .values(holder=holder, fence=LeaseRow.fence + 1, expires_at_ms=NowMs() + ttl_ms)
            .returning(LeaseRow.table_id)
            .execution_options(synchronize_session=False)
        )
        leases = replace(leases, table_ids=frozenset(taken.scalars()))
    with _renewed(database, leases):
        yield leases


@contextlib.contextmanager
def _taking(database: Database, leases: Leases) -> Iterator[None]:
    """Release the leases if the database does not answer: the transaction may have been committed."""
    try:
        yield
    except IndexUnavailable:
        release_soon(partial(release, database, leases), leases.ttl_ms / 1000)
        raise


def ensure_many(session: Session, leases: Lease | Leases) -> frozenset[int]:
    """Renew leases within a writing transaction, which locks them; return the tables whose leases are still held."""
    extended = session.execute(
        update(LeaseRow)
        .where(LeaseRow.table_id.in_(leases.table_ids), LeaseRow.holder == leases.holder)
        .values(expires_at_ms=NowMs() + leases.ttl_ms)
        .returning(LeaseRow.table_id)
        .execution_options(synchronize_session=False)
    )
    return frozenset(extended.scalars())


def acquire(
    database: Database,
    table_id: int,
    *,
    wait_seconds: float,
    ttl_seconds: float = TTL_SECONDS,
    clock: Clock = SYSTEM,
) -> Lease:
    """Take a table's lease for ``ttl_seconds``; the caller renews and releases it.

    Raises:
        RefreshBusy: another process held the lease for all of ``wait_seconds``.
        TableNotFound: the table is not registered.
        IndexUnavailable: the database does not answer.
    """
    deadline = time.monotonic() + wait_seconds
    pause = _FIRST_POLL_SECONDS
    holder, ttl_ms = new_owner(), round(ttl_seconds * 1000)
    waited = False
    while True:
        state = _state(database, table_id)
        if state.is_free or _is_abandoned(database, table_id, state, ttl_seconds, clock):
            with _taking(database, Leases(frozenset([table_id]), holder, ttl_ms)):
                fence = _take(database, table_id, state, holder, ttl_ms)
            if fence is not None:
                _WATCHED.get(database, {}).pop(table_id, None)
                return Lease(table_id, holder, fence, ttl_ms, waited)
        waited = True
        if time.monotonic() >= deadline:
            raise RefreshBusy("another process is refreshing the table", table_id=table_id)
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        pause = min(pause * 1.5, _LONGEST_POLL_SECONDS)


def ensure(session: Session, lease: Lease) -> None:
    """Verify within a writing transaction that the lease is still held, and renew it.

    The row stays locked until the transaction ends, so no other process can take over in between.

    Raises:
        RefreshBusy: another process has taken over.
        TableNotFound: the table was removed meanwhile.
    """
    if not _extend(session, lease):
        if session.execute(select(LeaseRow.fence).where(LeaseRow.table_id == lease.table_id)).one_or_none() is None:
            raise TableNotFound("the table is not registered", table_id=lease.table_id)
        raise RefreshBusy("the table's refresh took too long and another process took over", table_id=lease.table_id)


def release(database: Database, leases: Lease | Leases) -> None:
    """Release the leases that are still held."""
    with database.session() as session:
        session.execute(
            update(LeaseRow)
            .where(LeaseRow.table_id.in_(leases.table_ids), LeaseRow.holder == leases.holder)
            .values(holder=None, expires_at_ms=0)
            .execution_options(synchronize_session=False)
        )


@dataclass(frozen=True, slots=True)
class _State:
    """A lease row as read from the database; ``expires_at_ms`` changes with every renewal."""

    fence: int
    holder: str | None
    expires_at_ms: int
    is_free: bool


_WATCHED: WeakKeyDictionary[Database, dict[int, tuple[_State, float]]] = WeakKeyDictionary()
"""Leases of other processes as this process first saw them, and the monotonic time at which it did."""


def _state(database: Database, table_id: int) -> _State:
    """Read the lease in a read transaction, so that waiting processes do not queue as writers."""
    with database.reading() as session:
        row = session.execute(
            select(LeaseRow.fence, LeaseRow.holder, LeaseRow.expires_at_ms, LeaseRow.expires_at_ms <= NowMs()).where(
                LeaseRow.table_id == table_id
            )
        ).one_or_none()
    if row is None:
        raise TableNotFound("the table is not registered", table_id=table_id)
    fence, holder, expires_at_ms, is_expired = row
    return _State(fence, holder, expires_at_ms, holder is None or bool(is_expired) or is_dead(holder))


def _is_abandoned(database: Database, table_id: int, state: _State, ttl_seconds: float, clock: Clock) -> bool:
    """Tell whether this process has watched the lease for its whole duration without seeing a renewal."""
    watched = _WATCHED.setdefault(database, {})
    known = watched.get(table_id)
    if known is None or known[0] != state:
        watched[table_id] = (state, clock.monotonic())
        return False
    return clock.monotonic() - known[1] > ttl_seconds


def _take(database: Database, table_id: int, before: _State, holder: str, ttl_ms: int) -> int | None:
    """Take the lease and return its new fence; None if another process took it first, or its holder renewed it."""
    with database.session() as session:
        row = session.execute(
            select(LeaseRow.holder)
            .where(
                LeaseRow.table_id == table_id,
                LeaseRow.fence == before.fence,
                # A lease that was released meanwhile is free, too.
                or_(LeaseRow.holder.is_(None), LeaseRow.expires_at_ms == before.expires_at_ms),
            )
            .with_for_update()
        ).one_or_none()
        if row is None:
            return None
        session.execute(
            update(LeaseRow)
            .where(LeaseRow.table_id == table_id)
            .values(holder=holder, fence=before.fence + 1, expires_at_ms=NowMs() + ttl_ms)
            .execution_options(synchronize_session=False)
        )
    return before.fence + 1


def _extend(session: Session, lease: Lease) -> bool:
    extended = session.execute(
        update(LeaseRow)
        .where(LeaseRow.table_id == lease.table_id, LeaseRow.holder == lease.holder, LeaseRow.fence == lease.fence)
        .values(expires_at_ms=NowMs() + lease.ttl_ms)
        .returning(LeaseRow.fence)
        .execution_options(synchronize_session=False)
    ).scalar()
    return extended is not None


def _renew_until(database: Database, leases: Lease | Leases, done: threading.Event) -> None:
    while not done.wait(leases.ttl_ms / 3000):
        try:
            with database.session() as session:
                if not ensure_many(session, leases):
                    return
        except IndexUnavailable:
            continue
