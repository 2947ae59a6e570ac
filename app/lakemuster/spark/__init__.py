"""What a server knows, in Spark: the files of a plan and the lists of tables as DataFrames, and paths for its readers.

Needs the bare install on the driver and nothing on executors. PySpark is whatever the cluster brings: 4.0 or newer
takes the server's Arrow streams as they are, 3.5 takes rows; classic and Connect sessions alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakemuster.spark.errors import NotPlainParquet
from lakemuster.spark.file_lists import files
from lakemuster.spark.metadata_frames import metadata
from lakemuster.spark.path_lists import paths
from lakemuster.spark.register import register

if TYPE_CHECKING:
    from lakemuster.spark.pipeline import index

__all__ = ["NotPlainParquet", "files", "index", "metadata", "paths", "register"]


def __getattr__(name: str) -> object:
    # Indexing brings the server's packages, which nothing else here needs.
    if name != "index":
        raise AttributeError(f"module 'lakemuster.spark' has no attribute {name!r}")
    from lakemuster.spark.pipeline import index  # noqa: PLC0415

    return index
