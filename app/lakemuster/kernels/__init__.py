"""Inner loops as machine code: written in the part of Python that numba compiles, kept as LLVM's text.

A *kernel* is a module ``kernel.py`` of plain functions over numpy arrays, perhaps with parts ``kernel_….py``, and
beside it ``kernel.ll``, which ``build`` makes of them and ``loading`` turns into a function of this process. Each
stands where it is used: ``formats.avro.native``, ``formats.iceberg.native``, ``planner.pruning.native``,
``wire.joining``.
"""
