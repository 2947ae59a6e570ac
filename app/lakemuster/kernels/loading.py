"""A compiled kernel: LLVM's text to machine code, once in a process.

It takes a tenth of a second and more, so it happens when the first file is decoded and not on import.
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

Given = ParamSpec("Given")

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_uint64
_WIDTHS: dict[Any, type[np.generic]] = {words.Words: np.uint64, words.Ints: np.uint32, words.Octets: np.uint8}
"""What each alias holds. numpy may build ``NDArray`` in any way, so the width is not read from the alias."""

_log = logging.getLogger(__name__)

_plain: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def without_machine_code() -> Iterator[None]:
    """Make no kernel available to this thread while the block runs: plain code does the same work."""
    before = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(before)


def is_without_machine_code() -> bool:
    """Whether kernels are set aside in this thread."""
    return _plain.get()


class Parameter(NamedTuple):
    """What a kernel takes: words, or one where there is no shape.

    Attributes:
        shape: None for a length that callers choose.
    """

    name: str
    width: type[np.generic]
    shape: tuple[int | None, ...]

    @property
    def chosen(self) -> int:
        """How many lengths callers choose: the first ones."""
        return self.shape.count(None)


class Kernel(Generic[Given]):
    """A function of a ``kernel.py`` as machine code, for callers the same function.

    Arrays have to be contiguous. As a function of C it has, first, a pointer to its verdict and one that stays unused;
    then, for each parameter, a pointer and the lengths that callers choose, or a word.
    """

    def __init__(self, function: Callable[Given, int]) -> None:
        self._source, self._name = module_of(function), symbol_of(function)
        self._parameters = parameters_of(function)
        self._chosen = [parameter.chosen for parameter in self._parameters]

    def is_available(self) -> bool:
        """Whether llvmlite is installed and compiles it for this machine; loads it."""
        return not _plain.get() and self._loaded is not None

    def __call__(self, *given: Given.args, **_: Given.kwargs) -> int:
        """The function's verdict.

        Raises:
            RuntimeError: the kernel raised an error, which none does.
        """
        assert self._loaded is not None
        function, _engine = self._loaded
        passed: list[int] = []
        # Buffers are those of the arrays; numpy's own ways to an address take five times as long.
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
        """The function, and its engine, with which machine code goes."""
        if sys.byteorder != "little" or struct.calcsize("P") != 8:
            return None
        try:
            llvm: Any = import_module("llvmlite.binding")
        except ImportError:
            return None
        try:
            engine, address = _compile(llvm, text_of(self._source).read_text("utf-8"), self._name)
        except Exception:  # noqa: BLE001 - slower ways do the same work.
            _log.warning("machine code does not load: slower ways are used", exc_info=True)
            return None
        arguments: list[type[Any]] = []
        for parameter in self._parameters:
            arguments += [_POINTER, *[_WORD] * parameter.chosen] if parameter.shape else [_WORD]
        return ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, _POINTER, *arguments)(address), engine


def parameters_of(function: Callable[..., int]) -> list[Parameter]:
    """What a kernel takes, as its annotations say it."""
    hints = get_type_hints(function, include_extras=True)
    del hints["return"]
    return [_parameter(name, hint) for name, hint in hints.items()]


def _parameter(name: str, hint: Any) -> Parameter:
    if hint is words.Word:
        return Parameter(name, words.Word, ())
    array, shape = get_args(hint) if get_origin(hint) is Annotated else (hint, (None,))
    return Parameter(name, _WIDTHS[array], shape)


def symbol_of(function: Callable[..., int]) -> str:
    """The name of a kernel's machine code."""
    return f"lakemuster_{function.__name__}"


def module_of(function: Callable[..., int]) -> ModuleType:
    """Where a kernel is written."""
    return sys.modules[function.__module__]


def text_of(source: ModuleType) -> Path:
    """Where the text of a kernel is."""
    assert source.__file__ is not None
    return Path(source.__file__).with_suffix(".ll")


def digest_of(text: Path) -> str:
    """Tells one version of a kernel's source from others; its text names the one that it was made of."""
    parts = [Path(words.__file__), *sorted(text.parent.glob("kernel*.py"))]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def _compile(llvm: Any, text: str, name: str) -> tuple[Any, int]:
    """An engine, and where in memory a function is."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(text)
    # LLVM 20 and 21 parse a text of LLVM 22 that they cannot compile, and compiling it would end the process.
    module.verify()
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address = engine.get_function_address(name)
    if not address:
        raise LookupError(name)
    return engine, address
