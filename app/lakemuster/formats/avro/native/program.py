"""Translate a schema to the kernel's operations, and the kernel's columns to Arrow arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.avro.native import kernel
from lakemuster.formats.avro.native.memory import COUNTER, ENDS, INTS, LONGS, OCTETS, Memory
from lakemuster.formats.avro.schema import Node, raw_type

_SIZES = {"boolean": 1, "float": 4, "double": 8}
_PAIRS = {
    ("int", "long"): kernel.LONGS,
    ("int", "bytes"): kernel.BLOBS,
    ("int", "string"): kernel.BLOBS,
}


Path = tuple[int, ...]
"""The path of a nested field: its number in the row, then its number in that record, and so on."""


@dataclass(frozen=True, slots=True)
class KeyedMap:
    """A map whose values go to one column per key.

    Attributes:
        path: its path in the row.
        operation: the number of its operation.
        columns: the column that counts its rows, and before it the flags of a nullable map.
        has_blobs: whether its values are bytes; otherwise they are longs.
    """

    path: Path
    operation: int
    columns: tuple[int, ...]
    has_blobs: bool


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel's program for rows of a schema.

    Attributes:
        row: the schema, without the maps of ``keyed``.
        operations: uint64 (operations, 4), see ``kernel``; those of ``keyed`` maps lack their slots.
        columns: the kind of each column, see ``memory``.
        rows_type: ``schema.raw_type`` of ``row``.
        keyed: the maps whose values go to one column per key.
    """

    row: Node
    operations: NDArray[np.uint64]
    columns: tuple[int, ...]
    rows_type: pa.StructType
    keyed: tuple[KeyedMap, ...]

    @classmethod
    def of(cls, row: Node, keyed: Collection[Path] = ()) -> Program:
        """Return the program for rows of ``row``; ``keyed`` are paths that ``can_be_keyed`` returned."""
        writer = _Writer(keyed)
        writer.add(row, ())
        left = _without(row, keyed)
        return cls(
            left, np.array(writer.operations, np.uint64), tuple(writer.columns), raw_type(left), tuple(writer.keyed)
        )

    def rows(self, memory: Memory, count: int) -> pa.StructArray:
        """Return the rows that the kernel has written: an array of ``rows_type`` that shares the memory."""
        return _Reader(memory, self).array(self.row, self.rows_type, count)


def can_be_keyed(row: Node, paths: Mapping[Path, bool]) -> list[Path]:
    """Return the paths that lead to maps from int to bytes (True) or long, except in records of only such maps."""
    found = [path for path, has_blobs in paths.items() if _is_map(row, path, has_blobs=has_blobs)]
    return [path for path in found if any((*path[:-1], other) not in found for other in range(_width(row, path[:-1])))]


def _is_map(row: Node, path: Path, *, has_blobs: bool) -> bool:
    node = row
    for number in path:
        if node.kind != "record" or number >= len(node.children):
            return False
        node = node.children[number][1]
    wanted = kernel.BLOBS if has_blobs else kernel.LONGS
    return bool(path) and node.kind == "array" and pair_of(node.children[0][1]) == wanted


def _width(node: Node, path: Path) -> int:
    for number in path:
        node = node.children[number][1]
    return len(node.children)


def _without(node: Node, paths: Collection[Path]) -> Node:
    children = []
    for number, (name, child) in enumerate(node.children):
        below = [path[1:] for path in paths if path[0] == number]
        if () not in below:
            children.append((name, _without(child, below) if below else child))
    return replace(node, children=tuple(children))


