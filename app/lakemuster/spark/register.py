"""Making the data source known to a session."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
DEFAULTS = ("uri", "token_env")
"""Options that a session may have in its configuration, as ``lakemuster.uri``; ``spark-submit`` takes the names with
``spark.`` before them only."""


def register(spark: SparkSession) -> None:
    """Make ``spark.read.format("lakemuster")`` known to a session, classic or Connect, of PySpark 4.1 or newer.

    The session's settings ``lakemuster.uri`` and ``lakemuster.token_env`` (or ``spark.lakemuster.…``), as they are now,
    are the defaults of these options. Warns when Spark's Python workers run another Python than this one.

    Turns the pushdown of filters on, which Spark has off by default, for frames that ask for it (option ``pushdown``);
    all do on a Spark that plans each use of a frame by itself, which is tried on versions after 4.3. Where the session
    does not allow that setting, everything works but that option.

    Driver and executors need ``lakemuster[spark]`` (Connect: the server, not the client).
    """
    # PySpark may be older.
    from lakemuster.spark.pushdown import plans_each_use  # noqa: PLC0415
    from lakemuster.spark.source import LakemusterSource, with_defaults  # noqa: PLC0415

    with suppress(Exception):  # every kind of session has its own refusal
        spark.conf.set(PUSHDOWN, "true")
    found = {name: _setting(spark, f"lakemuster.{name}") for name in DEFAULTS}
    defaults = {name: text for name, text in found.items() if text}
    if plans_each_use(spark):
        defaults["pushdown"] = "true"
    spark.dataSource.register(with_defaults(defaults) if defaults else LakemusterSource)
    if (other := other_python(_python_of_workers(spark))) is not None:
        warnings.warn(
            f"Spark's Python workers run {other}, not {sys.executable}: lakemuster[spark] must be there too, or set "
            "PYSPARK_PYTHON to this one before the session starts",
            stacklevel=2,
        )


def other_python(command: str | None) -> str | None:
    """Where the workers' command leads on this machine, if that is not the environment of this process."""
    found = None if command is None else shutil.which(command)
    if found is None or os.path.dirname(os.path.abspath(found)) == os.path.dirname(os.path.abspath(sys.executable)):
        return None
    return found


def _setting(spark: SparkSession, name: str) -> str | None:
    found: str | None = spark.conf.get(name, None) or spark.conf.get(f"spark.{name}", None)
    return found


def _python_of_workers(spark: SparkSession) -> str | None:
    """The command of the workers' Python; None of a Connect session, whose workers are the server's."""
    try:
        command: str = spark.sparkContext.pythonExec
    except Exception:  # noqa: BLE001 - PySpark's own error, and there may be no JVM to ask
        return None
    return command
