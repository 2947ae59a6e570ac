"""Blocks through the kernel, with more memory whenever it asks for it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block
from lakemuster.formats.avro.native import kernel
from lakemuster.formats.avro.native.kernel import CORRUPT, FULL
from lakemuster.formats.avro.native.memory import Memory
from lakemuster.formats.avro.native.program import Program
from lakemuster.formats.avro.schema import MAX_DEPTH
from lakemuster.formats.native.loading import POINTER, WORD, load, text_of

Run = Callable[[Block, NDArray[np.uint64], Memory, NDArray[np.uint64]], int]
"""The kernel over a block, a program, columns and a stack; its verdict."""

_ARGUMENTS = (
    *(POINTER, WORD, WORD),  # data, its bytes, records
    *(POINTER, WORD),  # program, its operations
    *(POINTER, POINTER, POINTER, WORD),  # octets, ints, longs, their bytes
    *(POINTER, POINTER, POINTER, WORD),  # starts, rooms, used, how many columns
    *(POINTER, WORD),  # stack, its numbers
)

_SPARE = 1.15
"""Of the memory expected: blocks differ."""


def is_available() -> bool:
    """Whether this process can decode with the kernel; loads it."""
    return _compiled() is not None


def decode_native(program: Program, blocks: Sequence[Block], run: Run | None = None) -> pa.Array:
    """The rows of ``blocks``, as a struct array.

    Args:
        program: of the rows' schema.
        blocks: inflated.
        run: the kernel to use, the compiled one by default.

    Raises:
        MetadataCorrupt: they are not such records, or not in exactly these bytes.
    """
    run = run or run_compiled
    memory = Memory(program.columns)
    stack = np.zeros(MAX_DEPTH + 2, np.uint64)
    whole, done, rows = sum(len(block.data) for block in blocks), 0, 0
    for block in blocks:
        used = memory.used.copy()
        while (verdict := run(block, program.operations, memory, stack)) == FULL:
            memory.used[:] = used
            memory.grow(int(stack[0]))
        if verdict == CORRUPT:
            raise MetadataCorrupt("records that do not decode", decoder="native", offset=block.offset)
        if not done and block.data:
            memory.expect(_SPARE * whole / len(block.data))
        done += len(block.data)
        rows += block.records
    return program.rows(memory, rows)


def run_compiled(block: Block, program: NDArray[np.uint64], memory: Memory, stack: NDArray[np.uint64]) -> int:
    """The compiled kernel as a ``Run``."""
    function = _compiled()
    assert function is not None
    verdict = ctypes.c_int64(CORRUPT)
    octets = memory.octets.ctypes.data
    function(
        *(ctypes.addressof(verdict), None),
        *(block.data, len(block.data), block.records),
        *(program.ctypes.data, len(program)),
        *(octets, octets, octets, len(memory.octets)),
        *(memory.starts.ctypes.data, memory.rooms.ctypes.data, memory.used.ctypes.data, len(memory.used)),
        *(stack.ctypes.data, len(stack)),
    )
    return verdict.value


@cache
def _compiled() -> Callable[..., int] | None:
    return load(text_of(kernel.__file__), kernel.NAME, *_ARGUMENTS)