class _Writer:
    def __init__(self, keyed: Collection[Path]) -> None:
        self.operations: list[list[int]] = []
        self.columns: list[int] = []
        self.keyed: list[KeyedMap] = []
        self._paths = frozenset(keyed)

    def add(self, node: Node, path: Path | None) -> None:
        begin = len(self.operations)
        if node.nullable:
            self._operation(kernel.NULLABLE, OCTETS, third=0 if node.null_first else 1)
        if path is not None and path in self._paths:
            blobs = pair_of(node.children[0][1]) == kernel.BLOBS
            columns = tuple(range(len(self.columns) - node.nullable, len(self.columns) + 1))
            self.keyed.append(KeyedMap(path, len(self.operations), columns, blobs))
            self._operation(kernel.KEYED, COUNTER)
        else:
            self._value(node, path)
        if node.nullable:
            self.operations[begin][2] = len(self.operations)

    def _value(self, node: Node, path: Path | None) -> None:
        match node.kind:
            case "record":
                for number, (_, child) in enumerate(node.children):
                    self.add(child, None if path is None else (*path, number))
            case "array":
                self._array(node.children[0][1])
            case "long" | "branch":
                self._operation(kernel.LONG, LONGS)
            case "int" | "enum":
                self._operation(kernel.INT, INTS)
            case "bytes" | "string":
                self._operation(kernel.BYTES, ENDS, OCTETS)
            case _:
                self._operation(kernel.FIXED, OCTETS, second=_size(node))

    def _array(self, item: Node) -> None:
        pair = pair_of(item)
        if pair == kernel.LONGS:
            self._operation(kernel.LONGS, ENDS, COUNTER, INTS, LONGS)
        elif pair == kernel.BLOBS:
            self._operation(kernel.BLOBS, ENDS, COUNTER, INTS, ENDS, OCTETS)
        else:
            ends, begin = len(self.columns), len(self.operations)
            self._operation(kernel.ARRAY, ENDS, COUNTER, third=item.fewest_bytes)
            self.add(item, None)
            self.operations.append([int(kernel.END), ends, begin + 1, item.fewest_bytes])
            self.operations[begin][2] = len(self.operations)

    def _operation(self, kind: np.uint64, *columns: int, second: int = 0, third: int = 0) -> None:
        self.operations.append([int(kind), len(self.columns), second, third])
        self.columns += columns


class _Reader:
    """Reads the columns in the order in which ``_Writer`` declared them."""

    def __init__(self, memory: Memory, program: Program) -> None:
        self._memory = memory
        others = {column for keyed in program.keyed for column in keyed.columns}
        self._columns = (column for column in range(len(program.columns)) if column not in others)

    def array(self, node: Node, kind: pa.DataType, count: int) -> pa.Array:
        bits, nulls = self._validity(count) if node.nullable else (None, 0)
        match node.kind:
            case "record":
                children = [
                    self.array(child, kind.field(index).type, count) for index, (_, child) in enumerate(node.children)
                ]
                return pa.Array.from_buffers(kind, count, [bits], nulls, 0, children)
            case "array":
                ends, item = self._next(), node.children[0][1]
                items = int(self._memory.used[next(self._columns)])
                children = [self.array(item, kind.value_type, items)]
                return pa.Array.from_buffers(kind, count, [bits, ends], nulls, 0, children)
            case "bytes" | "string":
                return pa.Array.from_buffers(kind, count, [bits, self._next(), self._next()], nulls)
            case _:
                return pa.Array.from_buffers(kind, count, [bits, self._next()], nulls)

    def _validity(self, count: int) -> tuple[pa.Buffer | None, int]:
        flags = self._memory.column(next(self._columns))
        nulls = count - int(np.count_nonzero(flags))
        return (pa.py_buffer(np.packbits(flags, bitorder="little")) if nulls else None), nulls

    def _next(self) -> pa.Buffer:
        return pa.py_buffer(self._memory.column(next(self._columns)))


def pair_of(item: Node) -> np.uint64 | None:
    """Return the operation that decodes whole arrays of such items; None if there is none."""
    children = [child for _, child in item.children]
    if item.kind != "record" or item.nullable or any(child.nullable for child in children) or len(children) != 2:
        return None
    return _PAIRS.get((children[0].kind, children[1].kind))


def _size(node: Node) -> int:
    return node.size if node.kind == "fixed" else _SIZES[node.kind]
