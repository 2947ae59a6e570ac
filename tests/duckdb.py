"""DuckDB with its Iceberg extension, which is published as wheels too: nothing is downloaded when it runs."""

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
"""The start of a script: ``connected()`` gives a connection with the extensions for Iceberg tables."""


@pytest.fixture(scope="session")
def run_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Call ``main(**arguments)`` of a script (its path, or its text) beside DuckDB; arguments and answer are JSON."""
    return runner(python_of("requirements-duckdb.lock"), tmp_path_factory)
