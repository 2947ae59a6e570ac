"""Rows of a plan's files, as executors read them: pyarrow and bytes, no Spark."""
