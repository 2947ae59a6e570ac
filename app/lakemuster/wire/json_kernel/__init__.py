"""Columns to JSON text, row by row, without building rows.

* ``columns`` what is still to be written, and how Arrow's functions write it
* ``kernel``  the inner loop; ``kernel.ll``: that, compiled, see ``kernels``
* ``native``  from columns to the kernel's arrays, and back
"""
