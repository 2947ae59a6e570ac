"""Loading of kernels; their results are tested with their callers."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pytest

import lakemuster
from lakemuster.formats.avro.native.kernel import run
from lakemuster.formats.iceberg.native.kernel import read_bounds
from lakemuster.kernels import loading, states
from lakemuster.kernels.loading import Kernel, digest_of, kernels_disabled, module_of, parameters_of, text_of
from lakemuster.kernels.states import kernel_states
from lakemuster.kernels.words import Ints, Octets, Word, Words
from lakemuster.planner.pruning.native.kernel import any_between
from lakemuster.wire.json_kernel.kernel import join

KERNELS = (run, read_bounds, any_between, join)
of_each_kernel = pytest.mark.parametrize("function", KERNELS, ids=lambda function: function.__module__)


@pytest.fixture(autouse=True)
def _own_states(monkeypatch):
    """The load states of a process that has loaded no kernel."""
    monkeypatch.setattr(states, "_loads", {})


@of_each_kernel
def test_the_text_names_the_source_as_it_stands(function):
    text = text_of(module_of(function))
    made_of = text.read_text("utf-8").splitlines()[1]
    assert made_of == f"; kernel.py: {digest_of(text)}", "make kernels"


@of_each_kernel
def test_every_kernel_loads_here(function):
    assert Kernel(function).is_available()


def test_no_kernel_is_left_out():
    sources = {module_of(function).__file__ for function in KERNELS}
    assert sources == set(map(str, Path(lakemuster.__file__).parent.rglob("kernel.py")))


def test_annotations_tell_what_a_kernel_takes():
    def function(a: Word, b: Words, c: Annotated[Ints, (None, 4)], d: Annotated[Octets, (None, None)]) -> int:
        return 0

    assert parameters_of(function) == [
        ("a", np.uint64, ()),
        ("b", np.uint64, (None,)),
        ("c", np.uint32, (None, 4)),
        ("d", np.uint8, (None, None)),
    ]
    assert [parameter.chosen for parameter in parameters_of(function)] == [0, 1, 1, 2]


def test_arrays_with_gaps_are_refused():
    compiled = Kernel(join)
    nothing, ends = np.empty(0, np.uint64), np.zeros(4, np.uint32)
    texts, program = np.empty(0, np.uint8), np.empty((0, 4), np.uint64)
    assert compiled(texts, nothing, texts, program, Word(1), texts, ends[:2]) == 0
    with pytest.raises((pa.ArrowInvalid, BufferError, ValueError), match="contiguous"):
        compiled(texts, nothing, texts, program, Word(1), texts, ends[::2])


# Uses a value before its definition: LLVM parses this, and aborts the process that compiles it.
BROKEN_FUNCTION = """
define i64 @lakemuster_any_between(i1 %0) {
  br i1 %0, label %a, label %b
a:
  %made = add i64 1, 1
  br label %b
b:
  ret i64 %made
}
"""


@pytest.mark.parametrize("broken", ["no LLVM text", "; no such function", BROKEN_FUNCTION])
def test_machine_code_that_does_not_load_is_told_of_once(broken, monkeypatch, tmp_path, caplog):
    text = tmp_path / "kernel.ll"
    text.write_text(broken)
    monkeypatch.setattr(loading, "text_of", lambda _: text)
    compiled = Kernel(any_between)
    with caplog.at_level(logging.WARNING):
        assert not compiled.is_available()
        assert not compiled.is_available()
    [warning] = [record.getMessage() for record in caplog.records]
    assert warning.startswith("the kernel of planner.pruning.native does not load, slower code does its work: ")
    assert kernel_states() == {"planner.pruning.native": False}


def test_without_llvmlite_there_is_none_which_is_told_of_once(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    compiled = Kernel(any_between)
    with caplog.at_level(logging.WARNING):
        assert not compiled.is_available()
        assert not compiled.is_available()
    [warning] = [record.getMessage() for record in caplog.records]
    assert "planner.pruning.native does not load, slower code does its work: llvmlite is not installed" in warning
    assert kernel_states() == {"planner.pruning.native": False}


def test_the_states_are_of_the_kernels_that_were_needed():
    assert kernel_states() == {}
    assert Kernel(join).is_available()
    with kernels_disabled():
        assert not Kernel(any_between).is_available()
    assert kernel_states() == {"wire.json_kernel": True}
