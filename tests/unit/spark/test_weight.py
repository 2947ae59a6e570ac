"""The Spark functions are for drivers that have the bare install: nothing of the server, and PySpark only when used."""

from __future__ import annotations

import subprocess
import sys

from tests.unit.client.test_weight import SERVER


def test_importing_brings_neither_the_server_nor_pyspark(repository):
    program = "import sys, lakemuster.spark; print(*{name.partition('.')[0] for name in sys.modules})"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(repository / "app")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(found.stdout.split())
    assert {"httpx", "pyarrow"} <= loaded
    # pyarrow takes numpy where it is installed, and does without.
    assert loaded & (SERVER - {"numpy"}) == set()
