"""Indexes of a data file's columns: which of its rows can hold a value, so that a file can be left out.

* ``container``     which column has which index, and where
* ``keys``          values as indexes hold them
* ``roaring``       bitmaps inside other bytes
* ``bloom_filter``  whether a value may be in a column at all
* ``bitmap``        the rows of each value
* ``slices``        rows by the binary digits of a number
* ``bsi``           the rows of each number, by slices
* ``range_bitmap``  the rows of each value, by slices of its place among all
* ``answers``       one comparison put to one index

An answer names the rows that *may* match; None says that any may. Whatever is not understood, a kind, a version or
bytes that are not what they should be, is an error of the format: no answer.

Source: Paimon ``FileIndexFormat``, ``FileIndexPredicate`` and the indexes beside them, of release 1.4.
"""
