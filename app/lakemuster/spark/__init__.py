"""What a server knows, in Spark: the files of a plan and the lists of tables as DataFrames, and paths for its readers.

Needs the bare install on the driver and nothing on executors. PySpark is whatever the cluster brings: 4.0 or newer
takes the server's Arrow streams as they are, 3.5 takes rows; classic and Connect sessions alike.
"""

from __future__ import annotations

from lakemuster.spark.errors import NotPlainParquet
from lakemuster.spark.file_lists import files
from lakemuster.spark.metadata_frames import metadata
from lakemuster.spark.path_lists import paths
from lakemuster.spark.register import register

__all__ = ["NotPlainParquet", "files", "metadata", "paths", "register"]
