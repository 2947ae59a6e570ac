"""Aggregates from metadata alone: count, min, max, null count, files and bytes of the rows that match a predicate.

An answer is exact or an interval that holds the true value. Missing statistics widen the interval.

**Rows that match.** A file that pruning drops holds none. A file is *certain* if statistics prove that no row of it
satisfies the predicate's complement (``predicates.complement``): then each of its rows matches. Of every other file any
number of rows may match.

**Rows that are there.** ``row_rules`` has the formats' rules for the number of rows that each file gives. Deletion
vectors record how many rows they delete, and so a file with one still has an exact number. A position delete file
deletes at most as many rows as it has; an equality delete file may delete all. Files that are merged may give any
number of their rows.

**Bounds need not be tight**, and no entry names its file's writer: a recorded bound is not a value that occurs, unless
both bounds are equal. Partition values of identity transforms are values that occur, as long as a row is left.

``kept_files`` walks over the files that a predicate keeps, ``counts`` and ``extremes`` add up what they say, and
``answers`` joins both to the answers of a request. ``planner.paimon.rows_given`` has Paimon's rules.
"""
