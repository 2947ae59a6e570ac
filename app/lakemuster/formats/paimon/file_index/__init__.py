"""File indexes of Paimon: which rows of a data file can match a comparison, so that files can be pruned.

* ``container``     the container format: which column has which index, and where
* ``keys``          values in the form that indexes store
* ``roaring``       bitmaps embedded in other bytes
* ``bloom_filter``  whether a column may hold a value
* ``bitmap``        the rows of each value
* ``slices``        rows by the binary digits of a number
* ``bsi``           bit-sliced index: the rows of each number, by slices
* ``range_bitmap``  the rows of each value, by slices of its rank
* ``evaluation``    evaluation of one comparison on one index

A result holds the rows that *may* match; None means any row may. Unknown versions and malformed bytes raise an error;
unknown kinds are ignored.

Source: Paimon ``FileIndexFormat``, ``FileIndexPredicate`` and the indexes beside them, in release 1.4.
"""
