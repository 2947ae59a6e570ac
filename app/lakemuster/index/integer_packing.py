"""Compression of integer sequences: a snapshot's manifests, its cancelled rows, a table's snapshot log.

Delta encoding: differences of neighbours are zigzag-encoded, their bytes are transposed into planes (all lowest bytes
first), and the planes are deflated. Slowly growing sequences shrink to a few bits per integer, and both directions run
in numpy.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from lakemuster.errors import IndexUnavailable
from lakemuster.metadata.snapshot import Role

_ROLES: tuple[Role, ...] = ("manifests", "base", "delta", "changelog", "index")
_VERSION = 1


def pack(numbers: NDArray[np.int64]) -> bytes:
    """Pack 64-bit integers, in any order and of any value."""
    numbers = np.ascontiguousarray(numbers, dtype="<i8")
    # A difference that needs 65 bits wraps around; the cumulative sum in unpack wraps back.
    differences = np.diff(numbers.view("<u8"), prepend=np.uint64(0))
    signed = differences.view("<i8")
    zigzag = ((signed << 1) ^ (signed >> 63)).astype("<i8", copy=False)
    planes = zigzag.view(np.uint8).reshape(-1, 8).T
    return bytes([_VERSION]) + zlib.compress(planes.tobytes(), 6)


def unpack(packed: bytes) -> NDArray[np.int64]:
    """Unpack the integers of :func:`pack` into a read-only array.

    Raises:
        IndexUnavailable: the bytes are damaged.
    """
    if packed[:1] != bytes([_VERSION]):
        raise IndexUnavailable("the index contains a packed value of an unknown version")
    try:
        raw = zlib.decompress(packed[1:])
        planes = np.frombuffer(raw, np.uint8).reshape(8, -1)
    except (zlib.error, ValueError) as cause:
        raise IndexUnavailable("the index contains a damaged packed value") from cause
    zigzag = np.ascontiguousarray(planes.T).view("<u8").ravel()
    differences = (zigzag >> np.uint64(1)) ^ (~(zigzag & np.uint64(1)) + np.uint64(1))
    numbers = np.cumsum(differences, dtype="<u8").view("<i8")
    numbers.flags.writeable = False
    return numbers


def pack_members(members: Sequence[tuple[Role, int]]) -> bytes:
    """Pack a snapshot's manifests: row ids and roles, in list order."""
    runs = [(role, len(list(group))) for role, group in groupby(role for role, _ in members)]
    head = [len(runs)]
    for role, count in runs:
        head += [_ROLES.index(role), count]
    return pack(np.array([*head, *(row_id for _, row_id in members)], dtype=np.int64))


def unpack_members(packed: bytes) -> tuple[list[Role], NDArray[np.int64]]:
    """Unpack the roles and row ids of :func:`pack_members`, aligned.

    Raises:
        IndexUnavailable: the bytes are damaged.
    """
    numbers = unpack(packed)
    if not len(numbers) or not 0 <= (runs := int(numbers[0])) <= (len(numbers) - 1) // 2:
        raise IndexUnavailable("the index contains a damaged list of manifests")
    ids = numbers[1 + 2 * runs :]
    roles: list[Role] = []
    for code, count in numbers[1 : 1 + 2 * runs].reshape(-1, 2).tolist():
        if not 0 <= code < len(_ROLES) or not 0 <= count <= len(ids):
            raise IndexUnavailable("the index contains a damaged list of manifests")
        roles += [_ROLES[code]] * count
    if len(roles) != len(ids):
        raise IndexUnavailable("the index contains a damaged list of manifests")
    return roles, ids
