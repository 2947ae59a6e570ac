"""Apache Paimon's own client, to write tables with and to hold answers against: it pins old pyarrow and fsspec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.beside import python_of, runner


@pytest.fixture(scope="session")
def run_pypaimon(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Call ``main(**arguments)`` of a script (its path, or its text) beside pypaimon; arguments and answer are JSON."""
    return runner(python_of("requirements-pypaimon.lock"), tmp_path_factory)
