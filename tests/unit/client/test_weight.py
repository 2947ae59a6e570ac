"""The client runs on Spark drivers and in notebooks, so it imports no server package."""

from __future__ import annotations

import subprocess
import sys

import pytest

SERVER = {
    "alembic",
    "fastapi",
    "fastavro",
    "fsspec",
    "numpy",
    "orjson",
    "pydantic",
    "pyspark",
    "sqlalchemy",
}


@pytest.mark.parametrize("line", ["from lakemuster import Client", "import lakemuster.client.errors"])
def test_importing_the_client_brings_nothing_of_the_server(line, repository):
    program = f"import sys; {line}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(repository / "app")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(found.stdout.split())
    assert "httpx" in loaded
    assert loaded & SERVER == set()
