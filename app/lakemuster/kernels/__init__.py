"""Inner loops as machine code: written in the subset of Python that numba compiles, stored as LLVM text.

A *kernel* is a function over numpy arrays in a module ``kernel.py``, which may have parts ``kernel_….py``. Beside it,
``kernel.ll`` holds the LLVM text that ``scripts/kernels.py`` generates from it (``make kernels``); ``loading`` compiles
that text to machine code. Both read the parameters from the kernel's annotations. ``words`` has the types, constants
and functions that all kernels use; ``states`` remembers which kernels load. Each kernel is in the package that calls
it: ``formats.avro.native``, ``formats.iceberg.native``, ``planner.pruning.native``, ``wire.json_kernel``.
"""
