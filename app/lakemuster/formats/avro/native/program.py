"""A schema as the kernel's operations, and the kernel's columns as Arrow arrays."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Program:
    """What the kernel does with rows of a schema.

    Attributes:
        row: the schema.
        operations: uint64 (operations, 4), see ``kernel``.
        columns: what each column holds, see ``memory``.
        rows_type: ``schema.raw_type`` of the schema.
    """

    row: Node
    operations: NDArray[np.uint64]
    columns: tuple[int, ...]
    rows_type: pa.DataType

    @classmethod
    def of(cls, row: Node) -> Program:
        """The program of rows of ``row``."""
        writer = _Writer()
        writer.add(row)
        return cls(row, np.array(writer.operations, np.uint64), tuple(writer.columns), raw_type(row))

    def rows(self, memory: Memory, count: int) -> pa.StructArray:
        """The rows that the kernel has written: an array of ``rows_type``, over the same memory."""
        return _Reader(memory).array(self.row, self.rows_type, count)


class _Writer:
    def __init__(self) -> None:
        self.operations: list[list[int]] = []
        self.columns: list[int] = []

    def add(self, node: Node) -> None:
        begin = len(self.operations)
        if node.nullable:
            self._operation(kernel.NULLABLE, OCTETS, third=0 if node.null_first else 1)
        self._value(node)
        if node.nullable:
            self.operations[begin][2] = len(self.operations)

    def _value(self, node: Node) -> None:
        match node.kind:
            case "record":
                for _, child in node.children:
                    self.add(child)
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
            self.add(item)
            self.operations.append([int(kernel.END), ends, begin + 1, item.fewest_bytes])
            self.operations[begin][2] = len(self.operations)

    def _operation(self, kind: np.uint64, *columns: int, second: int = 0, third: int = 0) -> None:
        self.operations.append([int(kind), len(self.columns), second, third])
        self.columns += columns


class _Reader:
    """Reads the columns in the order in which ``_Writer`` named them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._column = 0

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
                items = int(self._memory.used[self._column])
                self._column += 1
                children = [self.array(item, kind.value_type, items)]
                return pa.Array.from_buffers(kind, count, [bits, ends], nulls, 0, children)
            case "bytes" | "string":
                return pa.Array.from_buffers(kind, count, [bits, self._next(), self._next()], nulls)
            case _:
                return pa.Array.from_buffers(kind, count, [bits, self._next()], nulls)

    def _validity(self, count: int) -> tuple[pa.Buffer | None, int]:
        flags = self._flags()
        nulls = count - int(np.count_nonzero(flags))
        return (pa.py_buffer(np.packbits(flags, bitorder="little")) if nulls else None), nulls

    def _flags(self) -> NDArray[np.uint8]:
        self._column += 1
        return self._memory.column(self._column - 1)

    def _next(self) -> pa.Buffer:
        self._column += 1
        return pa.py_buffer(self._memory.column(self._column - 1))


def pair_of(item: Node) -> np.uint64 | None:
    """The operation for whole arrays of such items; None when there is none."""
    children = [child for _, child in item.children]
    if item.kind != "record" or item.nullable or any(child.nullable for child in children) or len(children) != 2:
        return None
    return _PAIRS.get((children[0].kind, children[1].kind))


def _size(node: Node) -> int:
    return node.size if node.kind == "fixed" else _SIZES[node.kind]
