"""Bounds of many columns at once by machine code, see ``kernels``."""

from __future__ import annotations

from lakemuster.formats.iceberg.native.bounds import DECIMAL, Form, is_available, read_bounds

__all__ = ["DECIMAL", "Form", "is_available", "read_bounds"]
