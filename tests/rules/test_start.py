"""Modules that a server must not import before it is ready: each takes 0.1 s, and not every server needs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.journey.servers import environment

WITHOUT = ["alembic", "botocore", "aiobotocore", "s3fs", "aiohttp", "pyarrow.dataset", "numba", "pyiceberg"]
STARTED = """
import json, os, sys
from lakemuster.cli.opening import server_packages
with server_packages("serve"):
    from lakemuster.cli import serving
import gc
collects = gc.isenabled()
serving.create_app(serving.build_services(serving.load_settings()))
serving.warm_up()
print(json.dumps([sorted(sys.modules), collects]))
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture
def loaded(tmp_path):
    """The modules of a server that started on an up-to-date database, and whether garbage collection is enabled."""

    def start():
        command = [sys.executable, "-c", STARTED]
        done = subprocess.run(command, env=environment(tmp_path, {}), capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    start()  # creates the database
    return start()


def test_a_start_loads_nothing_that_can_wait(loaded):
    modules, collects = loaded
    assert "lakemuster.api.app" in modules
    assert [name for name in WITHOUT if name in modules] == []
    assert collects
