"""Lakemuster in Spark: a data source for tables, metadata as DataFrames, and file paths for Spark's Parquet reader.

* ``register``            makes ``spark.read`` and ``readStream.format("lakemuster")`` available; PySpark 4.1 or newer
* ``count``               counts rows, from metadata where that is exact
* ``files``, ``metadata`` plans and metadata lists as DataFrames; ``paths`` for ``spark.read.parquet``
* ``index``               indexing on executors
* ``orphans``             files below a location that no table refers to, listed by executors

``files``, ``metadata`` and ``paths`` need the bare install on the driver and nothing on executors: PySpark 4.0 or newer
takes Arrow tables, 3.5 takes rows. The data source needs the extra ``spark`` on both. All work in classic and in
Connect sessions.

The data source's modules, in the direction of imports::

    register > pushdown_probe | source > reader | stream > planning > splits | snapshot_pin > options | reading

``reading`` is the code that executors run; it does not import PySpark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakemuster.spark.counts import count
from lakemuster.spark.errors import NotPlainParquet
from lakemuster.spark.file_lists import files
from lakemuster.spark.metadata_frames import metadata
from lakemuster.spark.path_lists import paths
from lakemuster.spark.register import register

if TYPE_CHECKING:
    from lakemuster.spark.orphan_frames import orphans
    from lakemuster.spark.pipeline import index

__all__ = ["NotPlainParquet", "count", "files", "index", "metadata", "orphans", "paths", "register"]


def __getattr__(name: str) -> object:
    # Only listing storage needs the extra ``spark``.
    if name == "orphans":
        from lakemuster.spark.orphan_frames import orphans  # noqa: PLC0415

        return orphans
    # Indexing imports the server's packages, which nothing else here needs.
    if name != "index":
        raise AttributeError(f"module 'lakemuster.spark' has no attribute {name!r}")
    from lakemuster.spark.pipeline import index  # noqa: PLC0415

    return index
