"""A compiled kernel: LLVM's text to machine code, once in a process.

It takes a tenth of a second and more, so it happens when the first file is decoded and not on import.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import struct
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

POINTER, WORD = ctypes.c_void_p, ctypes.c_uint64

_engines: list[Any] = []
"""Machine code goes with its engine: it is kept."""

_log = logging.getLogger(__name__)


def text_of(source: str | None) -> Path:
    """Where the text of a kernel is, given the ``__file__`` of its module."""
    assert source is not None
    return Path(source).with_suffix(".ll")


def digest_of(text: Path) -> str:
    """Tells one version of a kernel's source from others; its text names the one that it was made of."""
    parts = sorted(text.parent.glob("kernel*.py"))
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


@cache
def load(text: Path, name: str, *arguments: type[Any]) -> Callable[..., int] | None:
    """The kernel of that name as a function of C; None where llvmlite is not installed or does not compile it.

    Its first two arguments are a pointer to its verdict and one that stays unused, before ``arguments``.
    """
    if sys.byteorder != "little" or struct.calcsize("P") != 8:
        return None
    try:
        llvm: Any = import_module("llvmlite.binding")
    except ImportError:
        return None
    try:
        engine = _compile(llvm, text.read_text("utf-8"))
        address = engine.get_function_address(name)
    except Exception:  # noqa: BLE001 - slower ways do the same work.
        _log.warning("machine code does not load: slower ways are used", exc_info=True)
        return None
    _engines.append(engine)
    return ctypes.CFUNCTYPE(ctypes.c_int32, POINTER, POINTER, *arguments)(address)


def _compile(llvm: Any, text: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
