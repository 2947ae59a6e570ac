"""DuckDB with its Iceberg extension, which is published as wheels too: nothing is downloaded when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.beside import python_of, runner


@pytest.fixture(scope="session")
def run_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Call ``main(**arguments)`` of a script (its path, or its text) beside DuckDB; arguments and answer are JSON."""
    return runner(python_of("requirements-duckdb.lock"), tmp_path_factory)
