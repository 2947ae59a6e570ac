"""Connections count towards their peer until their caller is known; each worker has a share of the limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lakemuster.api.connection import network_of
from lakemuster.cli.peers import ConnectionLimits, Peers

LIMITS = ConnectionLimits(per_peer=4, per_caller=6, total=20)


class Looked:
    """A connection that sets an event when it was checked three times."""

    def __init__(self) -> None:
        self.looks = 0
        self.often = asyncio.Event()

    def look(self, now: float) -> None:
        self.looks += 1
        if self.looks == 3:
            self.often.set()


def of(test: Callable[[Peers], None], workers: int = 1, limits: ConnectionLimits = LIMITS) -> None:
    async def run() -> None:
        test(Peers(limits, workers, asyncio.get_running_loop()))

    asyncio.run(run())


def test_a_peer_has_so_many_unknown_connections_and_others_theirs() -> None:
    def check(peers: Peers) -> None:
        mine = [Looked() for _ in range(5)]
        assert [peers.add(one, "a") for one in mine] == [True] * 4 + [False]
        assert peers.add(Looked(), "b")
        peers.remove(mine[0])
        assert peers.add(mine[4], "a")

    of(check)


def test_a_known_caller_frees_the_peer_and_has_a_bound_of_its_own() -> None:
    def check(peers: Peers) -> None:
        claimed = []
        for _ in range(7):
            claimed.append(Looked())
            assert peers.add(claimed[-1], "proxy")
            assert peers.claim(claimed[-1], "caller one") is (len(claimed) < 7)
        assert peers.claim(claimed[0], "caller one"), "the caller has this connection already"
        assert peers.claim(claimed[6], "caller two")
        assert peers.claim(claimed[6], "caller one") is False
        peers.remove(claimed[0])
        assert peers.claim(claimed[6], "caller one")

    of(check)


@pytest.mark.parametrize(("workers", "share"), [(2, 2), (3, 1), (100, 1)])
def test_workers_share_the_numbers_and_have_one_at_least(workers: int, share: int) -> None:
    def check(peers: Peers) -> None:
        assert [peers.add(Looked(), "a") for _ in range(share + 1)] == [True] * share + [False]

    of(check, workers)


def test_a_process_has_so_many_of_all() -> None:
    def check(peers: Peers) -> None:
        assert [peers.add(Looked(), str(number)) for number in range(21)] == [True] * 20 + [False]

    of(check)


def test_connections_are_looked_at_while_there_are_any() -> None:
    async def run() -> None:
        peers, one, other, third = (
            Peers(ConnectionLimits(look=0.001), 1, asyncio.get_running_loop()),
            Looked(),
            Looked(),
            Looked(),
        )
        async with asyncio.timeout(20):
            peers.add(one, "a")
            await one.often.wait()
            peers.remove(one)
            looks = one.looks
            peers.add(other, "a")
            await other.often.wait()
            peers.remove(other)
            peers.add(third, "a")
            await third.often.wait()
        assert one.looks == looks

    asyncio.run(run())


def test_a_network_of_ipv6_is_one_peer() -> None:
    assert network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:2") != network_of("2001:db8:0:1::1")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("a socket") == "a socket"
