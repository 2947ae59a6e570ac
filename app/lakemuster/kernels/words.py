"""Types and constants of kernels, and loads and stores of little-endian numbers.

All numbers are ``uint64``, since numba converts a mix of signed and unsigned numbers to floats; ``N8`` is 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Word = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.uint32]
Octets = NDArray[np.uint8]
"""Arrays of one dimension, unless ``Annotated`` gives a shape, with None for a length that callers choose."""

N0, N1, N2, N3, N4, N5, N6, N7, N8 = (Word(number) for number in range(9))
N10, N12, N16, N24, N32, N40, N48, N56 = (Word(number) for number in (10, 12, 16, 24, 32, 40, 48, 56))
N63, N64 = Word(63), Word(64)
ALL = Word(2**64 - 1)
"""Every bit."""
_OCTET = Word(0xFF)


def load_int(data: Octets, at: Word) -> Word:
    """Read four bytes as a little-endian number."""
    return Word(data[at]) | Word(data[at + N1]) << N8 | Word(data[at + N2]) << N16 | Word(data[at + N3]) << N24


def load(data: Octets, at: Word) -> Word:
    """Read eight bytes as a little-endian number; compilers make one instruction of it."""
    return (
        Word(data[at])
        | Word(data[at + N1]) << N8
        | Word(data[at + N2]) << N16
        | Word(data[at + N3]) << N24
        | Word(data[at + N4]) << N32
        | Word(data[at + N5]) << N40
        | Word(data[at + N6]) << N48
        | Word(data[at + N7]) << N56
    )


def store(to: Octets, at: Word, word: Word) -> None:
    """Write a number as the eight bytes that ``load`` reads."""
    to[at] = word & _OCTET
    to[at + N1] = word >> N8 & _OCTET
    to[at + N2] = word >> N16 & _OCTET
    to[at + N3] = word >> N24 & _OCTET
    to[at + N4] = word >> N32 & _OCTET
    to[at + N5] = word >> N40 & _OCTET
    to[at + N6] = word >> N48 & _OCTET
    to[at + N7] = word >> N56
