"""pypaimon, to write tables and compare results, in an environment of its own, since it pins old pyarrow and fsspec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.beside import python_of, runner


@pytest.fixture(scope="session")
def run_pypaimon(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """A function that calls ``main(**arguments)`` of a script (path or text) with pypaimon, with JSON values."""
    return runner(python_of("requirements-pypaimon.lock"), tmp_path_factory)
