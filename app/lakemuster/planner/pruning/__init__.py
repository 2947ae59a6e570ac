"""Prune by statistics.

Where predicates are evaluated, by what they are evaluated on:

``prune``, bounds and counts
    N manifests, zones or entries as arrays; may a row match? ``prune.walk`` joins the verdicts on leaves for all users.
    A leaf compares Arrow arrays (``prune``) or codes of bounds (``coded_statistics``, the same verdicts from integers);
    ``residual`` uses the same walk to find what certainly holds for exact partition values.
``predicates.row_evaluation``, one row
    Values in internal form, three-valued, NaN as IEEE or as the greatest. ``residual`` decides single partition tuples
    with it, in a quarter of the time that arrays take; tests check pruning against it.
``spark.reading.row_filter``, rows of Arrow batches
    Three-valued, NaN as in Spark; only conditions that are exact. Before reading, it asks
    ``spark.reading.column_stats`` about single row groups, in Parquet's physical types, whether they may be true and
    whether they may be false.
``planner.paimon.file_indexes``, indexes of a file
    Sets of row positions, which AND intersects and OR unites.
"""
