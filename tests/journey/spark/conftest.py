"""Fixtures of this folder. One process runs all its tests (``tests/conftest.py``), with one session per Spark version.

A test that changes a table or moves its files restores it at the end.
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
    """A server over the index in the session's folder; commands may add tables to the index."""
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
    """A server of the demo lake: both formats, all kinds of values."""
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def connect_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A Connect session of Spark 4.1 with the package ``lakemuster``."""
    with driver("connect:local[2]", tmp_path_factory.mktemp("connect_driver")) as running:
        yield running
