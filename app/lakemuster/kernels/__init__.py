"""Inner loops as machine code: written in the part of Python that numba compiles, kept as LLVM's text.

A *kernel* is a function over numpy arrays in a module ``kernel.py``, perhaps with parts ``kernel_….py``, and beside it
``kernel.ll``, which ``build`` makes of it and ``loading`` turns into a function of this process. Its annotations tell
both what it takes; ``words`` is what all are written with. Each stands where it is used: ``formats.avro.native``,
``formats.iceberg.native``, ``planner.pruning.native``, ``wire.json_kernel``.
"""
