"""Read the rows of a plan's files on executors, with pyarrow; does not import PySpark."""
