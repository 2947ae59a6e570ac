"""The compiled kernel: LLVM's text to machine code, once in a process.

It takes a fifth of a second, so it happens when the first file is decoded and not on import.
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

ENTRY = "lakemuster_avro_run"
"""The kernel's name in ``kernel.ll``."""

TEXT = Path(__file__).with_name("kernel.ll")
_SOURCE = TEXT.with_suffix(".py")

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_uint64
_ARGUMENTS = (
    *(_POINTER, _POINTER),  # the verdict, and numba's place for exceptions
    *(_POINTER, _WORD, _WORD),  # data, its bytes, records
    *(_POINTER, _WORD),  # program, its operations
    *(_POINTER, _POINTER, _POINTER, _WORD),  # octets, ints, longs, their bytes
    *(_POINTER, _POINTER, _POINTER, _WORD),  # starts, rooms, used, how many columns
    *(_POINTER, _WORD),  # stack, its numbers
)

_engines: list[Any] = []
"""Machine code goes with its engine: it is kept."""

_log = logging.getLogger(__name__)


def source_digest() -> str:
    """Tells one version of the kernel's source from others; ``kernel.ll`` names the one that it was made of."""
    return hashlib.sha256(_SOURCE.read_bytes()).hexdigest()


def is_available() -> bool:
    """Whether this process can decode with the kernel; loads it."""
    return entry() is not None


@cache
def entry() -> Callable[..., int] | None:
    """The kernel as a function of C; None where llvmlite is not installed or does not compile it."""
    if sys.byteorder != "little" or struct.calcsize("P") != 8:
        return None
    try:
        llvm: Any = import_module("llvmlite.binding")
        engine = _compile(llvm, TEXT.read_text("utf-8"))
        address = engine.get_function_address(ENTRY)
    except ModuleNotFoundError:
        return None
    except Exception:  # noqa: BLE001 - other decoders do the same work.
        _log.warning("the native Avro decoder does not load: others, slower ones, are used", exc_info=True)
        return None
    _engines.append(engine)
    return ctypes.CFUNCTYPE(ctypes.c_int32, *_ARGUMENTS)(address)


def _compile(llvm: Any, text: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
