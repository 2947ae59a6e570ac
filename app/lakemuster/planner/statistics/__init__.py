"""Figures of a snapshot's live files, from metadata alone: totals, sizes, partitions, deletes, columns.

Every figure is exact, or an interval that says so. The files are those of the lists: without a predicate all live ones,
with a predicate those of its plan.
"""
