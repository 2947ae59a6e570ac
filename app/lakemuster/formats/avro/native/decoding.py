"""Run the kernel over Avro blocks; grow its memory and change its columns when it reports the need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block
from lakemuster.formats.avro.native import kernel
from lakemuster.formats.avro.native.kernel import CORRUPT, DONE, FULL, NEW
from lakemuster.formats.avro.native.keyed import Columns, KeyedColumns, Slots, Widths, first_kind
from lakemuster.formats.avro.native.memory import Memory
from lakemuster.formats.avro.native.program import Path, Program
from lakemuster.formats.avro.schema import MAX_DEPTH
from lakemuster.kernels.loading import Kernel

Run = Callable[..., int]
"""``kernel.run``."""

run_compiled = Kernel(kernel.run)
is_available = run_compiled.is_available
"""Whether this process can decode with the kernel; loads it."""

_GROUP_BYTES = 256 << 10
"""Bytes of blocks per kernel call: a call costs as much as a few rows, and CPU caches have to hold the blocks."""
_SPARE = 1.15
"""The factor on the expected memory: blocks differ."""
_MOST_AT_ONCE = 8.0
"""The largest factor of one growth beyond ``_MUCH_BYTES``: the blocks so far may be unlike the others."""
_MUCH_BYTES = 256 << 20


def decode_native(program: Program, blocks: Iterable[Block], run: Run = run_compiled, end: int = 0) -> pa.Array:
    """Return the rows of ``blocks``, as a struct array.

    Args:
        program: of the rows' schema, without keyed maps.
        blocks: inflated.
        run: the kernel to use.
        end: where the last block ends in the file; 0 if not known. The memory needed is estimated from it.

    Raises:
        MetadataCorrupt: the blocks do not consist of exactly these records.
    """
    return _Decoding(program, program, {}, None, run, end).rows_of(blocks)


def decode_keyed(
    program: Program,
    plain: Program,
    widths: Mapping[Path, Widths],
    blocks: Iterable[Block],
    slots: Slots | None = None,
    run: Run = run_compiled,
    end: int = 0,
) -> tuple[pa.Array, dict[Path, Columns], Slots]:
    """Decode blocks with keyed maps to the rows without these maps, and each map's values by key.

    Args:
        program: of the rows' schema, with keyed maps.
        plain: of the same schema, without keyed maps.
        widths: for maps of bytes, the expected widths of each key's values.
        slots: the slots of another file that may be like this one.

    Returns:
        the rows, the maps' columns, and the slots that these blocks needed.
    """
    decoding = _Decoding(program, plain, widths, slots, run, end)
    rows = decoding.rows_of(blocks)
    columns, needed = decoding.keyed.columns(decoding.rows)
    return rows, columns, needed


def _groups(blocks: Iterable[Block]) -> Iterator[Sequence[Block]]:
    """Group the blocks: the first alone, from which memory is estimated, then a few at a time."""
    group: list[Block] = []
    size, most = 0, 0
    for block in blocks:
        if group and size + len(block.data) > most:
            yield group
            group, size, most = [], 0, _GROUP_BYTES
        group.append(block)
        size += len(block.data)
    if group:
        yield group


class _Decoding:
    def __init__(
        self,
        program: Program,
        plain: Program,
        widths: Mapping[Path, Widths],
        slots: Slots | None,
        run: Run,
        end: int,
    ) -> None:
        self._program, self._plain, self._run, self._end = program, plain, run, end
        self._first_kinds = [first_kind(keyed, widths) for keyed in program.keyed]
        self._memory = Memory(program.columns)
        self._stack = np.zeros(MAX_DEPTH + 2, np.uint64)
        self._operations = program.operations
        self._slots = Slots.none() if slots is None else slots.fitting(self._first_kinds)
        self._begin: int | None = None
        self.keyed = KeyedColumns(self._memory, len(program.columns), program.keyed)
        self.rows = 0

    def rows_of(self, blocks: Iterable[Block]) -> pa.Array:
        for group in _groups(blocks):
            self._add(group)
        return self._program.rows(self._memory, self.rows)

    def _add(self, group: Sequence[Block]) -> None:
        memory, records = self._memory, [block.records for block in group]
        if self._begin is None:
            self._begin = group[0].offset
            if self._program.keyed:
                self.keyed.expect(sum(records))
                self._change(self._slots)
        sizes = [len(block.data) for block in group]
        table = np.array([records, np.cumsum(sizes)], np.uint64).T.copy()
        data = np.frombuffer(b"".join([block.data for block in group]), np.uint8)
        while True:
            used, octets = memory.used.copy(), memory.octets
            verdict = self._run(
                data,
                table,
                self._operations,
                octets,
                octets.view(np.uint32),
                octets.view(np.uint64),
                memory.starts,
                memory.rooms,
                memory.used,
                self._stack,
                self.keyed.table,
            )
            if verdict == DONE:
                break
            if verdict == CORRUPT:
                offset = group[int(self._stack[0])].offset
                raise MetadataCorrupt("records that do not decode", decoder="native", offset=offset)
            memory.used[:] = used
            if verdict == FULL:
                self._grow(int(self._stack[0]), group[0].offset)
            elif verdict == NEW:
                self._meet(group)
            else:
                self._change(self.keyed.wider())
        is_first = not self.rows
        self.rows += sum(records)
        if is_first and self.rows and group[-1].end < self._end:
            self._grow(None, group[-1].end)

    def _grow(self, column: int | None, position: int) -> None:
        """Make room for the whole file, extrapolating from the values up to a position in it."""
        self.keyed.settle(self.rows)
        most = max(_MOST_AT_ONCE, _MUCH_BYTES / self._memory.held_bytes)
        counters = [keyed.columns[-1] for keyed in self._program.keyed]
        together = np.append(self.keyed.rows, counters).astype(np.int64)
        # The mean length of texts in few rows may differ from that in all rows.
        spare = 1 + (self.rows or 1) ** -0.5
        self._memory.grow(column, min(self._times(position), most), together, spare)

    def _times(self, position: int) -> float:
        """Return the estimated ratio of the whole file to the part up to a position in it."""
        done = position - (self._begin or 0)
        return max(1.0, _SPARE * (self._end - (self._begin or 0)) / done) if done > 0 else 1.0

    def _meet(self, group: Sequence[Block]) -> None:
        """Add slots for the keys of blocks, which are decoded without keyed maps to find them."""
        rows = decode_native(self._plain, group, self._run)
        found = []
        for keyed in self._program.keyed:
            maps = rows
            for number in keyed.path:
                maps = maps.field(number)
            found.append(maps.values.field(0).to_numpy())
        self._change(self.keyed.slots.with_keys(found, self._first_kinds, flags=self.rows > 0))

    def _change(self, slots: Slots) -> None:
        self.keyed.change(slots, self.rows)
        operations = self._program.operations.copy()
        for keyed, head, many in zip(self._program.keyed, self.keyed.heads, self.keyed.many, strict=True):
            operations[keyed.operation, 2:] = head, many
        self._operations = operations
