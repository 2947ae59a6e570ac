"""The read path: from a snapshot, its segments and a filter to files, partitions, figures and aggregates."""
