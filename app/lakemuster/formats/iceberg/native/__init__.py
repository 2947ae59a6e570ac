"""Read the bounds of many columns at once with a compiled kernel, see ``kernels``."""

from __future__ import annotations

from lakemuster.formats.iceberg.native.bounds import DECIMAL, Form, is_available, read_bounds

__all__ = ["DECIMAL", "Form", "is_available", "read_bounds"]
