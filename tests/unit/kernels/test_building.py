"""The committed LLVM text equals numba's output for the kernels' sources, byte for byte."""

from __future__ import annotations

import re

import pytest

from lakemuster.kernels.loading import module_of, text_of
from scripts.kernels import KERNELS, compile_kernel

SIGNATURE = re.compile(r"(?m)^define .*@lakemuster_.*$")


@pytest.mark.slow
@pytest.mark.parametrize("function", KERNELS, ids=lambda function: function.__module__)
def test_the_machine_code_is_what_the_compiler_makes_of_the_source(function) -> None:
    built, stored = compile_kernel(function), text_of(module_of(function)).read_text("utf-8")
    if stored.splitlines()[0] == built.splitlines()[0]:
        assert built == stored
    else:  # another numba or Python version changes names and order
        assert SIGNATURE.findall(built) == SIGNATURE.findall(stored) != []


def test_the_text_is_made_by_the_versions_that_the_lock_pins(repository) -> None:
    pinned = re.search(r"(?m)^numba==(\S+)", (repository / "requirements.lock").read_text("utf-8"))
    assert pinned is not None
    for function in KERNELS:
        first = text_of(module_of(function)).read_text("utf-8").splitlines()[0]
        assert f" with numba {pinned[1]} on Python 3." in first, "make kernels"
