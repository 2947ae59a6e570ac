"""Write columns as JSON text, row by row, without building Python rows.

* ``columns`` columns to be written, and their fallback with Arrow's functions
* ``kernel``  the inner loop; ``kernel.ll``: its compiled form, see ``kernels``
* ``inputs``  columns as the kernel's arrays
* ``native``  runs the kernel
"""
