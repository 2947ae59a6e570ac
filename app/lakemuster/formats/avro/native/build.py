"""Compile ``kernel.py`` to ``kernel.ll``: ``python -m lakemuster.formats.avro.native.build``.

LLVM's text is the same for every 64-bit little-endian machine once triple and layout are left out. So it is part of
the source tree, and numba, which makes it, is needed by those only who change the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba as typed_numba

from lakemuster.formats.avro.native import kernel
from lakemuster.formats.avro.native.loading import ENTRY, TEXT, source_digest

numba: Any = typed_numba
"""Half of its names have no types."""

_OF_THIS_MACHINE = re.compile(r"(?m)^(?:target |source_filename|; ModuleID).*\n")
_REMARKS = re.compile(r", ![\w.]+ !\d+|(?m:^!\d+ = .*\n)")
_MANGLED = re.compile(r"_ZN\w*?6kernel\d+(?P<name>[a-z_]+)B\d+v\w+")


def main() -> None:
    """Write ``kernel.ll`` anew."""
    TEXT.write_text(compile_kernel(), "utf-8")


def compile_kernel() -> str:
    """The LLVM text of ``kernel.run`` over pointers, and what it was made of."""
    functions = {name: value for name, value in vars(kernel).items() if isinstance(value, FunctionType)}
    # Of any machine, not of the one that this runs on.
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = "generic", ""
    try:
        for name, function in functions.items():
            setattr(kernel, name, numba.njit(error_model="numpy")(function))
        text = _whole(*_over_pointers(kernel.run))
    finally:
        for name, function in functions.items():
            setattr(kernel, name, function)
    made_by = f"; Made by build.py with numba {numba.__version__}; not to be edited.\n; kernel.py: {source_digest()}\n"
    return made_by + text


def _over_pointers(run: Callable[..., Any]) -> tuple[str, str]:
    """The text of the compiled kernel with all that it calls, and its name there."""
    types, carray = numba.types, numba.carray
    word = types.uint64
    words, octets = types.CPointer(word), types.CPointer(types.uint8)
    ints, longs = types.CPointer(types.uint32), words
    arguments = (octets, word, word, words, word, octets, ints, longs, word, words, words, words, word, words, word)

    @numba.njit(types.int64(*arguments), error_model="numpy")
    def over_pointers(  # type: ignore[no-untyped-def]  # noqa: ANN202
        data,  # noqa: ANN001
        size,  # noqa: ANN001
        records,  # noqa: ANN001
        program,  # noqa: ANN001
        operations,  # noqa: ANN001
        octets,  # noqa: ANN001
        ints,  # noqa: ANN001
        longs,  # noqa: ANN001
        room,  # noqa: ANN001
        starts,  # noqa: ANN001
        rooms,  # noqa: ANN001
        used,  # noqa: ANN001
        columns,  # noqa: ANN001
        stack,  # noqa: ANN001
        depth,  # noqa: ANN001
    ):
        return run(
            carray(data, (size,)),
            records,
            carray(program, (operations, 4)),
            carray(octets, (room,)),
            carray(ints, (room >> 2,)),
            carray(longs, (room >> 3,)),
            carray(starts, (columns,)),
            carray(rooms, (columns,)),
            carray(used, (columns,)),
            carray(stack, (depth,)),
        )

    compiled = over_pointers.overloads[arguments]
    return compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name


def _whole(text: str, entry: str) -> str:
    """One function and what it needs, optimised as a whole, without what is of this machine."""
    module = llvm.parse_assembly(text)
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration:
            value.linkage = "internal"
    function = module.get_function(entry)
    function.linkage, function.name = "external", ENTRY
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    return _MANGLED.sub(r"\g<name>", _OF_THIS_MACHINE.sub("", _REMARKS.sub("", str(module))))


if __name__ == "__main__":
    main()
