"""States of the kernels in this process and in its decoder processes, for metrics. It imports no large module."""

from __future__ import annotations

from collections.abc import Mapping

_loads: dict[str, bool] = {}


def kernel_states() -> dict[str, bool]:
    """Return whether each kernel that was needed so far loads, by the name of its package below ``lakemuster``."""
    return dict(_loads)


def add_kernel_states(states: Mapping[str, bool]) -> None:
    """Record states: of this process's kernels, or the :func:`kernel_states` of a process that works for it."""
    _loads.update(states)
