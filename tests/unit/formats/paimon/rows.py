"""An encoder of BinaryRows in plain Python, without numpy and Arrow.

Values are internal forms: integers for dates (days), times (milliseconds), decimals (unscaled); timestamps
are (epoch milliseconds, nanoseconds of the millisecond); text is ``str``, bytes are ``bytes``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

Value = Any


def arguments(of: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", of)]


def binary_row(types: Sequence[str], values: Sequence[Value], *, java_nulls: bool = False) -> bytes:
    """Return a serialized row, which begins with its arity.

    ``java_nulls`` reserves variable-length space for a null of a type that does not fit its slot, as Java does.
    """
    header = (len(types) + 63 + 8) // 64 * 8
    fixed = bytearray(header + 8 * len(types))
    variable = bytearray()

    def put(content: bytes, reserved: int) -> int:
        offset = len(fixed) + len(variable)
        variable.extend(content.ljust(reserved, b"\0"))
        return offset

    for i, (of, value) in enumerate(zip(types, values, strict=True)):
        slot = b"\0" * 8
        name = of.split("(")[0]
        if value is None:
            fixed[(i + 8) // 8] |= 1 << ((i + 8) % 8)
            if java_nulls and name == "DECIMAL" and arguments(of)[0] > 18:
                slot = struct.pack("<q", put(b"", 16) << 32)
            if java_nulls and name == "TIMESTAMP" and arguments(of)[0] > 3:
                slot = struct.pack("<q", put(b"", 8) << 32)
        elif name in ("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME"):
            code = {"BOOLEAN": "?", "TINYINT": "b", "SMALLINT": "h", "BIGINT": "q", "FLOAT": "f", "DOUBLE": "d"}
            slot = struct.pack("<" + code.get(name, "i"), value).ljust(8, b"\0")
        elif name == "DECIMAL" and arguments(of)[0] <= 18:
            slot = struct.pack("<q", value)
        elif name == "DECIMAL":
            content = value.to_bytes((value if value >= 0 else ~value).bit_length() // 8 + 1, "big", signed=True)
            slot = struct.pack("<q", put(content, 16) << 32 | len(content))
        elif name == "TIMESTAMP" and arguments(of)[0] <= 3:
            slot = struct.pack("<q", value[0])
        elif name == "TIMESTAMP":
            slot = struct.pack("<q", put(struct.pack("<q", value[0]), 8) << 32 | value[1])
        else:
            content = value.encode() if isinstance(value, str) else value
            if len(content) <= 7:
                slot = content.ljust(7, b"\0") + bytes([0x80 | len(content)])
            else:
                slot = struct.pack("<q", put(content, (len(content) + 7) // 8 * 8) << 32 | len(content))
        fixed[header + 8 * i : header + 8 * i + 8] = slot
    return struct.pack(">i", len(types)) + bytes(fixed) + bytes(variable)


EMPTY = binary_row([], [])
"""The key of a table without keys."""
