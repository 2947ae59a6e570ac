"""The circuit breaker for a PostgreSQL server that does not answer."""

from __future__ import annotations

import threading

import psycopg
import pytest

from lakemuster.errors import IndexUnavailable
from lakemuster.index.postgres import OPEN_SECONDS, QUIET_SECONDS, DatabaseBreaker


class Server:
    """A server whose probes succeed or fail, with a clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.probes = 0
        self.refusal: psycopg.Error | None = None
        self.breaker = DatabaseBreaker(self._probe, lambda: self.now)

    def _probe(self) -> None:
        self.probes += 1
        if self.refusal is not None:
            raise self.refusal


def test_requests_fail_at_once_while_the_server_is_silent_and_one_tries_again() -> None:
    server = Server()
    server.breaker.require()
    assert server.probes == 0
    server.refusal = psycopg.OperationalError("timeout")
    assert not server.breaker.check()
    for _ in range(5):
        with pytest.raises(IndexUnavailable):
            server.breaker.require()
    assert server.probes == 1
    server.now += OPEN_SECONDS
    with pytest.raises(IndexUnavailable):
        server.breaker.require()
    assert server.probes == 2
    server.refusal = None
    with pytest.raises(IndexUnavailable):
        server.breaker.require()
    server.now += OPEN_SECONDS
    server.breaker.require()
    assert not server.breaker.is_open


def test_silent_statements_share_a_probe() -> None:
    server = Server()
    assert [server.breaker.check() for _ in range(5)] == [True] * 5
    assert server.probes == 1
    server.now += QUIET_SECONDS
    assert server.breaker.check()
    assert server.probes == 2


def test_a_rejection_counts_as_an_answer() -> None:
    server = Server()
    server.refusal = psycopg.errors.TooManyConnections()
    assert server.refusal.sqlstate is not None
    assert server.breaker.check()
    assert not server.breaker.is_open


@pytest.mark.parametrize(
    ("said", "is_answer"),
    [
        ("FATAL:  sorry, too many clients already", True),
        ("FATAL:  no more connections allowed (max_client_conn)", True),
        ("Connection refused\n\tIs the server running locally and accepting connections on that socket?", False),
    ],
)
def test_a_refusal_by_the_server_is_an_answer(said: str, is_answer: bool) -> None:
    server = Server()
    server.refusal = psycopg.OperationalError(f'connection failed: connection to server on socket "/s" failed: {said}')
    assert server.breaker.check() is is_answer


def test_an_answer_to_another_statement_counts_as_one_to_the_probe() -> None:
    class Busy(Server):
        others_go_on = True

        def _probe(self) -> None:
            self.now += 2.0
            if self.others_go_on:
                self.breaker.answered()
            raise psycopg.OperationalError("timeout")

    server = Busy()
    assert server.breaker.check()
    server.now += QUIET_SECONDS
    server.others_go_on = False
    assert not server.breaker.check()
    server.breaker.answered()
    server.breaker.require()


def test_only_one_thread_probes() -> None:
    inside, release = threading.Event(), threading.Event()

    def probe() -> None:
        inside.set()
        assert release.wait(30)
        raise psycopg.OperationalError("timeout")

    breaker = DatabaseBreaker(probe)
    first = threading.Thread(target=breaker.check)
    first.start()
    assert inside.wait(30)
    assert breaker.check()  # the state is still unknown
    release.set()
    first.join(30)
    assert not breaker.check()
    with pytest.raises(IndexUnavailable):
        breaker.require()
