"""Browser sessions in the database. Their contents are encrypted: the database does not hold the key."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update

from lakemuster.index.database import Database, NowMs
from lakemuster.index.orm import BrowserSessionRow


def add_session(database: Database, digest: str, sealed: bytes, seconds: float) -> None:
    """Store a session that expires after a time, and delete those that have expired.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    row = {"digest": digest, "sealed": sealed, "expires_at_ms": NowMs() + round(seconds * 1000)}
    with database.session() as session:
        session.execute(delete(BrowserSessionRow).where(BrowserSessionRow.expires_at_ms <= NowMs()))
        session.execute(insert(BrowserSessionRow).values(row))


def read_session(database: Database, digest: str) -> bytes | None:
    """Return the sealed contents of a session; None if it does not exist or has expired.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    wanted = select(BrowserSessionRow.sealed).where(
        BrowserSessionRow.digest == digest, BrowserSessionRow.expires_at_ms > NowMs()
    )
    with database.reading() as session:
        return session.scalar(wanted)


def change_session(database: Database, digest: str, before: bytes, after: bytes) -> bool:
    """Replace the contents of a session; return False if it was changed or deleted meanwhile.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    change = (
        update(BrowserSessionRow)
        .where(BrowserSessionRow.digest == digest, BrowserSessionRow.sealed == before)
        .values(sealed=after)
        .returning(BrowserSessionRow.digest)
        .execution_options(synchronize_session=False)
    )
    with database.session() as session:
        return session.execute(change).scalar() is not None


def end_session(database: Database, digest: str) -> None:
    """Delete a session.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with database.session() as session:
        session.execute(delete(BrowserSessionRow).where(BrowserSessionRow.digest == digest))
