"""Register the data source ``lakemuster`` with a Spark session."""

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
DEFAULTS = ("uri", "token_env", "token_file")
"""Options that the session's configuration may set, such as ``lakemuster.uri``; ``spark-submit`` accepts only names
that start with ``spark.``."""


def register(spark: SparkSession) -> None:
    """Register ``spark.read.format("lakemuster")`` with a session, classic or Connect, of PySpark 4.1 or newer.

    The session's current settings ``lakemuster.uri``, ``lakemuster.token_env`` and ``lakemuster.token_file`` (or
    ``spark.lakemuster.…``) become the defaults of these options. Warns if Spark's Python workers run another Python
    than this one.

    Turns on Spark's filter pushdown, which is off by default; it applies to frames with the option ``pushdown``. The
    option's default is true if Spark plans each use of a frame separately, which is tested on versions after 4.3. If
    the session does not allow the setting, everything but this option works.

    Driver and executors need ``lakemuster[spark]`` (with Connect: the server, not the client).
    """
    # Deferred: these modules need PySpark 4.1, and this one is imported with any version.
    from lakemuster.spark.pushdown_probe import plans_each_use_separately  # noqa: PLC0415
    from lakemuster.spark.source import LakemusterSource, with_defaults  # noqa: PLC0415

    with suppress(Exception):  # each kind of session raises an error of its own
        spark.conf.set(PUSHDOWN, "true")
    found = {name: _setting(spark, f"lakemuster.{name}") for name in DEFAULTS}
    defaults = {name: text for name, text in found.items() if text}
    if plans_each_use_separately(spark):
        defaults["pushdown"] = "true"
    spark.dataSource.register(with_defaults(defaults) if defaults else LakemusterSource)
    if (other := other_python(_python_of_workers(spark))) is not None:
        warnings.warn(
            f"Spark's Python workers run {other}, not {sys.executable}: lakemuster[spark] must be there too, or set "
            "PYSPARK_PYTHON to this one before the session starts",
            stacklevel=2,
        )


def other_python(command: str | None) -> str | None:
    """Return the executable of the workers' command here; None if unknown or in this process's environment."""
    found = None if command is None else shutil.which(command)
    if found is None or os.path.dirname(os.path.abspath(found)) == os.path.dirname(os.path.abspath(sys.executable)):
        return None
    return found


def _setting(spark: SparkSession, name: str) -> str | None:
    found: str | None = spark.conf.get(name, None) or spark.conf.get(f"spark.{name}", None)
    return found


def _python_of_workers(spark: SparkSession) -> str | None:
    """Return the command of the workers' Python; None for a Connect session, whose workers run on the server."""
    try:
        command: str = spark.sparkContext.pythonExec
    except Exception:  # noqa: BLE001 - PySpark's own error, and there may be no JVM
        return None
    return command
