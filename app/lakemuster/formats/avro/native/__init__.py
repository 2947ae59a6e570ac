"""Avro blocks to columns by code of our own, compiled for the machine when it is loaded: the decoder for bulk.

* ``kernel``    the inner loop; ``kernel.ll``: that, compiled, see ``kernels``
* ``decoding``  blocks through the kernel
* ``program``   a schema as the kernel's operations, and the kernel's columns as Arrow arrays
* ``keyed``     maps as a column for each key, which is what Iceberg's statistics become
* ``memory``    what the columns are written to
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
