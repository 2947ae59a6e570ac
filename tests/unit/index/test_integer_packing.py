"""Packed integers round-trip and take few bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import IndexUnavailable
from lakemuster.index.integer_packing import pack, pack_members, unpack, unpack_members
from lakemuster.metadata.snapshot import Role

INT64 = st.integers(-(2**63), 2**63 - 1)
ROLES = st.sampled_from(["manifests", "base", "delta", "changelog", "index"])


@given(st.lists(INT64 | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])))
def test_integers_round_trip(numbers: list[int]) -> None:
    unpacked = unpack(pack(np.array(numbers, dtype=np.int64)))
    assert unpacked.dtype == np.int64
    assert unpacked.tolist() == numbers


@given(st.lists(st.tuples(ROLES, st.integers(1, 2**62))))
def test_members_round_trip_in_order(members: list[tuple[Role, int]]) -> None:
    roles, ids = unpack_members(pack_members(members))
    assert list(zip(roles, ids.tolist(), strict=True)) == members


def test_a_thousand_manifests_take_few_bytes() -> None:
    grown: list[tuple[Role, int]] = [("manifests", 10_000 + number) for number in range(1000)]
    assert len(pack_members(grown)) < 100
    rewritten = np.random.default_rng(7).choice(5_000, 1000, replace=False)
    assert len(pack_members([("manifests", int(number)) for number in rewritten])) < 2500


def test_cancelled_rows_take_about_a_byte_each() -> None:
    dead = np.sort(np.random.default_rng(7).choice(200_000, 20_000, replace=False))
    assert len(pack(dead)) < 20_000


def test_unpacked_integers_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        unpack(pack(np.array([1, 2])))[0] = 5


@pytest.mark.parametrize("damaged", [b"", b"\x02", b"\x01", b"\x01abc", pack(np.arange(9))[:-3]])
def test_damage_is_reported(damaged: bytes) -> None:
    with pytest.raises(IndexUnavailable):
        unpack(damaged)


@pytest.mark.parametrize("numbers", [[], [5], [-1], [1, 0, 2, 7], [1, 9, 1, 7], [1, 0, -1], [2, 0, 2, 0, 2, 7]])
def test_damaged_members_are_reported(numbers: list[int]) -> None:
    with pytest.raises(IndexUnavailable):
        unpack_members(pack(np.array(numbers, dtype=np.int64)))
