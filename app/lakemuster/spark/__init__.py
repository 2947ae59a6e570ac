"""A lake in Spark: its tables as a data source, and what the server knows as DataFrames, and paths for Spark's readers.

* ``register``            ``spark.read`` and ``readStream.format("lakemuster")``; PySpark 4.1 or newer
* ``count``               rows, from metadata where that is exact
* ``files``, ``metadata`` plans and lists as DataFrames; ``paths`` for ``spark.read.parquet``
* ``index``               indexing on executors

``files``, ``metadata`` and ``paths`` need the bare install on the driver and nothing on executors: PySpark 4.0 or newer
takes the server's Arrow streams as they are, 3.5 takes rows. The data source needs the extra ``spark`` on both. Classic
and Connect sessions alike.

The data source's modules, in the direction of imports::

    register > pushdown | source > reader | stream > planning > splits | pinned > options | reading

``reading`` is what executors run, without PySpark.
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
    from lakemuster.spark.pipeline import index

__all__ = ["NotPlainParquet", "count", "files", "index", "metadata", "paths", "register"]


def __getattr__(name: str) -> object:
    # Indexing brings the server's packages, which nothing else here needs.
    if name != "index":
        raise AttributeError(f"module 'lakemuster.spark' has no attribute {name!r}")
    from lakemuster.spark.pipeline import index  # noqa: PLC0415

    return index
