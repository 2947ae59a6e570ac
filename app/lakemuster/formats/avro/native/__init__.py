"""Avro blocks to columns by code of our own, compiled for the machine when it is loaded: the decoder for bulk.

* ``kernel``   the inner loop, in Python that numba compiles; ``kernel.ll``: that, as LLVM's text
* ``build``    writes ``kernel.ll``
* ``loading``  ``kernel.ll`` to a function of this process
* ``program``  a schema as the kernel's operations, and the kernel's columns as Arrow arrays
* ``memory``   what the columns are written to
"""

from __future__ import annotations

from lakemuster.formats.avro.native.decoding import decode_native
from lakemuster.formats.avro.native.loading import is_available
from lakemuster.formats.avro.native.program import Program

__all__ = ["Program", "decode_native", "is_available"]
