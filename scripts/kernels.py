"""Compile every ``kernel.py`` to its ``kernel.ll``: ``make kernels``.

Without target triple and data layout, the LLVM text is the same for every 64-bit little-endian machine. So it is part
of the source tree, and numba, which generates it, is only needed to change a kernel.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba as typed_numba
import numpy as np

from lakemuster.formats.avro.native.kernel import run
from lakemuster.formats.iceberg.native.kernel import read_bounds
from lakemuster.kernels import words
from lakemuster.kernels.loading import digest_of, module_of, parameters_of, symbol_of, text_of
from lakemuster.planner.pruning.native.kernel import any_between
from lakemuster.wire.json_kernel.kernel import join

numba: Any = typed_numba
"""``Any``, since many of numba's names have no types."""

KERNELS = (run, read_bounds, any_between, join)

_OF_THIS_MACHINE = re.compile(r"(?m)^(?:target |source_filename|; ModuleID).*\n")
_REMARKS = re.compile(r", ![\w.]+ !\d+|(?m:^!\d+ = .*\n)")
_MANGLED = re.compile(r"_ZN\w*?\d+(?:kernel(?:_[a-z]+)?|words)\d+(?P<name>[a-z_]+)B\d+v\w+")


def main() -> None:
    """Regenerate the LLVM text of every kernel."""
    for function in KERNELS:
        text_of(module_of(function)).write_text(compile_kernel(function), "utf-8")


def compile_kernel(function: Callable[..., int]) -> str:
    """Return the LLVM text of a kernel, with two header lines: the generating versions, and its sources' digest."""
    kernel = module_of(function)
    text = text_of(kernel)
    parts = [import_module(f"{kernel.__package__}.{part.stem}") for part in text.parent.glob("kernel_*.py")]
    # A function is also an attribute of the modules that import it.
    named = [
        (module, name, value)
        for module in (words, kernel, *parts)
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
    ]
    # Generate code for a generic CPU instead of this machine's.
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = "generic", ""
    compiled_of: dict[Callable[..., int], Any] = {
        value: numba.njit(error_model="numpy")(value) for _, _, value in named
    }
    try:
        for module, name, value in named:
            setattr(module, name, compiled_of[value])
        compiled = _over_pointers(function, compiled_of[function])
        code = _whole(compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name, symbol_of(function))
    finally:
        for module, name, value in named:
            setattr(module, name, value)
    versions = f"numba {numba.__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"
    head = f"; Made by scripts/kernels.py with {versions}; not to be edited.\n"
    return f"{head}; kernel.py: {digest_of(text)}\n{code}"


def _over_pointers(function: Callable[..., int], compiled: Any) -> Any:
    """Compile the wrapper that ``Kernel`` calls, which builds the kernel's arrays from pointers and lengths."""
    names, types, passed = [], [], []
    for name, width, shape in parameters_of(function):
        number = numba.from_dtype(np.dtype(width))
        lengths = [f"{name}_{place}" if length is None else str(length) for place, length in enumerate(shape)]
        chosen = lengths[: shape.count(None)]
        names += [name, *chosen]
        types += [numba.types.CPointer(number) if shape else number, *[numba.types.uint64] * len(chosen)]
        passed.append(f"carray({name}, ({', '.join(lengths)},))" if shape else name)
    source = f"def over_pointers({', '.join(names)}):\n    return kernel({', '.join(passed)})\n"
    made: dict[str, Any] = {"kernel": compiled, "carray": numba.carray}
    exec(source, made)  # numba compiles functions only, whose number of parameters varies here
    signature = numba.types.int64(*types)
    return numba.njit(signature, error_model="numpy")(made["over_pointers"]).overloads[tuple(types)]


def _whole(text: str, entry: str, name: str) -> str:
    """Return the optimised LLVM text of a function and its callees, without anything specific to this machine."""
    module = llvm.parse_assembly(text)
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration:
            value.linkage = "internal"
    function = module.get_function(entry)
    function.linkage, function.name = "external", name
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    return _MANGLED.sub(r"\g<name>", _OF_THIS_MACHINE.sub("", _REMARKS.sub("", str(module))))


if __name__ == "__main__":
    main()
