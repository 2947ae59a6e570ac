"""64-bit hash functions of Paimon's bloom filters.

Numbers: Thomas Wang's integer hash of the value, for floats of their bits. Text and bytes: XXH64 with seed 0.

Source: Paimon ``FastHash``; the xxHash specification, "XXH64".
"""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_STRIPE = struct.Struct("<4Q")


def wang_hash(number: int) -> int:
    """Return Thomas Wang's hash of a signed 64-bit integer, unsigned."""
    key = _signed(~number + (number << 21))
    key ^= key >> 24
    key = _signed(key + (key << 3) + (key << 8))
    key ^= key >> 14
    key = _signed(key + (key << 2) + (key << 4))
    key ^= key >> 28
    return (key + (key << 31)) & _MASK


def xxh64(data: bytes) -> int:
    """Return the XXH64 of bytes, unsigned."""
    length, at = len(data), 0
    if length >= 32:
        lanes = [(_P1 + _P2) & _MASK, _P2, 0, -_P1 & _MASK]
        while at + 32 <= length:
            lanes = [_round(lane, word) for lane, word in zip(lanes, _STRIPE.unpack_from(data, at), strict=True)]
            at += 32
        code = sum(_rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
        for lane in lanes:
            code = ((code ^ _round(0, lane)) * _P1 + _P4) & _MASK
    else:
        code = _P5
    code = (code + length) & _MASK
    while at + 8 <= length:
        code ^= _round(0, int.from_bytes(data[at : at + 8], "little"))
        code = (_rotated(code, 27) * _P1 + _P4) & _MASK
        at += 8
    if at + 4 <= length:
        code ^= int.from_bytes(data[at : at + 4], "little") * _P1 & _MASK
        code = (_rotated(code, 23) * _P2 + _P3) & _MASK
        at += 4
    for byte in data[at:]:
        code ^= byte * _P5 & _MASK
        code = _rotated(code, 11) * _P1 & _MASK
    code = (code ^ code >> 33) * _P2 & _MASK
    code = (code ^ code >> 29) * _P3 & _MASK
    return code ^ code >> 32


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _MASK, 31) * _P1 & _MASK


def _rotated(number: int, by: int) -> int:
    return (number << by | number >> 64 - by) & _MASK


def _signed(number: int) -> int:
    number &= _MASK
    return number - (1 << 64) if number >> 63 else number
