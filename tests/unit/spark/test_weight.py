"""The Spark functions need the minimal install only: no server package, and PySpark only when used."""

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
    # pyarrow imports numpy if it is installed.
    assert loaded & (SERVER - {"numpy"}) == set()
