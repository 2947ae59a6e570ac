"""The native Avro decoder: blocks to columns by a kernel that is compiled for the machine when it is loaded.

* ``kernel``    the inner loop; ``kernel.ll``: its LLVM text, see ``kernels``
* ``decoding``  runs the kernel over blocks
* ``program``   a schema as the kernel's operations, and the kernel's columns as Arrow arrays
* ``keyed``     maps as one column per key, as Iceberg's statistics need them
* ``memory``    the memory that the kernel writes columns to
"""

from __future__ import annotations

from lakemuster.formats.avro.native.decoding import decode_keyed, decode_native, is_available
from lakemuster.formats.avro.native.keyed import Columns, Slots, Widths
from lakemuster.formats.avro.native.program import Path, Program, can_be_keyed

__all__ = [
    "Columns",
    "Path",
    "Program",
    "Slots",
    "Widths",
    "can_be_keyed",
    "decode_keyed",
    "decode_native",
    "is_available",
]
