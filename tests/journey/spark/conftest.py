"""What the files of this folder share: one process runs them all (``tests/conftest.py``), one session of each Spark.

A table that one of them changes, or whose files it takes away, is as it was before when the next one begins.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.journey.servers import Running, lakemuster, served
from tests.journey.spark import tables
from tests.journey.spark.indexing import Driver, driver
from tests.spark import Spark


@pytest.fixture(scope="session")
def server(spark: Spark) -> Iterator[Running]:
    """The server over the index in the session's folder, which the command line may add tables to meanwhile."""
    with served(spark.folder) as running:
        yield running


@pytest.fixture(scope="session")
def written(spark: Spark, server: Running) -> Spark:
    """The session, with all tables of ``tables.py`` in its catalog, indexed."""
    tables.write_all(spark)
    tables.discover(spark, "db")
    done = lakemuster(spark.folder, "index", *(f"db.{table}" for table in tables.ALL))
    assert done.returncode == 0, done.stderr
    return spark


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The demo lake: both formats, all kinds of values."""
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def connect_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A Connect session of Spark 4.1 with our packages."""
    with driver("connect:local[2]", tmp_path_factory.mktemp("connect_driver")) as running:
        yield running
