"""DuckDB with its Iceberg extension from a wheel, so that nothing is downloaded at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.beside import python_of, runner

CONNECTED = """
import importlib, pathlib
import duckdb

def connected():
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    for name in ("avro", "httpfs", "iceberg"):
        folder = pathlib.Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
        [extension] = folder.rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{extension}'")
    return connection
"""
"""Script prologue: ``connected()`` returns a connection with the extensions for Iceberg tables."""


@pytest.fixture(scope="session")
def run_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """A function that calls ``main(**arguments)`` of a script (path or text) with DuckDB, with JSON values."""
    return runner(python_of("requirements-duckdb.lock"), tmp_path_factory)
