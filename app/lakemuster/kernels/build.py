"""Compile every ``kernel.py`` to its ``kernel.ll``: ``python -m lakemuster.kernels.build``.

LLVM's text is the same for every 64-bit little-endian machine once triple and layout are left out. So it is part of
the source tree, and numba, which makes it, is needed by those only who change a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba as typed_numba

from lakemuster.formats.avro.native import kernel as avro
from lakemuster.formats.iceberg.native import kernel as iceberg
from lakemuster.kernels.loading import digest_of, text_of
from lakemuster.planner.pruning.native import kernel as pruning
from lakemuster.wire.joining import kernel as joining

numba: Any = typed_numba
"""Half of its names have no types."""

_OF_THIS_MACHINE = re.compile(r"(?m)^(?:target |source_filename|; ModuleID).*\n")
_REMARKS = re.compile(r", ![\w.]+ !\d+|(?m:^!\d+ = .*\n)")
_MANGLED = re.compile(r"_ZN\w*?\d+kernel(?:_[a-z]+)?\d+(?P<name>[a-z_]+)B\d+v\w+")


def main() -> None:
    """Write the text of every kernel anew."""
    for kernel, compiled in ((avro, _avro), (iceberg, _iceberg), (pruning, _pruning), (joining, _joining)):
        text = text_of(kernel.__file__)
        text.write_text(compile_kernel(kernel, text, compiled), "utf-8")


def compile_kernel(kernel: ModuleType, text: Path, compile_it: Callable[[], Any]) -> str:
    """The LLVM text of a kernel, with a head that says what it was made of."""
    parts = [import_module(f"{kernel.__package__}.{part.stem}") for part in text.parent.glob("kernel_*.py")]
    # A function has its name in the modules, too, that import it.
    named = [
        (module, name, value)
        for module in (kernel, *parts)
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
    ]
    # Of any machine, not of the one that this runs on.
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = "generic", ""
    compiled_of = {value: numba.njit(error_model="numpy")(value) for _, _, value in named}
    try:
        for module, name, value in named:
            setattr(module, name, compiled_of[value])
        compiled = compile_it()
        code = _whole(compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name, kernel.NAME)
    finally:
        for module, name, value in named:
            setattr(module, name, value)
    head = f"; Made by kernels/build.py with numba {numba.__version__}; not to be edited.\n"
    return f"{head}; kernel.py: {digest_of(text)}\n{code}"


_types, _carray = numba.types, numba.carray
_word = _types.uint64
_words, _octets, _ints = _types.CPointer(_word), _types.CPointer(_types.uint8), _types.CPointer(_types.uint32)


def _avro() -> Any:
    run = avro.run

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
        slots,  # noqa: ANN001
        places,  # noqa: ANN001
    ):
        return run(
            _carray(data, (size,)),
            records,
            _carray(program, (operations, 4)),
            _carray(octets, (room,)),
            _carray(ints, (room >> 2,)),
            _carray(longs, (room >> 3,)),
            _carray(starts, (columns,)),
            _carray(rooms, (columns,)),
            _carray(used, (columns,)),
            _carray(stack, (depth,)),
            _carray(slots, (places, 8)),
        )

    arguments = (_octets, _word, _word, _words, _word, _octets, _ints, _words, _word, _words, _words, _words, _word)
    return _compiled(over_pointers, *arguments, _words, _word, _words, _word)


def _iceberg() -> Any:
    read_bounds = iceberg.read_bounds

    def over_pointers(  # type: ignore[no-untyped-def]  # noqa: ANN202
        data,  # noqa: ANN001
        size,  # noqa: ANN001
        offsets,  # noqa: ANN001
        count,  # noqa: ANN001
        items,  # noqa: ANN001
        keys,  # noqa: ANN001
        rows,  # noqa: ANN001
        forms,  # noqa: ANN001
        ints,  # noqa: ANN001
        longs,  # noqa: ANN001
        room,  # noqa: ANN001
        regular,  # noqa: ANN001
    ):
        return read_bounds(
            _carray(data, (size,)),
            _carray(offsets, (count,)),
            _carray(items, (keys, rows)),
            _carray(forms, (keys, 6)),
            _carray(ints, (room >> 2,)),
            _carray(longs, (room >> 3,)),
            _carray(regular, (keys, rows)),
        )

    arguments = (_octets, _word, _ints, _word, _words, _word, _word, _words, _ints, _words, _word, _octets)
    return _compiled(over_pointers, *arguments)


def _pruning() -> Any:
    any_between = pruning.any_between

    def over_pointers(  # type: ignore[no-untyped-def]  # noqa: ANN202
        values,  # noqa: ANN001
        count,  # noqa: ANN001
        lower,  # noqa: ANN001
        upper,  # noqa: ANN001
        rows,  # noqa: ANN001
        cells,  # noqa: ANN001
        starts,  # noqa: ANN001
        words,  # noqa: ANN001
        sure,  # noqa: ANN001
        ties,  # noqa: ANN001
    ):
        return any_between(
            _carray(values, (count,)),
            _carray(lower, (rows,)),
            _carray(upper, (rows,)),
            _carray(cells, (words,)),
            _carray(starts, (words + 1,)),
            _carray(sure, (rows,)),
            _carray(ties, (rows,)),
        )

    arguments = (_ints, _word, _ints, _ints, _word, _words, _ints, _word, _octets, _octets)
    return _compiled(over_pointers, *arguments)


def _joining() -> Any:
    join = joining.join

    def over_pointers(  # type: ignore[no-untyped-def]  # noqa: ANN202
        texts,  # noqa: ANN001
        size,  # noqa: ANN001
        words,  # noqa: ANN001
        numbers,  # noqa: ANN001
        flags,  # noqa: ANN001
        marks,  # noqa: ANN001
        program,  # noqa: ANN001
        operations,  # noqa: ANN001
        rows,  # noqa: ANN001
        octets,  # noqa: ANN001
        room,  # noqa: ANN001
        ends,  # noqa: ANN001
    ):
        return join(
            _carray(texts, (size,)),
            _carray(words, (numbers,)),
            _carray(flags, (marks,)),
            _carray(program, (operations, 4)),
            rows,
            _carray(octets, (room,)),
            _carray(ends, (rows + 1,)),
        )

    arguments = (_octets, _word, _words, _word, _octets, _word, _words, _word, _word, _octets, _word, _ints)
    return _compiled(over_pointers, *arguments)


def _compiled(function: Any, *arguments: Any) -> Any:
    return numba.njit(_types.int64(*arguments), error_model="numpy")(function).overloads[arguments]


def _whole(text: str, entry: str, name: str) -> str:
    """One function and what it needs, optimised as a whole, without what is of this machine."""
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
