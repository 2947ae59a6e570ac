"""Figures of a snapshot's live files, from metadata alone: totals, sizes, partitions, deletes, columns.

Every figure is exact, or an interval. Without a predicate, they cover all live files, as the lists do; with one, the
files of its plan.
"""
