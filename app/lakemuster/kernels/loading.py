"""Load a kernel: compile its LLVM text to machine code, once per process.

Compilation takes a tenth of a second or more, so it happens on the first use and not on import.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Generic, NamedTuple, ParamSpec, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

from lakemuster.kernels import words
from lakemuster.kernels.states import add_kernel_states

Given = ParamSpec("Given")

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_uint64
_WIDTHS: dict[Any, type[np.generic]] = {words.Words: np.uint64, words.Ints: np.uint32, words.Octets: np.uint8}
"""The element type of each alias. It is not read from the alias: numpy may build ``NDArray`` in any way."""

_log = logging.getLogger(__name__)

_plain: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def kernels_disabled() -> Iterator[None]:
    """Disable compiled kernels in this thread while the block runs; plain code does the same work."""
    before = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(before)


class Parameter(NamedTuple):
    """One parameter of a kernel: an array, or a single word.

    Attributes:
        width: the element type.
        shape: the length of each dimension, None where the caller chooses it; empty for a single word.
    """

    name: str
    width: type[np.generic]
    shape: tuple[int | None, ...]

    @property
    def chosen(self) -> int:
        """The number of leading dimensions whose length the caller chooses."""
        return self.shape.count(None)


class Kernel(Generic[Given]):
    """A function of a ``kernel.py`` compiled to machine code, with the same signature.

    Arrays must be contiguous. The C function takes a pointer to the verdict and an unused pointer; then, for each
    parameter, either a pointer and the lengths that the caller chooses, or a word.
    """

    def __init__(self, function: Callable[Given, int]) -> None:
        self._source, self._name = module_of(function), symbol_of(function)
        self._parameters = parameters_of(function)
        self._chosen = [parameter.chosen for parameter in self._parameters]

    def is_available(self) -> bool:
        """Return whether kernels are enabled in this thread and this one compiles here; compile it on first use."""
        return not _plain.get() and self._loaded is not None

    def __call__(self, *given: Given.args, **_: Given.kwargs) -> int:
        """Run the kernel and return its verdict.

        Raises:
            RuntimeError: the kernel raised an exception; kernels are written to raise none.
        """
        assert self._loaded is not None
        function, _engine = self._loaded
        passed: list[int] = []
        # A pyarrow buffer shares the array's memory; numpy's own ways to its address take five times as long.
        for chosen, value in zip(self._chosen, given, strict=True):
            if isinstance(value, np.ndarray):
                passed += (pa.py_buffer(value).address, *value.shape[:chosen])
            else:
                passed.append(int(value))  # type: ignore[call-overload]
        verdict = ctypes.c_int64()
        if function(ctypes.addressof(verdict), None, *passed):
            raise RuntimeError(f"{self._name} raised an error")
        return verdict.value

    @cached_property
    def _loaded(self) -> tuple[Callable[..., int], Any] | None:
        """The C function and the engine that owns its machine code; None if it cannot be compiled here."""
        package = str(self._source.__package__).removeprefix("lakemuster.")
        add_kernel_states({package: False})
        warning = "the kernel of %s does not load, slower code does its work: %s"
        if sys.byteorder != "little" or struct.calcsize("P") != 8:
            _log.warning(warning, package, "this machine is not a little-endian one of 64 bits")
            return None
        try:
            llvm: Any = import_module("llvmlite.binding")
        except ImportError as cause:
            _log.warning(warning, package, f"llvmlite is not installed ({cause})")
            return None
        try:
            engine, address = _compile(llvm, text_of(self._source).read_text("utf-8"), self._name)
        except Exception as cause:  # noqa: BLE001 - slower code does the same work.
            _log.warning(warning, package, type(cause).__name__, exc_info=True)
            return None
        add_kernel_states({package: True})
        arguments: list[type[Any]] = []
        for parameter in self._parameters:
            arguments += [_POINTER, *[_WORD] * parameter.chosen] if parameter.shape else [_WORD]
        return ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, _POINTER, *arguments)(address), engine


def parameters_of(function: Callable[..., int]) -> list[Parameter]:
    """Return the parameters of a kernel, from its annotations."""
    hints = get_type_hints(function, include_extras=True)
    del hints["return"]
    return [_parameter(name, hint) for name, hint in hints.items()]


def _parameter(name: str, hint: Any) -> Parameter:
    if hint is words.Word:
        return Parameter(name, words.Word, ())
    array, shape = get_args(hint) if get_origin(hint) is Annotated else (hint, (None,))
    return Parameter(name, _WIDTHS[array], shape)


def symbol_of(function: Callable[..., int]) -> str:
    """Return the symbol of a kernel in its LLVM text."""
    return f"lakemuster_{function.__name__}"


def module_of(function: Callable[..., int]) -> ModuleType:
    """Return the module that defines a kernel."""
    return sys.modules[function.__module__]


def text_of(source: ModuleType) -> Path:
    """Return the path of a kernel module's LLVM text."""
    assert source.__file__ is not None
    return Path(source.__file__).with_suffix(".ll")


def digest_of(text: Path) -> str:
    """Return the SHA-256 of a kernel's sources, which its LLVM text records."""
    parts = [Path(words.__file__), *sorted(text.parent.glob("kernel*.py"))]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def _compile(llvm: Any, text: str, name: str) -> tuple[Any, int]:
    """Compile LLVM text; return the engine and the address of the function ``name``."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(text)
    # LLVM 20 and 21 parse text of LLVM 22 that they cannot compile; compiling it would end the process.
    module.verify()
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address = engine.get_function_address(name)
    if not address:
        raise LookupError(name)
    return engine, address
