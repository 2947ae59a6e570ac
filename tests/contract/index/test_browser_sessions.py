"""Browser sessions in the database: encrypted, ended, expired, and changed by one of several processes."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from lakemuster.catalog.browser_sessions import (
    SESSION_SECONDS,
    BrowserSessions,
    Credentials,
    csrf_token_of,
    digest_of,
)
from lakemuster.index.database import Database, NowMs
from lakemuster.index.orm import BrowserSessionRow

GIVEN = Credentials("a bearer token", "a refresh token", 1_700_000_000.5)


@pytest.fixture
def sessions(database: Database) -> BrowserSessions:
    return BrowserSessions(database)


def test_a_session_gives_back_what_it_was_begun_with_to_its_cookie_alone(sessions: BrowserSessions) -> None:
    cookie, other = sessions.begin(GIVEN), sessions.begin(Credentials("another token"))
    assert cookie != other
    found = [sessions.read(value) for value in (cookie, other, "", cookie[:-1], digest_of(cookie))]
    assert [None if each is None else each.credentials for each in found] == [
        GIVEN,
        Credentials("another token"),
        None,
        None,
        None,
    ]


def test_the_database_holds_neither_the_token_nor_the_cookie(sessions: BrowserSessions, database: Database) -> None:
    cookie = sessions.begin(GIVEN)
    with database.reading() as session:
        rows = session.execute(select(BrowserSessionRow.digest, BrowserSessionRow.sealed)).all()
    text = repr(rows)
    for secret in (GIVEN.token, str(GIVEN.refresh_token), cookie, csrf_token_of(cookie)):
        assert secret not in text


def test_a_session_that_ends_or_whose_row_is_changed_is_none(sessions: BrowserSessions, database: Database) -> None:
    ended, moved, kept = (sessions.begin(GIVEN) for _ in range(3))
    sessions.end(ended)
    sessions.end("of no session")
    with database.session() as session:
        # The encrypted value of one session is copied to another session's row.
        sealed = session.scalar(select(BrowserSessionRow.sealed).where(BrowserSessionRow.digest == digest_of(kept)))
        session.execute(
            update(BrowserSessionRow).where(BrowserSessionRow.digest == digest_of(moved)).values(sealed=sealed)
        )
    assert sessions.read(ended) is None
    assert sessions.read(moved) is None
    assert sessions.read(kept) is not None


def test_a_session_expires_and_its_row_goes_with_the_next_sign_in(
    sessions: BrowserSessions, database: Database
) -> None:
    cookie = sessions.begin(GIVEN)
    with database.session() as session:
        left = session.scalar(select(BrowserSessionRow.expires_at_ms - NowMs()))
        assert left is not None
        assert 0 < left <= SESSION_SECONDS * 1000
        session.execute(update(BrowserSessionRow).values(expires_at_ms=NowMs()))
    assert sessions.read(cookie) is None
    newer = sessions.begin(GIVEN)
    with database.reading() as session:
        assert session.scalars(select(BrowserSessionRow.digest)).all() == [digest_of(newer)]


def test_one_of_two_changes_is_made(sessions: BrowserSessions) -> None:
    cookie = sessions.begin(GIVEN)
    before = sessions.read(cookie)
    assert before is not None
    assert sessions.change(cookie, before, Credentials("first"))
    assert not sessions.change(cookie, before, Credentials("second"))
    found = sessions.read(cookie)
    assert found is not None
    assert found.credentials == Credentials("first")
    sessions.end(cookie)
    assert not sessions.change(cookie, found, Credentials("third"))
    assert sessions.read(cookie) is None
