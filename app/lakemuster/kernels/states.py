"""Which kernels load: what a server's metrics say of itself and of its decoder processes. Imports nothing large."""

from __future__ import annotations

from collections.abc import Mapping

_loads: dict[str, bool] = {}


def kernel_states() -> dict[str, bool]:
    """Whether each kernel that was needed so far loads, by the name of its package below ``lakemuster``."""
    return dict(_loads)


def add_kernel_states(states: Mapping[str, bool]) -> None:
    """Record states: of this process's kernels, or the :func:`kernel_states` of a process that works for it."""
    _loads.update(states)
